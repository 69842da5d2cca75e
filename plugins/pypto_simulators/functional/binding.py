# SPDX-License-Identifier: Apache-2.0
"""Giving a variable its value: a tile whose type names memory is written there, and read there from then on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from pypto_build.ir import Call, Expr, ShapedType, TileType, Var
from pypto_build.ops import OpDef
from pypto_simulators.functional.errors import MEMORY, fail
from pypto_simulators.functional.frame import Frame
from pypto_simulators.functional.memory import same_place
from pypto_simulators.functional.numbers import poison
from pypto_simulators.functional.values import Allocation, Block, PackedBlock, Value, region

# Operations whose result is the memory of an argument: nothing is written.
VIEWS: Final = frozenset(
    f"tile.{name}" for name in ("slice", "reshape", "reinterpret_view", "set_validshape", "transpose_view")
)


def bind(frame: Frame, var: Var, value: Value, source: Expr | None = None) -> None:
    """Give a variable a value that an expression had."""
    frame.values[var] = value
    if frame.memory is None or not isinstance(value, Block):
        return
    place = _place(frame, var, value)
    if place is None or _is_view(source):
        return
    if _moves_nothing(frame, source):
        frame.values[var] = place
        return
    if isinstance(source, Call):
        _check_alias(frame, source, place)
    _write(place, value, created=_is(source, "tile.create"))
    frame.values[var] = place


def bind_carried(frame: Frame, var: Var, value: Value) -> None:
    """Give a loop or branch variable what was yielded: no instruction moves it.

    With addresses assigned the variable is whatever lies at its own address. Before, a value in another allocation is
    carried as it is, because merging the two allocations is still to come.
    """
    frame.values[var] = value
    if frame.memory is None or not isinstance(value, Block):
        return
    place = _place(frame, var, value)
    if place is None or _same(place, value):
        return
    frame.values[var] = place if frame.machine.addressed else value.snapshot()


def _place(frame: Frame, var: Var, value: Block) -> Block | None:
    """The tile at the memory that a variable's type names, described as the value is; None if it names none."""
    kind = var.type
    if not isinstance(kind, TileType) or kind.memref is None or frame.memory is None:
        return None
    allocation = frame.values.get(kind.memref.base)
    if not isinstance(allocation, Allocation):
        return None
    offset = int(frame.machine.evaluate(frame, kind.memref.byte_offset))
    place = frame.memory.place(allocation, offset, shape=value.shape, dtype=value.dtype, span=var.span)
    place.valid, place.pad = value.valid, value.pad
    return place


def _write(place: Block, value: Block, *, created: bool) -> None:
    """Only the valid region is written; what is created has no contents."""
    if isinstance(place, PackedBlock):
        place.write(value.full())
        return
    if created:
        place.data[...] = poison(place.dtype)
        return
    if not _same(place, value):
        place.data[region(place.valid)] = value.valid_data()


def _same(left: Block, right: Block) -> bool:
    if isinstance(left, PackedBlock):
        return isinstance(right, PackedBlock) and same_place(left.bytes, right.bytes)
    return same_place(left.data, right.data)


def _check_alias(frame: Frame, call: Call, place: Block) -> None:
    """An operation may forbid that its result lies where an argument lies: it would overwrite what it still reads."""
    if not frame.machine.ops.has(call.op.name):
        return
    definition = frame.machine.ops.get(call.op.name)
    for index in _held(frame, call, definition):
        arg = call.args[index]
        value = frame.values.get(arg) if isinstance(arg, Var) else None
        if isinstance(value, Block) and _overlap(place, value):
            name = definition.args[min(index, len(definition.args) - 1)].name
            message = f"the result of {call.op.name} lies where its argument {name} lies, which the hardware forbids"
            raise fail(MEMORY, message, call.span)


def _held(frame: Frame, call: Call, definition: OpDef) -> Iterable[int]:
    """The arguments that an operation reads while it writes."""
    if definition.name == "tile.prelu" and frame.machine.hardware.arch == "a5":
        return (0, 1)  # the scratch tile is not used there
    if definition.not_inplace_safe or (definition.name == "tile.cast" and _widens(call)):
        return range(len(call.args))
    return [index for index in definition.forbid_output_alias if index < len(call.args)]


def _widens(call: Call) -> bool:
    source, result = call.args[0].type, call.type
    return (
        isinstance(source, ShapedType)
        and isinstance(result, ShapedType)
        and (result.dtype.get_bit() > source.dtype.get_bit())
    )


def _overlap(left: Block, right: Block) -> bool:
    parts = [block.bytes if isinstance(block, PackedBlock) else block.data for block in (left, right)]
    return bool(np.may_share_memory(parts[0], parts[1]))


def _is(source: Expr | None, name: str) -> bool:
    return isinstance(source, Call) and source.op.name == name


def _is_view(source: Expr | None) -> bool:
    return isinstance(source, Call) and source.op.name in VIEWS


def _moves_nothing(frame: Frame, source: Expr | None) -> bool:
    """A plain copy is only another name, which at this stage means another look at an address."""
    return frame.machine.addressed and isinstance(source, Var)
