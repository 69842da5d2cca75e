# SPDX-License-Identifier: Apache-2.0
"""The memory of a run: buffers that are never given back, and tensors as parts of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from pypto_simulators.functional.numbers import POISON_BYTE, Array, numpy_type

from pypto_build.ir import DataType
from tests.taskruntime.interface import DTYPES, NO_TASK, ChipTensor


@dataclass(frozen=True, slots=True)
class Tensor:
    """Elements of a buffer; offset and strides count elements. `owner` is the task that created the buffer, or 0."""

    buffer: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DataType
    manual_dep: bool = False
    owner: int = 0

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return numpy_type(self.dtype).itemsize

    def places(self) -> Array:
        """The bytes of all elements in order, counted from the begin of the buffer, each once."""
        return _places(self.offset, self.shape, self.strides, self.itemsize)

    def meets(self, other: Tensor) -> bool:
        """Whether a byte is in both."""
        return self.buffer == other.buffer and np.isin(self.places(), other.places()).any()

    def covers(self, other: Tensor) -> bool:
        """Whether all bytes of the other are in this one."""
        return self.buffer == other.buffer and np.isin(other.places(), self.places()).all()


@cache
def _places(offset: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> Array:
    first = np.array([offset])
    for extent, stride in zip(shape, strides, strict=True):
        first = (first[:, None] + np.arange(extent) * stride).reshape(-1)
    found = np.unique((first[:, None] * size + np.arange(size)).reshape(-1))
    found.flags.writeable = False
    return found


class Memory:
    """Buffers by number, found by address."""

    def __init__(self) -> None:
        self.buffers: list[Array] = []
        self._addresses: list[tuple[int, int]] = []

    def allocate(self, size: int) -> int:
        """The address of new memory, which holds nothing of meaning."""
        return self.keep(np.full(max(size, 1), POISON_BYTE, np.uint8))

    def keep(self, data: Array) -> int:
        """The address of an array's own memory, which must be contiguous."""
        self.buffers.append(data.reshape(-1).view(np.uint8))
        address = int(self.buffers[-1].__array_interface__["data"][0])
        self._addresses.append((address, len(self.buffers) - 1))
        self._addresses.sort()
        return address

    def tensor(self, described: ChipTensor) -> Tensor:
        """What a description means."""
        buffer, rank = (
            self._addresses[bisect_right(self._addresses, (described.address, 2**62)) - 1][1],
            described.ndims,
        )
        shape, strides = tuple(described.shapes[:rank]), tuple(described.strides[:rank])
        owner = 0 if described.owner_task_id == NO_TASK else int(described.owner_task_id)
        dtype = DTYPES[described.dtype]
        return Tensor(buffer, int(described.start_offset), shape, strides, dtype, described.manual_dep, owner)

    def array(self, tensor: Tensor) -> Any:
        """The elements of a tensor, in place."""
        size = tensor.itemsize
        strides = [stride * size for stride in tensor.strides]
        memory = self.buffers[tensor.buffer]
        return np.ndarray(tensor.shape, numpy_type(tensor.dtype), memory, tensor.offset * size, strides)


def described(array: Array, address: int, dtype: DataType) -> ChipTensor:
    """The description of an array that comes from outside."""
    strides = [stride // array.itemsize for stride in array.strides]
    made = ChipTensor(address, NO_TASK, 0, array.ndim, DTYPES.index(dtype), False, True)
    made.shapes[: array.ndim], made.strides[: array.ndim] = array.shape, strides
    return made
