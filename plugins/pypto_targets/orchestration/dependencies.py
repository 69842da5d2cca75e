# SPDX-License-Identifier: Apache-2.0
"""What a task waits for beyond what the runtime tracks: task ids that the program or a pass names."""

from __future__ import annotations

from typing import cast

from pypto_build.errors import UserError
from pypto_build.ir import Call, Expr, Submit, Var
from pypto_targets.orchestration.awaited import derived_edges
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Array, Made, Missing, Value
from pypto_targets.orchestration.writer import INVALID_TASK, Writer

WRITTEN = "manual_dep_edges"


def dependencies(call: Call | Submit) -> list[tuple[Expr, bool]]:
    """Task ids that a call waits for, each once, and whether a person wrote them."""
    written = call.deps if isinstance(call, Submit) else cast("tuple[Expr, ...]", call.attrs.get(WRITTEN, ()))
    derived = derived_edges(call)
    found: list[tuple[Expr, bool]] = []
    for edge, by_hand in (*((edge, True) for edge in written), *((edge, False) for edge in derived)):
        if all(edge is not known for known, _ in found):
            found.append((edge, by_hand))
    return found


def emit_dependencies(writer: Writer, args: Name, call: Call | Submit) -> bool:
    """The list of task ids that a task waits for; False when there is none.

    An id that may name no task is left out when the program runs, because the runtime does not take such.
    """
    edges = [_resolved(writer, edge, by_hand=by_hand) for edge, by_hand in dependencies(call)]
    known = [edge for edge in edges if edge is not None and edge != INVALID_TASK]
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


def _emit_edge(writer: Writer, edge: Name | Array | str, slot: str) -> None:
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


def _resolved(writer: Writer, edge: Expr, *, by_hand: bool) -> Name | Array | str | None:
    value = _value(writer, edge)
    name = value.name if isinstance(value, Array) else value
    if isinstance(name, Name) and by_hand and writer.source.stack[writer.source.visible_depth(name)] is not name.block:
        value = None
    if value is None or isinstance(value, Made | Missing | tuple):
        if not by_hand:
            return None
        label = edge.name_hint if isinstance(edge, Var) else "dependency"
        raise UserError(
            "ORCH017",
            f"the dependency on task id {label!r} cannot be honored: the scope that launched its task has ended here; "
            "wait for it inside the scope that produces it (a pl.range body and a branch are scopes too)",
            edge.span,
        )
    if isinstance(name, Name):
        writer.require(name)
    return value


def _value(writer: Writer, edge: Expr) -> Value | None:
    if not isinstance(edge, Var):
        return writer.scalar(edge)
    return writer.task_of.get(edge) if edge in writer.awaited else writer.values.get(edge)
