# SPDX-License-Identifier: Apache-2.0
"""The on-chip memory of a core as bytes, so that two tiles at one place clobber each other as they do on the chip.

Before addresses are assigned each allocation has bytes of its own and offsets count from its start; afterwards each
space is one array of bytes and offsets are addresses. Never-written bytes read as NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pypto_build.errors import Span
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    MemorySpace,
    MemRef,
    PadValue,
    Program,
    TileType,
    Var,
    as_int,
    collect,
)
from pypto_build.passes import HardwareDescription
from pypto_simulators.functional.errors import MEMORY, fail
from pypto_simulators.functional.numbers import POISON_BYTE, Array, numpy_type
from pypto_simulators.functional.values import Allocation, Block, PackedBlock, Shape

_UNBOUNDED = 1 << 20  # bytes of a space whose size the hardware description does not say


class OnChipMemory:
    """The memories of one core while it runs one kernel; `peaks` collects the most bytes in use per space."""

    def __init__(self, hardware: HardwareDescription, *, addressed: bool, peaks: dict[MemorySpace, int]) -> None:
        self._hardware = hardware
        self._addressed = addressed
        self._peaks = peaks
        self._spaces: dict[MemorySpace, Array] = {}
        self._used: dict[MemorySpace, int] = {}

    def allocate(self, space: MemorySpace, size: int, span: Span) -> Allocation:
        """Memory of a space, in bytes."""
        if self._addressed:
            return Allocation(space, size, self._space(space))
        self._count(space, self._used.get(space, 0) + size)
        if size < 0:
            raise fail(MEMORY, f"an allocation cannot have {size} bytes", span)
        return Allocation(space, size, np.full(size, POISON_BYTE, np.uint8))

    def _space(self, space: MemorySpace) -> Array:
        found = self._spaces.get(space)
        if found is None:
            found = np.full(self._hardware.capacity(space) or _UNBOUNDED, POISON_BYTE, np.uint8)
            self._spaces[space] = found
        return found

    def _count(self, space: MemorySpace, used: int) -> None:
        self._used[space] = max(used, self._used.get(space, 0))
        self._peaks[space] = max(used, self._peaks.get(space, 0))

    def place(self, allocation: Allocation, offset: int, *, shape: Shape, dtype: DataType, span: Span) -> Block:
        """The tile of a shape that lies at an offset, row by row."""
        bits = int(np.prod(shape)) * dtype.get_bit()
        size = (bits + 7) // 8
        memory = allocation.memory
        if offset < 0 or offset + size > len(memory):
            what = f"bytes {offset} to {offset + size} of {allocation.space.name} memory"
            raise fail(MEMORY, f"a tile lies at {what}, which has {len(memory)}", span)
        if self._addressed:
            self._count(allocation.space, offset + size)
        found = memory[offset : offset + size]
        if dtype.get_bit() == 4:
            return PackedBlock(found, dtype, shape=shape, valid=shape, pad=PadValue.null)
        return Block(found.view(numpy_type(dtype)).reshape(shape), dtype)


def same_place(left: Array, right: Array) -> bool:
    """Whether two arrays are the same view of the same memory."""
    return (
        left.shape == right.shape
        and left.dtype == right.dtype
        and left.strides == right.strides
        and left.__array_interface__["data"][0] == right.__array_interface__["data"][0]
    )


def has_addresses(program: Program) -> bool:
    """Whether addresses are assigned: some tile reaches beyond the end of its own allocation.

    An allocation keeps its size and says no address, so a tile at offset 16384 of an allocation of 16384 bytes is how
    the IR shows that offsets count from the start of the memory space.
    """
    sizes = dict(_allocation_sizes(program))
    return any(
        memref.base in sizes and (as_int(memref.byte_offset) or 0) + memref.size > sizes[memref.base]
        for memref in _memrefs(program)
    )


def _allocation_sizes(program: Program) -> Iterator[tuple[Var, int]]:
    for function in program.functions.values():
        for stmt in collect(function, AssignStmt):
            value: Any = stmt.value
            if isinstance(value, Call) and value.op.name == "tile.alloc" and isinstance(value.args[1], ConstInt):
                yield stmt.var, value.args[1].value


def _memrefs(program: Program) -> Iterator[MemRef]:
    for function in program.functions.values():
        for stmt in collect(function, AssignStmt):
            kind = stmt.var.type
            if isinstance(kind, TileType) and kind.memref is not None:
                yield kind.memref


def memory_report(peaks: Mapping[MemorySpace, int]) -> dict[str, int]:
    """The most bytes in use per space, by name."""
    return {space.name: peaks[space] for space in sorted(peaks, key=lambda s: s.name)}
