# SPDX-License-Identifier: Apache-2.0
"""Single elements of tiles, of global memory and of arrays on the core's stack.

An offset counts elements in the order of memory, from the start of the tile or from the pointer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from pypto_build.ir import DataType
from pypto_simulators.functional.errors import OUT_OF_BOUNDS, WRONG_VALUE, fail
from pypto_simulators.functional.numbers import as_number, convert
from pypto_simulators.functional.semantics.transfer import check_writable
from pypto_simulators.functional.values import Block
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.buffers import Tile
from pypto_simulators.pto_text.module import Operation, Value
from pypto_simulators.pto_text.transfers import semantic_of
from pypto_simulators.pto_text.types import LocalArray


def _number(element: Any, dtype: DataType) -> int | float | bool:
    return as_number(float(element) if dtype.is_float() else element.item(), dtype)


def _of_tile(activation: Activation, operation: Operation) -> None:
    tile = activation.tile(operation.operands[0])
    index = _index(activation, tile, operation.operands[1])
    activation.give(operation, _number(tile.elements[index], tile.kind.dtype))


def _into_tile(activation: Activation, operation: Operation) -> None:
    tile = activation.tile(operation.destinations[0])
    index = _index(activation, tile, operation.operands[0])
    value = activation.value(operation.operands[1])
    tile.elements[index] = convert(np.asarray(value), tile.kind.dtype)


def _index(activation: Activation, tile: Tile, offset: Value) -> int:
    distance = int(activation.value(offset))
    if distance < 0 or tile.first + distance >= len(tile.elements):
        message = f"element {distance} of a tile of {list(tile.kind.shape)} is named"
        raise fail(OUT_OF_BOUNDS, message, activation.span)
    return tile.first + distance


def _of_memory(activation: Activation, operation: Operation) -> None:
    place = activation.place(operation.operands[0])
    (offset,) = activation.numbers(operation, "offsets")
    element = place.elements[place.index(offset, operation.span)]
    activation.give(operation, _number(element, place.dtype))


def _into_memory(activation: Activation, operation: Operation) -> None:
    place = activation.place(operation.destinations[0])
    (offset,) = activation.numbers(operation, "offsets")
    check_writable(semantic_of(activation, operation), Block(place.elements, place.dtype))
    value = activation.value(operation.operands[0])
    place.elements[place.index(offset, operation.span)] = convert(np.asarray(value), place.dtype)


def _moved(activation: Activation, operation: Operation) -> None:
    place, distance = activation.place(operation.operands[0]), activation.value(operation.operands[1])
    activation.give(operation, place.moved(int(distance)))


def _array(activation: Activation, operation: Operation) -> None:
    for result in operation.results:
        kind = result.type
        if not isinstance(kind, LocalArray):
            raise fail(WRONG_VALUE, f"{operation.name} makes no {kind}", operation.span)
        activation.give(operation, [as_number(0, kind.dtype)] * kind.count)


def _of_array(activation: Activation, operation: Operation) -> None:
    array = activation.array(operation.operands[0])
    activation.give(operation, array[_array_index(activation, operation, array)])


def _into_array(activation: Activation, operation: Operation) -> None:
    array = activation.array(operation.destinations[0])
    array[_array_index(activation, operation, array)] = activation.value(operation.operands[0])


def _array_index(activation: Activation, operation: Operation, array: list[Any]) -> int:
    (index,) = activation.numbers(operation, "offsets")
    if not 0 <= index < len(array):
        raise fail(OUT_OF_BOUNDS, f"element {index} of {len(array)} is named", operation.span)
    return index


EXECUTORS: Final[Mapping[str, Executor]] = {
    "pto.tgetval": _of_tile,
    "pto.tsetval": _into_tile,
    "pto.load_scalar": _of_memory,
    "pto.store_scalar": _into_memory,
    "pto.addptr": _moved,
    "pto.declare_local_array": _array,
    "pto.local_array_get": _of_array,
    "pto.local_array_set": _into_array,
    "pto.multi_tile_get": _of_array,
}
