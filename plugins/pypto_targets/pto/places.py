# SPDX-License-Identifier: Apache-2.0
"""Where tiles lie, as far as it is known: whether two share an address, and whether their bytes meet."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.ir import MemorySpace, TileType, Var, as_int
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.types import row_bytes, rows_and_columns


@dataclass(frozen=True, slots=True)
class Place:
    """The bytes of a tile: `rows` pieces of `width` bytes, `pitch` bytes apart. `start` is None if it is computed."""

    space: MemorySpace | None
    base: Var
    start: int | None
    rows: int
    width: int
    pitch: int


def place_of(kernel: Kernel, tile: Var) -> Place | None:
    """Where a tile lies; None for one without a memory reference."""
    kind = tile.type
    if not isinstance(kind, TileType) or kind.memref is None:
        return None
    rows, _ = rows_and_columns(kind.shape)
    height = 1 if rows is None else as_int(rows) or 1
    width = row_bytes(kind)
    start = as_int(kind.memref.byte_offset)
    return Place(kind.memory_space, kind.memref.base, start, height, width, kernel.pitches.get(tile, width))


def same_address(kernel: Kernel, left: Var, right: Var) -> bool:
    """Whether two tiles are known to begin at the same byte of the same memory."""
    a, b = place_of(kernel, left), place_of(kernel, right)
    return a is not None and b is not None and a.space is b.space and a.start is not None and a.start == b.start


def overlap(kernel: Kernel, left: Var, right: Var) -> bool:
    """Whether the bytes of two tiles may meet. Where the assembler places tiles, other allocations lie elsewhere."""
    if left is right:
        return True
    a, b = place_of(kernel, left), place_of(kernel, right)
    if a is None or b is None or a.space is not b.space:
        return False
    if a.base is not b.base and not kernel.handles.addressed:
        return False
    if a.start is None or b.start is None:
        return a.base is b.base
    return _meet(a, b, b.start - a.start) if a.start <= b.start else _meet(b, a, a.start - b.start)


def _meet(first: Place, second: Place, distance: int) -> bool:
    """Whether two places meet, of which the second begins so many bytes behind the first."""
    if first.pitch != second.pitch:
        return distance < (first.rows - 1) * first.pitch + first.width
    row, column = divmod(distance, first.pitch)
    wraps = column + second.width > first.pitch
    return (row < first.rows and column < first.width) or (wraps and row + 1 < first.rows)
