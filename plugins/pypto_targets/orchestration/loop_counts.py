# SPDX-License-Identifier: Apache-2.0
"""How often a loop runs, and which of its iterations this is, as C++ expressions."""

from __future__ import annotations

from pypto_build.ir import ForStmt, as_int
from pypto_targets.orchestration.writer import Writer


def iteration(writer: Writer, loop: ForStmt) -> str:
    """Which iteration this is, counted from 0."""
    start, step = as_int(loop.start), as_int(loop.step)
    text = str(writer.value(loop.loop_var))
    if start != 0:
        text = f"({text} - {writer.scalar(loop.start)})"
    return text if step == 1 else f"{text} / {writer.scalar(loop.step)}"


def trips(writer: Writer, loop: ForStmt) -> str:
    """The number of iterations, which is not negative."""
    start, stop, step = (writer.scalar(bound) for bound in (loop.start, loop.stop, loop.step))
    number = as_int(loop.step)
    if as_int(loop.start) == 0 and number == 1:
        return f"({stop} > 0 ? {stop} : 0)"
    up = f"({stop} > {start} ? ({stop} - {start} + {step} - 1) / {step} : 0)"
    down = f"({stop} < {start} ? ({start} - {stop} - {step} - 1) / -({step}) : 0)"
    if number is None:
        return f"({step} > 0 ? {up} : {step} < 0 ? {down} : 0)"
    return up if number > 0 else down if number < 0 else "0"
