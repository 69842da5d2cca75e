# SPDX-License-Identifier: Apache-2.0
"""Other looks at the same elements: windows, shapes, transposition, valid regions, other types; and copies."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_build.ir import DataType, TensorLayout, TensorType, TileLayout, TileType
from pypto_simulators.functional.errors import NO_NUMBERS
from pypto_simulators.functional.numbers import Array, numpy_type
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import tensors, tiles, twins
from pypto_simulators.functional.semantics.transfer import aligned
from pypto_simulators.functional.values import Block, Shape, Value, window


def _sliced(op: Operation) -> Value:
    """A window: a view, cut where its source ends."""
    source, shape, offsets = op.block(0), op.extents(1), op.extents(2)
    lead = (1,) * (len(offsets) - len(shape))
    extents = (*lead, *shape)
    if len(offsets) != len(source.shape):
        raise op.error(f"is given {len(offsets)} offsets for {list(source.shape)}")
    if any(start < 0 for start in offsets):
        raise op.error(f"reads at {list(offsets)}")
    asked = (*lead, *op.extents(3)) if op.has(3) and op.args[3] else extents
    if not op.flag("clamp"):
        op.check_window(offsets, asked, source.shape, verb="reads")
    data = aligned(source.data[window(offsets, extents)], len(shape))
    return _described(op, data, shape, source=source)


def _described(op: Operation, data: Array, shape: Shape, *, source: Block) -> Block:
    """The window as the result's type describes it: unit axes dropped, valid where it says."""
    if op.has(4) and op.args[4]:
        dropped = op.extents(4)
        data = np.squeeze(data, dropped)
        shape = tuple(extent for axis, extent in enumerate(shape) if axis not in dropped)
    kind = op.result_type
    stated = op.frame.known_shape_of(kind)
    if stated is not None and len(stated) > len(shape):  # tiles keep two axes
        lead = (1,) * (len(stated) - len(shape))
        data, shape = data.reshape(lead + data.shape), (*lead, *shape)
    if stated is not None and stated != shape:
        raise op.error(f"yields {list(shape)} where its type says {list(stated)}")
    view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view
    valid = op.frame.valid_of(kind) or (data.shape if source.whole else tuple(map(min, shape, data.shape)))
    valid = tuple(map(min, valid, shape))
    return Block(data, source.dtype, valid=valid, shape=shape, pad=source.pad if view is None else view.pad)


def _reshaped(op: Operation) -> Value:
    source = op.block(0)
    shape = op.extents(1)
    data = source.full()
    if int(np.prod(shape)) != data.size:
        raise op.error(f"makes {list(shape)} of {list(data.shape)}")
    return op.viewed(_same_memory(data, data.reshape(shape)))


def _same_memory(source: Array, made: Array) -> Array:
    """What could not be had as a view is a copy that must not be written to: nobody would see it."""
    if not np.may_share_memory(source, made):
        made.flags.writeable = False
    return made


def _viewed(op: Operation) -> Value:
    """Another layout tag over the same memory swaps the last two axes; another shape reshapes."""
    source = op.block(0)
    if op.has(1):
        return _reshaped(op)
    layout = op.kwargs.get("layout")
    own = _layout_of(op.call.args[0].type)
    data = source.full()
    swapped = layout is not None and layout is not own
    return op.viewed(np.swapaxes(data, -1, -2) if swapped else data)


def _layout_of(kind: object) -> TensorLayout:
    view = kind.tensor_view if isinstance(kind, TensorType) else None
    return TensorLayout.ND if view is None else view.layout


def _reinterpreted(op: Operation) -> Value:
    """The same bytes as elements of another type, along the axis that is contiguous in memory."""
    data, dtype = op.block(0).full(), op.result_type.dtype
    if dtype.get_bit() < 8 or op.block(0).dtype.get_bit() < 8:
        raise op.error("is not simulated for 4-bit elements", code=NO_NUMBERS)
    columns = _by_columns(op.call.args[0].type) and data.ndim > 1
    source = np.swapaxes(data, -1, -2) if columns else data
    made = _retyped(source, dtype)
    made = np.swapaxes(made, -1, -2) if columns else made
    shape = op.frame.known_shape_of(op.result_type)
    if shape is not None and shape != made.shape:
        made = made.reshape(shape)
    return op.viewed(_same_memory(data, made))


def _by_columns(kind: object) -> bool:
    if isinstance(kind, TileType):
        return kind.effective_tile_view().blayout is TileLayout.col_major
    return _layout_of(kind) is TensorLayout.DN


def _retyped(data: Array, dtype: DataType) -> Array:
    target = numpy_type(dtype)
    if not data.flags.c_contiguous:
        data = np.ascontiguousarray(data)
    return data.view(target)


def _with_valid_shape(op: Operation) -> Value:
    source = op.block(0)
    made = source.like(source.data)
    made.valid = (int(op.number(1)), int(op.number(2)))
    if any(extent < 0 or extent > limit for extent, limit in zip(made.valid, source.shape, strict=True)):
        raise op.error(f"says that {list(made.valid)} of {list(source.shape)} are valid")
    return made


def _transposed_tile(op: Operation) -> Value:
    data = np.swapaxes(op.block(0).full(), int(op.number(1)), int(op.number(2)))
    return op.made(data.copy())


def _transposed_tensor(op: Operation) -> Value:
    """A view: only the strides are swapped."""
    first, second = int(op.number(1)), int(op.number(2))
    source = op.block(0)
    order = list(range(len(source.shape)))
    order[first], order[second] = order[second], order[first]
    stated = op.frame.valid_of(op.result_type)
    valid = tuple(source.valid[i] for i in order) if stated is None else stated
    shape = tuple(source.shape[i] for i in order)
    return Block(np.transpose(source.data, order), source.dtype, valid=valid, shape=shape, pad=source.pad)


def _transposed_view(op: Operation) -> Value:
    return op.viewed(np.swapaxes(op.block(0).full(), -1, -2))


def _copied(op: Operation) -> Value:
    return op.made(op.block(0).full().copy())


def _extracted(op: Operation) -> Value:
    source, shape = op.block(0), op.extents(3)
    offsets = (int(op.number(1)), int(op.number(2)))
    op.check_window(offsets, shape, source.shape, verb="reads")
    return op.made(source.full()[window(offsets, shape)].copy())


def _side_by_side(op: Operation) -> Value:
    """The second follows the valid part of the first; the result has room for both."""
    left, right = op.block(0), op.block(1)
    if left.whole and right.whole:
        return op.made(np.concatenate((left.data, right.data), axis=1))
    made: Any = np.zeros((left.shape[0], left.shape[1] + right.shape[1]), left.data.dtype)
    first, second = left.valid_data(), right.valid_data()
    made[: first.shape[0], : first.shape[1]] = first
    made[: second.shape[0], first.shape[1] : first.shape[1] + second.shape[1]] = second
    return op.made(made)


def _extent(op: Operation) -> Value:
    return op.block(0).shape[int(op.number(1))]


TABLE: Final[dict[str, Semantics]] = {
    **twins({"slice": _sliced, "reshape": _reshaped, "reinterpret_view": _reinterpreted}),
    **twins({"set_validshape": _with_valid_shape, "concat": _side_by_side}),
    **tensors({"view": _viewed, "transpose": _transposed_tensor, "dim": _extent}),
    **tiles({"transpose": _transposed_tile, "transpose_view": _transposed_view}),
    **tiles({"move": _copied, "extract": _extracted}),
}
