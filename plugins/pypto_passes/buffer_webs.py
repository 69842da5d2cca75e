# SPDX-License-Identifier: Apache-2.0
"""Webs: sets of tiles that live in one buffer, with the program points at which the buffer holds something."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from pypto_build.analysis.lifetimes import Block, Interval
from pypto_build.ir import Expr, MemorySpace, Var


@dataclass(frozen=True, slots=True)
class Place:
    """Where a web lives: an allocation, its part of it, and the position of the allocation among the others."""

    base: Var
    offset: Expr
    order: int
    pinned: bool = False
    slot_count: int = 1
    slot_index: Expr | None = None


class Web:
    """One set. `place` is None while no allocation belongs to it; `intervals` are disjoint and in order.

    Tiles of one content may be alive together: they are the same bytes, whoever wrote them. `apart` are webs that the
    program moves tiles from or to: a move onto itself does not exist.
    """

    __slots__ = ("_by_content", "_into", "apart", "intervals", "place", "size", "space")

    def __init__(self, space: MemorySpace, place: Place | None = None) -> None:
        self.space = space
        self.place = place
        self.size = 0
        self.intervals: list[Interval] = []
        self.apart: list[Web] = []
        self._by_content: dict[Expr, list[Interval]] = {}
        self._into: Web | None = None

    def found(self) -> Web:
        """The web that this one has become part of."""
        web = self
        while web._into is not None:
            if web._into._into is not None:
                web._into = web._into._into
            web = web._into
        return web

    def add(self, content: Expr, intervals: Iterable[Interval]) -> None:
        """Hold a content at these points too."""
        own = self._by_content.setdefault(content, [])
        for interval in intervals:
            _insert(self.intervals, interval)
            _insert(own, interval)

    def overlaps(self, other: Web) -> bool:
        """Whether both hold something at one point, and not the same."""
        few, many = sorted((self, other), key=lambda web: len(web.intervals))
        if not any(crosses(many.intervals, interval) for interval in few.intervals):
            return False
        few, many = sorted((self, other), key=lambda web: len(web._by_content))
        return any(
            crosses(many.intervals, interval) and many._holds_another(content, interval)
            for content, intervals in few._by_content.items()
            for interval in intervals
        )

    def _holds_another(self, content: Expr, interval: Interval) -> bool:
        if content not in self._by_content:
            return True
        held = (intervals for other, intervals in self._by_content.items() if other is not content)
        return any(crosses(intervals, interval) for intervals in held)

    def is_inside(self, block: Block) -> bool:
        """Whether everything that the web holds is written and read for the last time in a block."""
        return bool(self.intervals) and block.covers((self.intervals[0][0], self.intervals[-1][1]))

    def may_join(self, other: Web) -> bool:
        """Whether one buffer can take both, their lifetimes aside."""
        few, many = sorted((self, other), key=lambda web: len(web.apart))
        if self.space is not other.space or any(web.found() is many for web in few.apart):
            return False
        pinned = [web for web in (self, other) if web.place is not None and web.place.pinned]
        return len(pinned) < 2 and all(web.size >= max(self.size, other.size) for web in pinned)

    def join(self, other: Web) -> None:
        """Make both one; the larger allocation stays, of two equal ones the first, a declared one always."""
        keep, gone = (self, other) if self._rank() <= other._rank() else (other, self)
        if len(gone.intervals) > len(keep.intervals):
            keep.intervals, gone.intervals = gone.intervals, keep.intervals
        if len(gone._by_content) > len(keep._by_content):
            keep._by_content, gone._by_content = gone._by_content, keep._by_content
        for interval in gone.intervals:
            _insert(keep.intervals, interval)
        for content, intervals in gone._by_content.items():
            own = keep._by_content.setdefault(content, [])
            for interval in intervals:
                _insert(own, interval)
        gone.intervals, gone._by_content = [], {}
        keep.apart, gone.apart = keep.apart + gone.apart, []
        keep.size = max(keep.size, gone.size)
        gone._into = keep

    def _rank(self) -> tuple[bool, bool, int, int]:
        place = self.place
        return (place is None, not (place and place.pinned), -self.size, place.order if place else 0)


def crosses(intervals: Sequence[Interval], interval: Interval) -> bool:
    """Whether an interval has a point in common with ordered disjoint ones."""
    at = bisect_right(intervals, interval[1], key=itemgetter(0))
    return at > 0 and intervals[at - 1][1] >= interval[0]


def _insert(intervals: list[Interval], new: Interval) -> None:
    """Add one interval in place, without a look at the rest."""
    first = bisect_left(intervals, new[0] - 1, key=itemgetter(1))
    last = bisect_right(intervals, new[1] + 1, key=itemgetter(0))
    touched = intervals[first:last]
    if touched:
        new = (min(new[0], touched[0][0]), max(new[1], touched[-1][1]))
    intervals[first:last] = [new]
