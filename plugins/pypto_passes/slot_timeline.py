# SPDX-License-Identifier: Apache-2.0
"""Which of many slots hold something during some intervals, as a set of bits.

A segment tree over the program points: every node knows the slots that are taken throughout its points, and those that
are taken at one of them. Both operations cost O(log points) per interval, whatever the number of slots: first fit over
thousands of tiles stays near linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_build.analysis.lifetimes import Interval


class SlotTimeline:
    """Slots are numbers; a set of slots is an int whose bit n stands for slot n."""

    __slots__ = ("_anywhere", "_leaves", "_throughout")

    def __init__(self, points: int) -> None:
        self._leaves = 1 << max(points + 1, 1).bit_length()
        self._throughout = [0] * (2 * self._leaves)
        self._anywhere = [0] * (2 * self._leaves)

    def taken(self, intervals: Iterable[Interval]) -> int:
        """The slots that hold something at some point of the intervals."""
        found = 0
        for interval in intervals:
            for node in self._cover(interval):
                found |= self._anywhere[node]
            for node in self._above(interval):
                found |= self._throughout[node]
        return found

    def take(self, intervals: Iterable[Interval], slot: int) -> None:
        """The slot holds something during the intervals."""
        bit = 1 << slot
        for interval in intervals:
            for node in self._cover(interval):
                self._throughout[node] |= bit
                self._anywhere[node] |= bit
            for node in self._above(interval):
                self._anywhere[node] |= bit

    def _cover(self, interval: Interval) -> Iterator[int]:
        """The nodes that together stand for an interval; point -1 is where parameters are written."""
        low, high = interval[0] + 1 + self._leaves, interval[1] + 2 + self._leaves
        while low < high:
            if low & 1:
                yield low
                low += 1
            if high & 1:
                high -= 1
                yield high
            low >>= 1
            high >>= 1

    def _above(self, interval: Interval) -> Iterator[int]:
        """The nodes above the ends of an interval."""
        for point in interval:
            node = (point + 1 + self._leaves) >> 1
            while node:
                yield node
                node >>= 1


def lowest_free(taken: int) -> int:
    """The smallest slot that is not taken."""
    return (~taken & (taken + 1)).bit_length() - 1
