# SPDX-License-Identifier: Apache-2.0
"""What values of a kernel are at run time: tiles in on-chip memory, places and views in global memory.

A tile is bytes at an address. Two tiles at one address are the same bytes, whatever their types say.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from pypto_build.errors import Span
from pypto_build.ir import DataType, MemorySpace, PadValue, TileType, TileView, dims
from pypto_simulators.functional.errors import MEMORY, NO_NUMBERS, OUT_OF_BOUNDS, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.functional.memory import OnChipMemory
from pypto_simulators.functional.numbers import POISON_BYTE, Array, numpy_type
from pypto_simulators.functional.values import Block, Shape, region, window
from pypto_simulators.pto_text.layouts import places
from pypto_simulators.pto_text.types import TileBuffer

SPACES = {
    "gm": MemorySpace.DDR,
    "vec": MemorySpace.Vec,
    "mat": MemorySpace.Mat,
    "left": MemorySpace.Left,
    "right": MemorySpace.Right,
    "acc": MemorySpace.Acc,
    "bias": MemorySpace.Bias,
    "scaling": MemorySpace.LeftScale,
}


class Tile:
    """A tile: its elements in the order of memory, the position of each, and the part that holds data.

    kind: the type that it was defined with. valid: rows and columns; an operation may change them.
    """

    __slots__ = ("elements", "kind", "places", "valid")

    def __init__(self, elements: Array, kind: TileBuffer, *, places: Array, valid: tuple[int, int]) -> None:
        self.elements = elements
        self.kind = kind
        self.places = places
        self.valid = valid

    def block(self) -> Block:
        """The elements as they are now."""
        return Block(self.elements[self.places], self.kind.dtype, valid=self.valid, pad=PadValue(self.kind.pad))

    def write(self, block: Block) -> None:
        """Put the elements of the valid part into memory."""
        self.elements[self.places[region(self.valid)]] = block.full()[region(self.valid)]

    def window(self, kind: TileBuffer, offsets: tuple[int, int], *, valid: tuple[int, int], span: Span) -> Tile:
        """A part of the tile: the same memory."""
        for start, extent, limit in zip(offsets, kind.shape, self.kind.shape, strict=True):
            if start < 0 or start + extent > limit:
                message = f"a window of {list(kind.shape)} at {list(offsets)} reaches beyond {list(self.kind.shape)}"
                raise fail(OUT_OF_BOUNDS, message, span)
        if kind.dtype is not self.kind.dtype:
            raise fail(WRONG_VALUE, "a window has the elements of its tile", span)
        return Tile(self.elements, kind, places=self.places[window(offsets, kind.shape)], valid=valid)

    def reshaped(self, kind: TileBuffer, *, valid: tuple[int, int], span: Span) -> Tile:
        """The same bytes as a tile of another type."""
        first, count = int(self.places.min()), self.places.size
        if int(self.places.max()) - first + 1 != count:
            raise fail(MEMORY, "a window that is not contiguous in memory cannot have another shape", span)
        return _at(self.elements[first : first + count].view(np.uint8), kind, valid=valid, span=span)

    @property
    def first(self) -> int:
        """The position of the first element."""
        return int(self.places[0, 0])


def tile_at(memory: OnChipMemory, address: int, kind: TileBuffer, *, valid: tuple[int, int], span: Span) -> Tile:
    """The tile at an address of its memory space, in bytes."""
    size = _bytes(kind, span)
    allocation = memory.allocate(SPACES[kind.loc], size, span)
    found = memory.place(allocation, address, shape=(size,), dtype=DataType.UINT8, span=span)
    return _at(found.data, kind, valid=valid, span=span)


def tile_of_its_own(kind: TileBuffer, *, valid: tuple[int, int], span: Span) -> Tile:
    """A tile without an address: the assembler would find a place where it lies alone."""
    return _at(np.full(_bytes(kind, span), POISON_BYTE, np.uint8), kind, valid=valid, span=span)


def _bytes(kind: TileBuffer, span: Span) -> int:
    """The bytes that a tile takes, those behind the last row of boxes included."""
    if kind.dtype.get_bit() == 4:
        raise fail(NO_NUMBERS, "tiles of 4-bit elements cannot be simulated from text", span)
    return (int(places(kind).max(initial=-1)) + 1) * numpy_type(kind.dtype).itemsize


def _at(memory: Array, kind: TileBuffer, *, valid: tuple[int, int], span: Span) -> Tile:
    size = _bytes(kind, span)
    if size > len(memory):
        raise fail(MEMORY, f"{kind} has {size} bytes, but is to lie in {len(memory)}", span)
    if any(not 0 <= extent <= limit for extent, limit in zip(valid, kind.shape, strict=True)):
        raise fail(WRONG_SHAPE, f"{list(valid)} of {list(kind.shape)} are said to be valid", span)
    return Tile(memory[:size].view(numpy_type(kind.dtype)), kind, places=places(kind), valid=valid)


@cache
def type_of(kind: TileBuffer, valid: tuple[int, int]) -> TileType:
    """The type of a result that is written to a tile, as the semantics of operations know it."""
    view = TileView(valid_shape=dims(valid), pad=PadValue(kind.pad))
    return TileType(dims(kind.shape), kind.dtype, None, view, SPACES[kind.loc])


class Place:
    """A place in global memory: the elements of the memory that it belongs to, and how far from its start it is."""

    __slots__ = ("dtype", "elements", "offset")

    def __init__(self, elements: Array, dtype: DataType, offset: int) -> None:
        self.elements = elements
        self.dtype = dtype
        self.offset = offset

    def moved(self, distance: int) -> Place:
        """The place that is some elements further."""
        return Place(self.elements, self.dtype, self.offset + distance)

    def index(self, offset: int, span: Span) -> int:
        """The index of an element at a distance.

        Raises:
            UserError: it lies outside of the memory.
        """
        found = self.offset + offset
        if not 0 <= found < len(self.elements):
            raise fail(OUT_OF_BOUNDS, f"element {offset} lies outside of its tensor", span)
        return found

    def view(self, shape: Shape, strides: Shape, span: Span) -> Array:
        """The elements as a tensor; strides count elements."""
        if any(extent < 0 for extent in shape) or any(stride < 0 for stride in strides):
            raise fail(WRONG_SHAPE, f"a tensor cannot have extents {list(shape)} and strides {list(strides)}", span)
        reach = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
        if all(shape):
            self.index(reach, span)
        size = self.elements.itemsize
        made: Any = np.lib.stride_tricks.as_strided(
            self.elements[self.offset :], shape, tuple(stride * size for stride in strides)
        )
        return made


def place_of(block: Block) -> Place:
    """Where the elements of a tensor begin in the memory that it is a part of."""
    root = block.data
    while isinstance(root.base, np.ndarray):
        root = root.base
    memory: Any = root.ravel(order="K").view(np.uint8)
    start = block.data.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    size = block.data.itemsize
    memory = memory[start % size :]
    elements = memory[: len(memory) // size * size].view(block.data.dtype)
    elements.flags.writeable = block.data.flags.writeable
    return Place(elements, block.dtype, start // size)
