# SPDX-License-Identifier: Apache-2.0
"""What a task waits for beyond what the runtime tracks: task ids that the program or a pass names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pypto_build.analysis.task_edges import carried_edges, derived_edges
from pypto_build.errors import InternalError, UserError
from pypto_build.ir import Call, Expr, Submit, Var
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Array, Made, Missing, Value, same
from pypto_targets.orchestration.writer import INVALID_TASK, Writer, is_task_id

WRITTEN = "manual_dep_edges"


def has_dependencies(call: Call | Submit) -> bool:
    """Whether anything is named that a task waits for."""
    return bool(_written_edges(call) or derived_edges(call) or carried_edges(call))


def emit_dependencies(writer: Writer, args: Name, call: Call | Submit) -> bool:
    """The list of task ids that a task waits for; False when there is none.

    An id that may name no task is left out when the program runs, because the runtime does not take such.
    """
    known = _known(writer, call)
    if not known:
        return False
    size = sum(edge.size if isinstance(edge, Array) else 1 for edge in known)
    array, count = writer.source.name(f"{args}_deps"), writer.source.name(f"{args}_deps_count")
    writer.source.emit(f"PTO2TaskId {array}[{size}];")
    writer.source.emit(f"uint32_t {count} = 0;")
    for edge in known:
        _emit_edge(writer, edge, f"{array}[{count}++]")
    writer.source.emit(f"{args}.set_dependencies({array}, {count});")
    return True


def _known(writer: Writer, call: Call | Submit) -> list[Value]:
    """The ids, each once, in the order in which the edges are written."""
    known: list[Value] = []
    for value in _ids(writer, call):
        writer.require_value(value)
        if value != INVALID_TASK and not any(same(value, other) for other in known):
            known.append(value)
    return known


def _ids(writer: Writer, call: Call | Submit) -> Iterator[Value]:
    for edge in _written_edges(call):
        yield _written(writer, edge)
    for edge in derived_edges(call):
        value = writer.task(edge)
        if value is None:
            raise InternalError(f"a pass names {edge} as a dependency, but no task is known for it", call.span)
        yield value
    for edge in carried_edges(call):
        if isinstance(edge, Var):
            yield writer.value(edge) if is_task_id(edge) else writer.before[edge]


def _written_edges(call: Call | Submit) -> tuple[Expr, ...]:
    return call.deps if isinstance(call, Submit) else cast("tuple[Expr, ...]", call.attrs.get(WRITTEN, ()))


def _emit_edge(writer: Writer, edge: Value, slot: str) -> None:
    emit = writer.source.emit
    if isinstance(edge, Array):
        index = writer.source.name("dep_i")
        emit(f"for (int64_t {index} = 0; {index} < {edge.size}; ++{index}) {{")
        emit(f"    if ({edge.name}[{index}].is_valid()) {slot} = {edge.name}[{index}];")
        emit("}")
    elif isinstance(edge, Name) and edge in writer.fresh:
        emit(f"{slot} = {edge};")
    else:
        emit(f"if ({edge}.is_valid()) {slot} = {edge};")


def _written(writer: Writer, edge: Expr) -> Value:
    """An id that the program names; its task must be of a scope that is still open."""
    value = writer.values.get(edge) if isinstance(edge, Var) else writer.scalar(edge)
    name = value.name if isinstance(value, Array) else value
    if isinstance(name, Name) and writer.source.stack[writer.source.visible_depth(name)] is not name.block:
        value = None
    if value is None or isinstance(value, Made | Missing | tuple):
        label = edge.name_hint if isinstance(edge, Var) else "dependency"
        raise UserError(
            "ORCH017",
            f"the dependency on task id {label!r} cannot be honored: the scope that launched its task has ended here; "
            "wait for it inside the scope that produces it (a pl.range body and a branch are scopes too)",
            edge.span,
        )
    return value
