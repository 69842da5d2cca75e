# SPDX-License-Identifier: Apache-2.0
"""Tiles at their addresses, and other looks at the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pypto_simulators.functional.errors import OUT_OF_BOUNDS, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.buffers import tile_at, tile_of_its_own
from pypto_simulators.pto_text.module import Operation, Value
from pypto_simulators.pto_text.types import MultiTileBuffer, TileBuffer


def tile_type(activation: Activation, value: Value) -> TileBuffer:
    """The type of a value that is a tile."""
    kind = value.type
    if not isinstance(kind, TileBuffer):
        raise fail(WRONG_VALUE, f"{value.name} is no tile, but {kind}", activation.span)
    return kind


def known_valid(kind: TileBuffer, given: Sequence[int | None], operation: Operation) -> tuple[int, int]:
    """The valid part of a result: what its type says, and where that says `?` what the operation is given."""
    rows, columns = (stated if stated is not None else own for stated, own in zip(kind.valid, given, strict=True))
    if rows is None or columns is None:
        message = f"nothing says which part of the result of {operation.name} is valid"
        raise fail(WRONG_SHAPE, message, operation.span)
    return rows, columns


def _operands_of_valid(activation: Activation, operation: Operation) -> list[int | None]:
    found = (activation.numbers(operation, name) for name in ("valid_row", "valid_col"))
    return [numbers[0] if numbers else None for numbers in found]


def _allocated(activation: Activation, operation: Operation) -> None:
    """A tile at the address that is given; the assembler finds a place of its own for one without."""
    for result in operation.results:
        kind = tile_type(activation, result)
        valid = known_valid(kind, _operands_of_valid(activation, operation), operation)
        address = activation.numbers(operation, "addr")
        if address:
            made = tile_at(activation.memory, address[0], kind, valid=valid, span=operation.span)
        else:
            made = tile_of_its_own(kind, valid=valid, span=operation.span)
        activation.give(operation, made)


def _several(activation: Activation, operation: Operation) -> None:
    for result in operation.results:
        kind = result.type
        if not isinstance(kind, MultiTileBuffer):
            raise fail(WRONG_VALUE, f"{operation.name} makes no {kind}", operation.span)
        valid = known_valid(kind.tile, _operands_of_valid(activation, operation), operation)
        made = [tile_of_its_own(kind.tile, valid=valid, span=operation.span) for _ in range(kind.count)]
        activation.give(operation, made)


def _window(activation: Activation, operation: Operation) -> None:
    for result in operation.results:
        kind = tile_type(activation, result)
        offsets = activation.numbers(operation, "offsets")
        if len(offsets) != 2:
            raise fail(WRONG_SHAPE, f"{len(offsets)} offsets are given for rows and columns", operation.span)
        valid = known_valid(kind, activation.numbers(operation, "valid") or (None, None), operation)
        source = activation.tile(operation.operands[0])
        activation.give(operation, source.window(kind, (offsets[0], offsets[1]), valid=valid, span=operation.span))


def _reshaped(activation: Activation, operation: Operation) -> None:
    for result in operation.results:
        kind = tile_type(activation, result)
        valid = known_valid(kind, (None, None), operation)
        source = activation.tile(operation.operands[0])
        activation.give(operation, source.reshaped(kind, valid=valid, span=operation.span))


def _with_valid_shape(activation: Activation, operation: Operation) -> None:
    tile = activation.tile(operation.destinations[0])
    rows, columns = (int(value) for value in activation.values(operation.operands))
    if not (0 <= rows <= tile.kind.shape[0] and 0 <= columns <= tile.kind.shape[1]):
        message = f"{[rows, columns]} of {list(tile.kind.shape)} are said to be valid"
        raise fail(OUT_OF_BOUNDS, message, operation.span)
    tile.valid = (rows, columns)


def _bound(_: Activation, _operation: Operation) -> None:
    """The scales of a factor are read where their own tile lies, so nothing has to be bound."""


EXECUTORS: Final[Mapping[str, Executor]] = {
    "pto.alloc_tile": _allocated,
    "pto.alloc_multi_tile": _several,
    "pto.subview": _window,
    "pto.treshape": _reshaped,
    "pto.set_validshape": _with_valid_shape,
    "pto.tget_scale_addr": _bound,
}
