# SPDX-License-Identifier: Apache-2.0
"""What variables hold: tensors and tiles as arrays with a valid region, task ids, allocations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np

from pypto_build.ir import DataType, MemorySpace, PadValue
from pypto_simulators.functional.numbers import Array, numpy_type, poison, unwritten

Shape = tuple[int, ...]
Value = Any  # Block, int, float, bool, TaskId, Allocation, None, or a tuple or list of these


class Block:
    """A tensor or a tile.

    data: the elements that exist, from the origin on; a window that reaches beyond its tensor has fewer than `shape`.
        A NumPy view where the value is a view, so writing to one writes to the other.
    valid: the region from the origin that holds data with a meaning.
    """

    __slots__ = ("data", "dtype", "pad", "shape", "valid")

    def __init__(
        self,
        data: Array,
        dtype: DataType,
        *,
        valid: Shape | None = None,
        shape: Shape | None = None,
        pad: PadValue = PadValue.null,
    ) -> None:
        self.data = data
        self.dtype = dtype
        self.shape: Shape = data.shape if shape is None else shape
        self.valid: Shape = self.shape if valid is None else valid
        self.pad = pad

    @property
    def whole(self) -> bool:
        """Whether everything is valid."""
        return self.valid == self.shape

    def full(self) -> Array:
        """All elements of the shape; what does not exist reads as never written."""
        if self.data.shape == self.shape:
            return self.data
        made = unwritten(self.shape, self.dtype)
        made[region(self.data.shape)] = self.data
        return made

    def known(self) -> Array:
        """All elements of the shape; what is not valid reads as never written, whatever lies there."""
        return self.full() if self.whole else masked(self.full(), self.valid, self.dtype)

    def valid_data(self) -> Array:
        """The elements of the valid region, as a view where they all exist."""
        if self.valid == self.data.shape:
            return self.data
        if all(a <= b for a, b in zip(self.valid, self.data.shape, strict=True)):
            return self.data[region(self.valid)]
        return self.full()[region(self.valid)]

    def like(self, data: Array) -> Block:
        """Other elements under the same description."""
        return Block(data, self.dtype, valid=self.valid, shape=self.shape, pad=self.pad)

    def snapshot(self) -> Block:
        """The same elements in memory of their own."""
        return self.like(self.data.copy())

    @property
    def nbytes(self) -> int:
        """Bytes of the valid region in memory."""
        return (int(np.prod(self.valid)) * self.dtype.get_bit() + 7) // 8


class PackedBlock(Block):
    """A tile of 4-bit elements that lies in memory, two to a byte, the first in the low half."""

    __slots__ = ("bytes",)

    def __init__(self, memory: Array, dtype: DataType, *, shape: Shape, valid: Shape, pad: PadValue) -> None:
        self.bytes = memory
        self.dtype = dtype
        self.shape = shape
        self.valid = valid
        self.pad = pad

    @property
    def data(self) -> Array:
        """The elements as they are in memory now."""
        count = int(np.prod(self.shape))
        nibbles = np.empty(2 * len(self.bytes), np.uint8)
        nibbles[0::2], nibbles[1::2] = self.bytes & 0xF, self.bytes >> 4
        return from_nibbles(nibbles[:count], self.dtype).reshape(self.shape)

    def write(self, data: Array) -> None:
        """Put elements into memory."""
        nibbles = np.zeros(2 * len(self.bytes), np.uint8)
        nibbles[: data.size] = to_nibbles(data)
        self.bytes[:] = nibbles[0::2] | (nibbles[1::2] << 4)


def from_nibbles(nibbles: Array, dtype: DataType) -> Array:
    """Elements of a 4-bit type from their bits."""
    if dtype is DataType.FP4:
        return nibbles.view(ml_dtypes.float4_e2m1fn)
    signed = np.where(nibbles > 7, nibbles.astype(np.int8) - 16, nibbles.astype(np.int8))
    return (signed if dtype is DataType.INT4 else nibbles).astype(numpy_type(dtype))


def to_nibbles(data: Array) -> Array:
    """The bits of elements of a 4-bit type."""
    flat = np.ascontiguousarray(data).reshape(-1)
    return flat.view(np.uint8) & 0xF


def region(extents: Shape) -> tuple[slice, ...]:
    """The index of a box at the origin."""
    return tuple(slice(0, extent) for extent in extents)


def window(offsets: Shape, extents: Shape) -> tuple[slice, ...]:
    """The index of a box."""
    return tuple(slice(start, start + extent) for start, extent in zip(offsets, extents, strict=True))


def masked(data: Array, valid: Shape, dtype: DataType) -> Array:
    """The elements, with what lies outside of a region as never written; always in memory of its own."""
    made = np.full(data.shape, poison(dtype), data.dtype)
    made[region(valid)] = data[region(valid)]
    return made


@dataclass(frozen=True, slots=True)
class TaskId:
    """The handle of a task; number 0 names none."""

    number: int


NO_TASK = TaskId(0)


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Memory of a space: the bytes that offsets count in, its own or those of the whole space."""

    space: MemorySpace
    size: int
    memory: Array


def results_of(value: Value) -> tuple[Value, ...]:
    """What a function returned, as a tuple."""
    if isinstance(value, tuple):
        return cast("tuple[Value, ...]", value)
    return () if value is None else (value,)
