# SPDX-License-Identifier: Apache-2.0
"""Loops and what they carry.

A carry that stays in its first buffer keeps that buffer's name, because the runtime knows a tensor by it; a carry that
takes another value is a variable that the yield assigns. Requirements CIC-36 to CIC-42.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pypto_build.analysis.iter_arg_carry import array_size, is_rebind
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.errors import UserError
from pypto_build.ir import ArrayType, Expr, ForStmt, IterArg, Stmt, Var, WhileStmt, as_int
from pypto_targets.orchestration.carries import Copy, emit_copies
from pypto_targets.orchestration.fences import Fence, declare_fence
from pypto_targets.orchestration.gathered import Gathering
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Array, Missing, Value, hint, same
from pypto_targets.orchestration.writer import Writer

EmitBody = Callable[[Writer, Stmt | None], None]


@dataclass(frozen=True, slots=True)
class _Alias:
    """A carry that keeps the name of what it begins with."""

    arg: IterArg
    value: Value


_Slot = _Alias | Name | Fence


class _Loop:
    """Takes what the body of a loop yields into its carries."""

    def __init__(self, writer: Writer, slots: list[_Slot], gathering: Gathering) -> None:
        self.writer = writer
        self.slots = slots
        self.gathering = gathering

    def take(self, values: tuple[Expr, ...]) -> None:
        """Assign all carries at once: every new value is read before any is written (CIC-42)."""
        self.gathering.take(values)
        copies: list[Copy] = []
        for slot, expr in zip(self.slots, values, strict=True):
            value = self.writer.value(expr)
            if isinstance(slot, Fence):
                slot.take(self.writer, value, expr)
            elif isinstance(slot, Name):
                if not (isinstance(value, Missing) and self._goes_round(slot)):
                    copies.append(Copy(slot, self.writer.text(value, expr), expr))
            elif not same(slot.value, value):
                self._keep(slot, value, expr)
        self._check_arrays(values)
        emit_copies(self.writer, copies)

    def _goes_round(self, name: Name) -> bool:
        """Whether nobody reads a carry, so that it does not matter what it holds."""
        return not any(self.writer.values.get(var) is name for var in self.writer.read)

    def _check_arrays(self, values: tuple[Expr, ...]) -> None:
        """Refuse arrays that change places: each is copied into the other's memory, and none is kept aside."""
        kept = {slot.value.name for slot in self.slots if isinstance(slot, _Alias) and isinstance(slot.value, Array)}
        for slot, expr in zip(self.slots, values, strict=True):
            value = self.writer.value(expr)
            moves = isinstance(slot, _Alias) and not same(slot.value, value)
            if moves and isinstance(value, Array) and value.name in kept:
                text = "arrays that a loop carries cannot change places"
                raise UserError("ORCH023", text, expr.span, help="copy them element by element in the body")

    def _keep(self, slot: _Alias, value: Value, expr: Expr) -> None:
        """An alias that yields something else after all: an array is copied back, a carry of a while loop rebinds."""
        if isinstance(slot.value, Array) and isinstance(value, Array):
            text = f"{self.writer.text(value, expr)}[__yield_i]"
            head = f"for (int64_t __yield_i = 0; __yield_i < {slot.value.size}; ++__yield_i)"
            self.writer.source.emit(f"{head} {slot.value.name}[__yield_i] = {text};")
        else:
            self.writer.plan.rebind(slot.arg)


def emit_for(writer: Writer, loop: ForStmt, emit_body: EmitBody) -> None:
    """A counted loop."""
    start, stop, step = (writer.scalar(bound) for bound in (loop.start, loop.stop, loop.step))
    slots: list[_Slot] = []
    for index, arg in enumerate(loop.iter_args):
        result = loop.return_vars[index] if index < len(loop.return_vars) else arg
        size = array_size(loop, index)
        if size:
            slots.append(declare_fence(writer, loop, index, result=result, size=size))
        else:
            rebind = is_rebind(loop, index) and not isinstance(arg.type, ArrayType)
            slots.append(_slot(writer, arg, result, rebind=rebind or arg in writer.plan.rebinding))
    gathering = _gathering(writer, loop)
    block = writer.source.open("")
    counter = _counter(writer, loop)
    kind = writer.cpp_type(loop.loop_var.type, loop.loop_var)
    condition = _condition(loop, counter, stop, step=step)
    block.header = f"for ({kind} {counter} = {start}; {condition}; {counter} += {step}) {{"
    _emit_body(writer, loop, slots, gathering=gathering, emit_body=emit_body)


def _counter(writer: Writer, loop: ForStmt) -> Name:
    """The counter, which belongs to the block of the body."""
    name = writer.source.name(hint(loop.loop_var))
    writer.values[loop.loop_var] = name
    step = as_int(loop.step)
    if step is not None and step > 0 and writer.is_natural(loop.start):
        writer.natural.add(loop.loop_var)
    return name


def _condition(loop: ForStmt, counter: Name, stop: str, *, step: str) -> str:
    number = as_int(loop.step)
    if number == 0:
        return "false"  # such a loop has no iterations
    if number is None:
        return f"({step} > 0 ? {counter} < {stop} : {counter} > {stop})"
    return f"{counter} {'<' if number > 0 else '>'} {stop}"


def emit_while(writer: Writer, loop: WhileStmt, emit_body: EmitBody) -> None:
    """A loop on a condition; which of its carries take another value shows in its body."""
    slots: list[_Slot] = []
    for index, arg in enumerate(loop.iter_args):
        result = loop.return_vars[index] if index < len(loop.return_vars) else arg
        slots.append(_slot(writer, arg, result, rebind=arg in writer.plan.rebinding))
    gathering = _gathering(writer, loop)
    writer.source.open(f"while ({writer.scalar(loop.condition)}) {{")
    _emit_body(writer, loop, slots, gathering=gathering, emit_body=emit_body)


def _gathering(writer: Writer, loop: ForStmt | WhileStmt) -> Gathering:
    gathering = Gathering(writer, loop)
    gathering.declare(yielded_values(loop.body))
    return gathering


def _emit_body(
    writer: Writer, loop: ForStmt | WhileStmt, slots: list[_Slot], *, gathering: Gathering, emit_body: EmitBody
) -> None:
    before = dict(writer.task_of)
    writer.frames.append(_Loop(writer, slots, gathering))
    emit_body(writer, loop.body)
    writer.frames.pop()
    writer.task_of = before
    writer.source.close()
    writer.carries.difference_update(slot for slot in slots if isinstance(slot, Name))
    gathering.finish()


def _slot(writer: Writer, arg: IterArg, result: Var, *, rebind: bool) -> _Slot:
    """How a carry is lowered; its name is that of the loop's result."""
    value = writer.value(arg.init_value)
    if not rebind:
        writer.text(value, arg.init_value)
        writer.values[arg] = writer.values[result] = value
        if arg.init_value in writer.natural:
            writer.natural.update((arg, result))
        return _Alias(arg, value)
    label = hint(result) if result is not arg else f"{hint(arg)}_carry"
    name = writer.declare_carry(result, arg.init_value, label=label)
    writer.values[arg] = name
    writer.carries.add(name)
    return name
