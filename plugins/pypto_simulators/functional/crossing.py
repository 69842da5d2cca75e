# SPDX-License-Identifier: Apache-2.0
"""What passes between the cube core and the vector cores of one launch: queues of tiles, and halves of tiles.

A split by rows or columns gives each of two lanes a half: the first one the part before the middle of the physical
extent (or before `lane_stride`), the second one the part behind it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any, Final

from pypto_simulators.functional.numbers import unwritten
from pypto_simulators.functional.values import Block

NO_SPLIT: Final = 0
_AXES: Final = {1: 0, 2: 1, 3: 0, 4: 1}  # up/down, left/right, and the forms for odd extents
Pipe = tuple[str, object]  # a direction and the pipe's id


class Team:
    """The cores that work together on one block."""

    def __init__(self, lanes: int = 1) -> None:
        self.lanes = lanes
        self._queues: dict[tuple[Pipe, int], deque[Block]] = defaultdict(deque)
        self._halves: dict[tuple[object, int], dict[int, Block]] = {}
        self._rounds: dict[tuple[object, int], int] = defaultdict(int)

    def push(self, pipe: Pipe, lane: int, tile: Block) -> None:
        """Put a tile into the queue of a lane."""
        self._queues[pipe, lane].append(tile.snapshot())

    def pending(self, pipe: Pipe, lane: int) -> bool:
        """Whether a tile is waiting for a lane."""
        return bool(self._queues[pipe, lane])

    def pop(self, pipe: Pipe, lane: int) -> Block:
        """The tile that has waited longest."""
        return self._queues[pipe, lane].popleft()

    def deposit(self, place: object, lane: int, half: Block) -> None:
        """Leave a half for the other lane; a place is used once per round."""
        key = (place, self._rounds[place, lane])
        self._rounds[place, lane] += 1
        self._halves.setdefault(key, {})[lane] = half.snapshot()

    def halves(self, place: object, lane: int) -> dict[int, Block]:
        """The halves of the latest deposit of a lane, as far as they are there."""
        return self._halves[place, self._rounds[place, lane] - 1]


def axis_of(split: int) -> int | None:
    """The axis that a split mode divides; None where each lane gets everything."""
    return _AXES.get(split)


def half_of(tile: Block, lane: int, *, axis: int, stride: int | None = None) -> Block:
    """What one lane gets of a tile."""
    extent = tile.shape[axis]
    size = -(-extent // 2)
    start = lane * (size if stride is None else stride)
    limit = size if stride is None or lane else min(size, stride)
    shape = (*tile.shape[:axis], size, *tile.shape[axis + 1 :])
    data: Any = unwritten(shape, tile.dtype)
    part = tile.full()[_along(axis, start, min(extent, start + size))]
    data[_along(axis, 0, part.shape[axis])] = part
    valid = (*tile.valid[:axis], max(0, min(limit, tile.valid[axis] - start)), *tile.valid[axis + 1 :])
    return Block(data, tile.dtype, valid=valid, pad=tile.pad)


def whole_of(first: Block, second: Block, *, axis: int) -> Block:
    """Two halves as one tile."""
    size = first.shape[axis]
    data: Any = unwritten((*first.shape[:axis], 2 * size, *first.shape[axis + 1 :]), first.dtype)
    for i, half in enumerate((first, second)):
        data[_along(axis, i * size, i * size + half.shape[axis])] = half.full()
    extent = size + second.valid[axis] if second.valid[axis] else first.valid[axis]
    return Block(data, first.dtype, valid=(*first.valid[:axis], extent, *first.valid[axis + 1 :]), pad=first.pad)


def _along(axis: int, start: int, stop: int) -> tuple[slice, ...]:
    return (*[slice(None)] * axis, slice(start, stop))
