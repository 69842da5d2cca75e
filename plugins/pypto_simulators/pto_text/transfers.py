# SPDX-License-Identifier: Apache-2.0
"""Views of global memory, and what is loaded from them into tiles and stored from tiles into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_build.ir import Call, Op
from pypto_simulators.functional.errors import OUT_OF_BOUNDS, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.operation import Operation as Semantic
from pypto_simulators.functional.semantics.transfer import read_window, write_window
from pypto_simulators.functional.values import Block, Shape, region, window
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.buffers import Tile
from pypto_simulators.pto_text.module import Operation
from pypto_simulators.pto_text.types import TensorView


def semantic_of(activation: Activation, operation: Operation) -> Semantic:
    """An operation as the semantics of loads and stores see it, counted under its name."""
    activation.frame.machine.operations[operation.name] += 1
    return Semantic(activation.frame, Call(Op(operation.name), (), span=operation.span), [])


def _view(activation: Activation, operation: Operation) -> None:
    place = activation.place(operation.operands[0])
    shape, strides = activation.numbers(operation, "shape"), activation.numbers(operation, "strides")
    for result in operation.results:
        kind = result.type
        if not isinstance(kind, TensorView) or not len(shape) == len(strides) == len(kind.extents):
            raise fail(WRONG_SHAPE, f"{len(shape)} extents and {len(strides)} strides make no {kind}", operation.span)
        if kind.dtype is not place.dtype:
            raise fail(WRONG_VALUE, f"a pointer to {place.dtype} is seen as {kind}", operation.span)
        activation.give(operation, Block(place.view(shape, strides, operation.span), kind.dtype))


def _part(activation: Activation, operation: Operation) -> None:
    view = activation.view(operation.operands[0])
    offsets, sizes = activation.numbers(operation, "offsets"), activation.numbers(operation, "sizes")
    if not len(offsets) == len(sizes) == len(view.shape):
        counts = f"{len(offsets)} offsets and {len(sizes)} sizes"
        raise fail(WRONG_SHAPE, f"{counts} are given for {list(view.shape)}", operation.span)
    for result in operation.results:
        _check_stated(result.type, sizes, operation)
    for axis, (start, size, limit) in enumerate(zip(offsets, sizes, view.shape, strict=True)):
        if all(sizes) and (start < 0 or start + size > limit):
            message = f"elements {start} to {start + size} of dimension {axis} are named, which has {limit}"
            raise fail(OUT_OF_BOUNDS, message, operation.span)
    activation.give(operation, Block(view.data[window(offsets, sizes)], view.dtype))


def _check_stated(kind: object, sizes: Shape, operation: Operation) -> None:
    """Extents that the type of a part states are those that it has."""
    stated = kind.extents if isinstance(kind, TensorView) else ()
    if len(stated) != len(sizes) or any(a not in (None, b) for a, b in zip(stated, sizes, strict=True)):
        raise fail(WRONG_SHAPE, f"a part of extents {list(sizes)} is no {kind}", operation.span)


def _loaded(activation: Activation, operation: Operation) -> None:
    source, target = activation.view(operation.operands[0]), activation.tile(operation.destinations[0])
    if source.dtype is not target.kind.dtype:
        raise fail(WRONG_VALUE, f"{source.dtype} is loaded into a tile of {target.kind.dtype}", operation.span)
    semantic, origin = semantic_of(activation, operation), (0,) * len(source.shape)
    data = read_window(semantic, source, offsets=origin, extents=source.shape, shape=source.shape)
    target.elements[target.places[region(target.valid)]] = _fitted(data, target, operation)


def _fitted(data: Array, target: Tile, operation: Operation) -> Array:
    """A part of a tensor as rows and columns, which are the valid ones of a tile."""
    flat = data.reshape(-1, data.shape[-1])
    if flat.shape != target.valid:
        message = f"{list(data.shape)} elements are loaded where {list(target.valid)} are valid"
        raise fail(WRONG_SHAPE, message, operation.span)
    return flat


def _stored(activation: Activation, operation: Operation) -> None:
    source, target = activation.tile(operation.operands[0]), activation.view(operation.destinations[0])
    data = source.block().valid_data()
    if data.size != target.data.size or data.shape[-1] != target.shape[-1]:
        message = f"the valid part {list(source.valid)} of a tile is stored as {list(target.shape)}"
        raise fail(WRONG_SHAPE, message, operation.span)
    add = operation.attributes.get("atomicType") == "atomic_add"
    semantic, origin = semantic_of(activation, operation), (0,) * len(target.shape)
    write_window(semantic, target, data.reshape(target.shape), offsets=origin, add=add)


EXECUTORS: Final[Mapping[str, Executor]] = {
    "pto.make_tensor_view": _view,
    "pto.partition_view": _part,
    "pto.tload": _loaded,
    "pto.tstore": _stored,
}
