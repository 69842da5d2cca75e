# SPDX-License-Identifier: Apache-2.0
"""Between global memory and tiles: load, store, assemble and single elements. Tensors are written in place.

Only valid elements are moved; what a load leaves out reads as never written, or as the pad value that its tensor has.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_build.ir import PadValue
from pypto_simulators.functional.errors import OUT_OF_BOUNDS, WRONG_VALUE
from pypto_simulators.functional.numbers import Array, as_number, convert, pad_number, unwritten
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import scalar_operand
from pypto_simulators.functional.values import Block, Shape, Value, window


def read_window(op: Operation, source: Block, *, offsets: Shape, extents: Shape, shape: Shape) -> Array:
    """A box of a tensor, of which `extents` elements are read; the rest of the shape is never written."""
    if len(offsets) != len(source.shape):
        raise op.error(f"is given {len(offsets)} offsets for a tensor of shape {list(source.shape)}")
    op.check_window(offsets, extents, source.shape, verb="reads")
    found = source.data[window(offsets, extents)]
    data = unwritten(shape, source.dtype)
    if source.pad is not PadValue.null:
        data[...] = pad_number(source.pad, source.dtype)
    data[tuple(slice(0, extent) for extent in found.shape)] = found
    count = int(np.prod(extents)) * source.dtype.get_bit()
    op.frame.machine.moved["read"] += (count + 7) // 8
    return data


def _loaded(op: Operation) -> Value:
    source, offsets, shape = op.block(0), op.extents(1), op.extents(2)
    asked = op.extents(3) if op.has(3) else shape
    room = tuple(max(0, limit - start) for start, limit in zip(offsets, source.valid, strict=False))
    if op.flag("clamp") or not source.whole:
        asked = tuple(map(min, asked, room)) if len(room) == len(asked) else asked
    data = read_window(op, source, offsets=_leading(offsets, shape), extents=asked, shape=shape)
    stated = op.frame.known_shape_of(op.result_type)
    if stated is not None and stated != shape and np.prod(stated) == np.prod(shape):
        data = data.reshape(stated)  # tiles of more than two dimensions are flattened as they are loaded
    block = op.viewed(data)
    if not block.whole and stated == shape:
        block.valid = tuple(map(min, block.valid, asked))
    return block


def _leading(offsets: Shape, shape: Shape) -> Shape:
    return offsets if len(offsets) == len(shape) else offsets[-len(shape) :]


def aligned(data: Array, rank: int) -> Array:
    """An array with extents of 1 added in front, or taken away there, until it has a rank."""
    while data.ndim > rank and data.shape[0] == 1:
        data = data[0]
    return data.reshape((1,) * (rank - data.ndim) + data.shape) if data.ndim < rank else data


def write_window(op: Operation, target: Block, data: Array, *, offsets: Shape, add: bool) -> None:
    """Write a box into a tensor, or add to it."""
    surplus = len(offsets) - len(target.shape)
    if surplus > 0 and not any(offsets[:surplus]):  # of a box with units in front
        offsets = offsets[surplus:]
    data = aligned(data, len(offsets))
    if data.ndim != len(offsets) or len(offsets) != len(target.shape):
        raise op.error(f"writes {list(data.shape)} at {list(offsets)} of {list(target.shape)}")
    op.check_window(offsets, data.shape, target.shape, verb="writes")
    op.check_window(offsets, data.shape, target.data.shape, verb="writes beyond the tensor that it is a window of:")
    check_writable(op, target)
    place = window(offsets, data.shape)
    new = convert(data, target.dtype)
    if add:
        old = scalar_operand(target.data[place], target.dtype)
        new = convert(old + scalar_operand(new, target.dtype), target.dtype)
    target.data[place] = new
    op.frame.machine.moved["written"] += (data.size * target.dtype.get_bit() + 7) // 8


def check_writable(op: Operation, target: Block) -> None:
    """WRONG_VALUE for a reshaped copy: what is written to it would not reach the tensor."""
    if not target.data.flags.writeable:
        raise op.error("writes through a reshaped window, which is no view of its tensor", code=WRONG_VALUE)


def _stored(op: Operation) -> Value:
    source, offsets, target = op.block(0), op.extents(1), op.block(2)
    add = op.integer("atomic") == 1
    if not op.has(3) or len(op.args[3]) == len(source.shape) == len(offsets):
        write_window(op, target, source.valid_data(), offsets=offsets, add=add)
    else:
        _store_flattened(op, source, target, offsets=offsets, shape=op.extents(3), add=add)
    return rewritten(op, target)


def _store_flattened(op: Operation, source: Block, target: Block, *, offsets: Shape, shape: Shape, add: bool) -> None:
    """A tile in which the axes of a box were flattened; `shape` is the box."""
    count = int(np.prod(shape))
    if count == source.valid_data().size:
        return write_window(op, target, source.valid_data().reshape(shape), offsets=offsets, add=add)
    if count != int(np.prod(source.shape)):
        raise op.error(f"writes {list(source.shape)} as {list(shape)}")
    marks = np.zeros(source.shape, np.bool_)
    marks[tuple(slice(0, extent) for extent in source.valid)] = True
    found = np.argwhere(marks.reshape(shape))
    extents = tuple(int(i) + 1 for i in found.max(axis=0)) if len(found) else (0,) * len(shape)
    if int(np.prod(extents)) != len(found):
        raise op.error(f"writes the valid region {list(source.valid)}, which is no box of {list(shape)}")
    data = source.full().reshape(shape)[tuple(slice(0, extent) for extent in extents)]
    return write_window(op, target, data, offsets=offsets, add=add)


def rewritten(op: Operation, target: Block) -> Block:
    """The tensor after it was written: the same memory, valid as the result's type says."""
    valid = op.frame.valid_of(op.result_type)
    if valid is None or valid == target.valid:
        return target
    made = target.like(target.data)
    made.valid = tuple(map(min, valid, target.shape))
    return made


def _assembled_tensor(op: Operation) -> Value:
    target = op.block(0)
    add = op.integer("atomic") == 1
    write_window(op, target, op.block(1).valid_data(), offsets=op.extents(2), add=add)
    return rewritten(op, target)


def _assembled_tile(op: Operation) -> Value:
    target, source, offsets = op.block(0), op.block(1), op.extents(2)
    data: Any = target.full().copy()
    part = aligned(source.valid_data(), len(offsets))
    if part.ndim != len(offsets) or len(offsets) != data.ndim:
        raise op.error(f"writes {list(part.shape)} at {list(offsets)} of {list(data.shape)}")
    op.check_window(offsets, part.shape, target.shape, verb="writes")
    data[window(offsets, part.shape)] = convert(part, target.dtype)
    return op.made(data)


def element_index(op: Operation, block: Block) -> Shape:
    """The place that a tuple of indices names."""
    indices = op.extents(1)
    if len(indices) != len(block.shape):
        raise op.error(f"is given {len(indices)} indices for {list(block.shape)}")
    for axis, (index, limit) in enumerate(zip(indices, block.data.shape, strict=True)):
        if not 0 <= index < limit:
            raise op.error(f"is given index {index} for dimension {axis} of {limit}", code=OUT_OF_BOUNDS)
    return indices


def _element(op: Operation) -> Value:
    block = op.block(0)
    value = block.data[element_index(op, block)]
    return as_number(value.item() if isinstance(value.item(), int) else float(value), block.dtype)


def _with_element(op: Operation) -> Value:
    block = op.block(0)
    data: Any = block.full().copy()
    data[element_index(op, block)] = convert(np.asarray(op.number(2)), block.dtype)
    return op.made(data)


def _element_stored(op: Operation) -> Value:
    target = op.block(0)
    check_writable(op, target)
    target.data[element_index(op, target)] = convert(np.asarray(op.number(2)), target.dtype)
    return target


TABLE: Final[dict[str, Semantics]] = {
    "tile.load": _loaded,
    "tile.store": _stored,
    "tile.assemble": _assembled_tile,
    "tile.read": _element,
    "tile.write": _with_element,
    "tensor.assemble": _assembled_tensor,
    "tensor.read": _element,
    "tensor.write": _element_stored,
}
