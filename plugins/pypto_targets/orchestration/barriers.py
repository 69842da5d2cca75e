# SPDX-License-Identifier: Apache-2.0
"""Tasks that do nothing but wait for others, so that many can wait for one."""

from __future__ import annotations

from pypto_build.ir import Call, Var
from pypto_targets.orchestration.dependencies import emit_dependencies, has_dependencies
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.writer import INVALID_TASK, Writer


def emit_task_dummy(writer: Writer, call: Call, var: Var | None) -> None:
    """Submit an empty task; one that turns out to wait for nothing is not submitted and its id names no task.

    Without any dependency written it is submitted all the same: it is then a task that is ready at once.
    """
    number, source = writer.count("barrier"), writer.source
    label = f"phase_fence_barrier_{number}"
    source.emit("")
    args = source.name(f"params_{label}")
    source.emit(f"CoreTaskArgs {args};")
    waits = emit_dependencies(writer, args, call)
    outs = source.name(f"{label}_outs")
    if not has_dependencies(call):
        source.emit(f"TaskOutputTensors {outs} = rt_submit_dummy_task({args});")
        if var is not None:
            writer.declare(var, f"{outs}.task_id()")
        return
    name = writer.declare(var, INVALID_TASK) if var is not None else None
    if waits:
        _submit(writer, args, outs, name, count=f"{args}_deps_count")


def emit_barrier(writer: Writer, ids: str, count: Name, var: Var) -> Name:
    """Submit an empty task that waits for so many ids, and call its id like a variable."""
    label = f"phase_fence_barrier_{writer.count('barrier')}"
    args, outs = writer.source.name(f"params_{label}"), writer.source.name(f"{label}_outs")
    writer.source.emit(f"CoreTaskArgs {args};")
    writer.source.emit(f"{args}.set_dependencies({ids}, {count});")
    name = writer.declare(var, INVALID_TASK)
    _submit(writer, args, outs, name, count=count.text)
    return name


def _submit(writer: Writer, args: Name, outs: Name, name: Name | None, *, count: str) -> None:
    writer.source.open(f"if ({count} > 0) {{")
    writer.source.emit(f"TaskOutputTensors {outs} = rt_submit_dummy_task({args});")
    if name is not None:
        writer.source.emit(f"{name} = {outs}.task_id();")
    writer.source.close()
