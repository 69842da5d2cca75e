# SPDX-License-Identifier: Apache-2.0
"""What a run leaves: the functions that came out, what was said, and for each pass and function what happened."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.errors import Diagnostic
from pypto_build.ir import Program
from pypto_build.pipeline.state import States
from pypto_build.store.key import Key

PROGRAM = ""  # stands for the function in the trace of a pass that sees the whole program


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """What happened to one function in one pass."""

    step: str
    pass_name: str
    function: str
    key: Key
    reused: bool
    input_digest: str
    output_digest: str
    changed: bool
    cost_ms: float


@dataclass(frozen=True, slots=True)
class RunResult:
    """The functions after the last pass, what was said on the way, and what ran."""

    states: States
    diagnostics: tuple[Diagnostic, ...]
    trace: tuple[TraceEntry, ...]
    program_name: str

    def program(self) -> Program:
        """The final program; loads or makes every body."""
        return program_of(self.states, self.program_name)

    def passes_run(self) -> int:
        """How many passes ran on a function or program."""
        return sum(not entry.reused for entry in self.trace)


def program_of(states: States, name: str) -> Program:
    """The program of some functions; loads or makes every body."""
    return Program(tuple(state.body() for state in states.values()), name)  # type: ignore[arg-type]  # any iterable of functions
