# SPDX-License-Identifier: Apache-2.0
"""Addresses for buffers in one memory space: some must not share a byte, some had better not, and all must fit.

Greedy: one buffer after the other goes where it touches the fewest that it had better leave alone, and there as low as
possible. Several orders are tried, and placements that somebody else suggests are taken into account, so the result is
never worse than those. The search is bounded: that it finds nothing does not prove that there is nothing.

One order costs O(n * m log m) for n buffers with up to m neighbours each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pypto_build.errors import InternalError

Addresses = tuple[int, ...]
"""One address per buffer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Sizes in bytes; for each buffer those that it must be apart from, and those that it had better be apart from.

    Both relations are symmetric. Addresses start at `floor`, a multiple of `alignment`; capacity None is no bound.
    """

    sizes: Sequence[int]
    apart: Sequence[set[int]]
    better_apart: Sequence[set[int]]
    floor: int = 0
    capacity: int | None = None
    alignment: int = 32

    def next_aligned(self, address: int) -> int:
        """The first possible address from here on."""
        return -(-address // self.alignment) * self.alignment

    def overlap(self, addresses: Addresses, first: int, second: int) -> bool:
        """Whether two buffers share a byte."""
        a, b = addresses[first], addresses[second]
        return a < b + self.sizes[second] and b < a + self.sizes[first]

    def penalty(self, addresses: Addresses) -> int:
        """How many pairs share bytes that had better not."""
        pairs = ((first, second) for first, near in enumerate(self.better_apart) for second in near if second < first)
        return sum(self.overlap(addresses, first, second) for first, second in pairs)

    def end(self, addresses: Addresses) -> int:
        """The end of the last buffer."""
        return max((address + size for address, size in zip(addresses, self.sizes, strict=True)), default=self.floor)

    def is_solved_by(self, addresses: Addresses) -> bool:
        """Whether all buffers fit, are aligned, and share no byte that they must not."""
        if self.capacity is not None and self.end(addresses) > self.capacity:
            return False
        if any(address < self.floor or address % self.alignment for address in addresses):
            return False
        pairs = ((first, second) for first, near in enumerate(self.apart) for second in near if second < first)
        return not any(self.overlap(addresses, first, second) for first, second in pairs)


def search(problem: Problem, suggested: Iterable[Addresses] = ()) -> Addresses | None:
    """The placement with the fewest penalties, then the lowest end, then the first that was suggested or found.

    Raises:
        InternalError: a placement that the greedy found does not hold (it is checked pair by pair).
    """
    best: tuple[int, int, Addresses] | None = None
    found = [addresses for addresses in suggested if problem.is_solved_by(addresses)]
    for addresses in (*found, *_greedy_placements(problem)):
        if not problem.is_solved_by(addresses):
            raise InternalError("the address search placed two buffers on each other")
        worth = (problem.penalty(addresses), problem.end(addresses))
        if best is None or worth < best[:2]:
            best = (*worth, addresses)
    return None if best is None else best[2]


def _greedy_placements(problem: Problem) -> Iterable[Addresses]:
    every = range(len(problem.sizes))
    keys: tuple[Callable[[int], tuple[int, ...]], ...] = (
        lambda index: (index,),
        lambda index: (-problem.sizes[index], index),
        lambda index: (-len(problem.apart[index]), -problem.sizes[index], index),
        lambda index: (-len(problem.better_apart[index]), -problem.sizes[index], index),
    )
    for key in keys:
        placed = _place(problem, sorted(every, key=key))
        if placed is not None:
            yield placed


def _place(problem: Problem, order: Sequence[int]) -> Addresses | None:
    addresses: dict[int, int] = {}
    for index in order:
        address = _best_address(problem, index, addresses)
        if address is None:
            return None
        addresses[index] = address
    return tuple(addresses[index] for index in range(len(order)))


def _best_address(problem: Problem, index: int, placed: dict[int, int]) -> int | None:
    size = problem.sizes[index]
    blocked = _merged(_ranges(problem, problem.apart[index], placed))
    disliked = _ranges(problem, problem.better_apart[index], placed)
    starts, ends = sorted(start for start, _ in disliked), sorted(end for _, end in disliked)
    best: tuple[int, int] | None = None
    for address in sorted({problem.floor, *(problem.next_aligned(end) for _, end in (*blocked, *disliked))}):
        if problem.capacity is not None and address + size > problem.capacity:
            break
        if _is_blocked(blocked, address, address + size):
            continue
        worth = (bisect_left(starts, address + size) - bisect_right(ends, address), address)
        if best is None or worth < best:
            best = worth
    return None if best is None else best[1]


def _ranges(problem: Problem, neighbours: Iterable[int], placed: dict[int, int]) -> list[tuple[int, int]]:
    found = ((placed[other], problem.sizes[other]) for other in neighbours if other in placed)
    return [(address, address + size) for address, size in found]


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same bytes as ranges that neither touch nor overlap, in order."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _is_blocked(merged: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect_left(merged, (end,)) - 1
    return at >= 0 and merged[at][1] > start
