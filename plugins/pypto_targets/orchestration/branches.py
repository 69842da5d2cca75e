# SPDX-License-Identifier: Apache-2.0
"""Branches: a result that is the same buffer on both sides keeps its name, another gets a variable that both assign."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.errors import UserError
from pypto_build.ir import Expr, IfStmt, Stmt, TensorType, Var
from pypto_targets.orchestration.text import Block, Name
from pypto_targets.orchestration.values import Array, Made, Missing, Value, hint, same
from pypto_targets.orchestration.writer import INVALID_TASK, Writer, is_task_id

EmitBody = Callable[[Writer, Stmt | None], None]


class _Yielded:
    """What one branch yields, and the block in which it does."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.values: list[Value] = []
        self.texts: list[str] = []
        self.tasks: list[Value | None] = []
        self.block: Block | None = None

    def take(self, values: tuple[Expr, ...]) -> None:
        """Remember the values; what is assigned is decided when both branches are known."""
        self.block = self.writer.source.block
        for expr in values:
            value = self.writer.value(expr)
            self.values.append(value)
            self.texts.append(self.writer.text(value, expr))
            self.tasks.append(self._task(expr))

    def _task(self, expr: Expr) -> Value | None:
        """The id of the task that made a value, if an edge may name it."""
        task = self.writer.task(expr) if self.writer.awaited.names and isinstance(expr.type, TensorType) else None
        if task is not None:
            self.writer.require_value(task)
        return task


def emit_if(writer: Writer, stmt: IfStmt, emit_body: EmitBody) -> None:
    """A branch; its blocks join the text last, so that what they share is declared before both.

    What tasks without a result do in a branch is known there only.
    """
    condition, footer = writer.scalar(stmt.condition), "}" if stmt.else_body is None else ""
    then_yield, then_block = _branch(writer, stmt.then_body, f"if ({condition}) {{", footer=footer, emit_body=emit_body)
    blocks, sides = [then_block], [then_yield]
    if stmt.else_body is not None:
        else_yield, else_block = _branch(writer, stmt.else_body, "} else {", footer="}", emit_body=emit_body)
        blocks.append(else_block)
        sides.append(else_yield)
    for slot, var in enumerate(stmt.return_vars):
        _merge(writer, var, sides, slot=slot)
        if var in writer.awaited.names and isinstance(var.type, TensorType):
            _merge_tasks(writer, var, sides, slot=slot)
    writer.source.join(*blocks)


def _branch(writer: Writer, body: Stmt, header: str, *, footer: str, emit_body: EmitBody) -> tuple[_Yielded, Block]:
    frame, before = _Yielded(writer), dict(writer.task_of)
    writer.frames.append(frame)
    writer.source.open(header, footer=footer)
    emit_body(writer, body)
    writer.frames.pop()
    writer.task_of = before
    return frame, writer.source.take()


def _merge(writer: Writer, var: Var, sides: list[_Yielded], *, slot: int) -> None:
    """One result of a branch."""
    values = [side.values[slot] for side in sides if slot < len(side.values)]
    if len(values) != 2:
        raise UserError("ORCH021", f"not every branch yields {var.name_hint!r}", var.span)
    first, second = values
    if same(first, second):
        writer.values[var] = first
        return
    if isinstance(first, Array | Made | Missing | tuple) or isinstance(second, Array | Made | Missing | tuple):
        text = f"the branches yield two arrays for {var.name_hint!r}; they can only share one"
        raise UserError("ORCH021", text, var.span)
    name = _declare(writer, var, values)
    for side in sides:
        if side.block is not None:
            side.block.parts.append((f"{name} = {side.texts[slot]};", var.span))


def _merge_tasks(writer: Writer, var: Var, sides: list[_Yielded], *, slot: int) -> None:
    """The id of the task that made a result: that of the branch that ran, or none."""
    name = writer.declare(writer.plan.task_id_of(var), INVALID_TASK)
    for side in sides:
        task = side.tasks[slot]
        if side.block is not None and isinstance(task, Name):
            side.block.parts.append((f"{name} = {task};", var.span))
    writer.task_of[var] = name


def _declare(writer: Writer, var: Var, values: list[Value]) -> Name:
    depth = min(writer.plan.hoisted.get(var, writer.source.depth), writer.source.depth)
    kind = writer.cpp_type(var.type, var)
    start = ""
    if isinstance(var.type, TensorType):
        start = f" = {_outer(writer, values, depth=depth)}"
    elif is_task_id(var):
        start = f" = {INVALID_TASK}"
    name = writer.source.name(hint(var), depth=depth, var=var)
    writer.source.emit(f"{kind} {name}{start};", depth=depth)
    writer.values[var] = name
    return name


def _outer(writer: Writer, values: list[Value], *, depth: int) -> str:
    """A tensor that is there before the branch; if both are made inside, the first is declared before it next time."""
    names = [value for value in values if isinstance(value, Name)]
    for name in names:
        if name.block in writer.source.stack[: depth + 1]:
            return name.text
    writer.require(names[0], depth=depth)
    return names[0].text
