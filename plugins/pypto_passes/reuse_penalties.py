# SPDX-License-Identifier: Apache-2.0
"""Which buffers had better not share bytes although they are never alive together.

Where one pipe of the core still reads or writes a buffer and another one writes the next content over it, the second
has to wait for the first. Apart, both could work at once. Buffers that only one pipe touches wait anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pypto_build.ir import Function, Var
from pypto_build.passes import PassContext
from pypto_passes.address_layout import tiles_of_allocations
from pypto_passes.buffer_accesses import Access, History, buffer_histories
from pypto_passes.buffers import Buffer, buffers_of, by_space
from pypto_passes.tile_lifetimes import tile_lifetimes


def costly_pairs(
    buffers: Sequence[Buffer], histories: Mapping[Var, History], conflicts: Sequence[set[int]]
) -> Iterator[tuple[int, int]]:
    """Positions of two buffers of one memory space that are never alive together, and where a pipe would wait.

    Quadratic in the number of buffers, as is the number of such pairs.
    """
    known = [histories[buffer.base] for buffer in buffers]
    for second in range(len(buffers)):
        for first in range(second):
            if second not in conflicts[first] and _either_waits(known[first], known[second]):
                yield first, second


def _either_waits(first: History, second: History) -> bool:
    if first.unknown or second.unknown:
        return False
    return _waits(second, first) or _waits(first, second)


def _waits(writer: History, former: History) -> bool:
    """Whether the first write of a buffer would wait for another pipe to be done with the former content."""
    write = writer.first_write
    return write is not None and any(_must_wait(write, access) for access in former.accesses)


def _must_wait(write: Access, former: Access) -> bool:
    if write.pipe is former.pipe:
        return False
    here, there = write.place, former.place
    if here.shares_loop(there):
        return True  # in this iteration or, around the loop, in the next one
    return there.number <= here.number and not here.excludes(there)


def lifetime_conflicts(buffers: Sequence[Buffer]) -> list[set[int]]:
    """For each buffer of one memory space the others that hold something at the same point."""
    events = sorted((start, end, index) for index, buffer in enumerate(buffers) for start, end in buffer.intervals)
    found: list[set[int]] = [set() for _ in buffers]
    alive: list[tuple[int, int]] = []
    for start, end, index in events:
        alive = [(last, other) for last, other in alive if last >= start]
        for _, other in alive:
            if other != index:
                found[index].add(other)
                found[other].add(index)
        alive.append((end, index))
    return found


def named_penalties(function: Function, context: PassContext) -> list[tuple[str, str]]:
    """The pairs of a function by the names of the first tiles in them."""
    buffers = buffers_of(function, tile_lifetimes(function, context))
    histories = buffer_histories(function, buffers, context)
    tiles = tiles_of_allocations(function)
    found: list[tuple[str, str]] = []
    for own in by_space(buffers).values():
        for first, second in costly_pairs(own, histories, lifetime_conflicts(own)):
            found.append((tiles[own[first].base][0].name_hint, tiles[own[second].base][0].name_hint))
    return found
