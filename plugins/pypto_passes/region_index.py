# SPDX-License-Identifier: Apache-2.0
"""Accesses to parts of one buffer, found by the part that they may overlap.

Boxes lie in the cells of a grid whose cells are about as large as they are, one grid for each size; so many windows
side by side are told apart without looking at each of them. What is no box may overlap everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from pypto_passes.storage_regions import Extent, Ints, Region
from pypto_passes.task_accesses import Access

Numbered = dict[Access, int]
"""Accesses with the place at which each was first noted."""
_Cells = list[range]


class RegionIndex:
    """The accesses to one buffer."""

    def __init__(self) -> None:
        self._all: Numbered = {}
        self._loose: Numbered = {}
        self._grids: dict[Ints, dict[Ints, Numbered]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def put(self, access: Access, number: int) -> None:
        """Note an access."""
        self._all[access] = number
        if access.region.extent is not Extent.BOX:
            self._loose[access] = number
            return
        size = _size(access.region)
        grid = self._grids.setdefault(size, {})
        for cell in product(*_cells(access.region, size)):
            grid.setdefault(cell, {})[access] = number

    def take(self, access: Access) -> None:
        """Forget an access."""
        del self._all[access]
        if access.region.extent is not Extent.BOX:
            del self._loose[access]
            return
        size = _size(access.region)
        grid = self._grids[size]
        for cell in product(*_cells(access.region, size)):
            del grid[cell][access]
            if not grid[cell]:
                del grid[cell]

    def near(self, region: Region | None) -> Numbered:
        """The accesses that may overlap a part, and some others; all where it is not said which part."""
        if region is None or region.extent is not Extent.BOX:
            return self._all
        found = dict(self._loose)
        for size, grid in self._grids.items():
            for inside in _looked_up(grid, size, region):
                found.update(inside)
        return found


def _looked_up(grid: dict[Ints, Numbered], size: Ints, region: Region) -> Iterator[Numbered]:
    cells = _cells(region, size) if len(size) == len(region.begin) else []
    if not cells or prod(map(len, cells)) > len(grid):
        yield from grid.values()
    else:
        yield from (grid[cell] for cell in product(*cells) if cell in grid)


def _size(box: Region) -> Ints:
    """The extents of a cell for a box, as powers of two: it lies in two cells at most along each axis."""
    return tuple(1 << (end - begin - 1).bit_length() for begin, end in zip(box.begin, box.end, strict=True))


def _cells(box: Region, size: Ints) -> _Cells:
    """Along each axis the cells that a box lies in."""
    axes = zip(box.begin, box.end, size, strict=True)
    return [range(begin // extent, (max(end - 1, begin)) // extent + 1) for begin, end, extent in axes]
