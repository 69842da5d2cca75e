# SPDX-License-Identifier: Apache-2.0
"""Packing is never worse than largest first into the first free slot, whatever the stages of pipelines ask for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pypto_passes.buffers import Buffer
from pypto_passes.packing import Slot
from pypto_passes.pipeline_depths import Room, packed

from pypto_build.ir import PTR_TYPE, MemorySpace, Var

INTERVALS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: (min(ends), max(ends)))
STAGES = st.dictionaries(st.integers(0, 1), st.sets(st.integers(0, 3), min_size=1, max_size=2), max_size=2)


@st.composite
def buffers(draw: st.DrawFn) -> list[Buffer]:
    """Buffers with a lifetime or two, some of them members of pipeline stages."""
    count = draw(st.integers(1, 9))
    return [
        Buffer(
            Var(f"b{number}", PTR_TYPE),
            MemorySpace.Vec,
            size=draw(st.integers(1, 300)),
            intervals=draw(st.lists(INTERVALS, min_size=1, max_size=2)),
            stages=draw(STAGES),
        )
        for number in range(count)
    ]


def meet(one: Buffer, other: Buffer) -> bool:
    return any(a <= d and c <= b for a, b in one.intervals for c, d in other.intervals)


def first_fit_decreasing(items: list[Buffer]) -> list[Slot]:
    """The textbook form, with nothing but lifetimes."""
    slots: list[Slot] = []
    for item in sorted(items, key=lambda buffer: -buffer.size):
        free = [slot for slot in slots if not any(meet(item, member) for member in slot.members)]
        if free:
            free[0].members.append(item)
        else:
            slots.append(Slot([item]))
    return slots


@given(buffers(), st.integers(32, 1500))
def test_whatever_fits_largest_first_fits(items: list[Buffer], capacity: int) -> None:
    room = Room(MemorySpace.Vec, capacity, 0, 32)
    if room.holds(first_fit_decreasing(items)):
        assert room.holds(packed(items, room).slots)


@given(buffers(), st.integers(32, 1500))
def test_no_two_buffers_of_a_slot_meet_and_none_is_lost(items: list[Buffer], capacity: int) -> None:
    slots = packed(items, Room(MemorySpace.Vec, capacity, 0, 32)).slots
    placed = [buffer for slot in slots for buffer in slot.members]
    assert sorted(map(id, placed)) == sorted(map(id, items))
    pairs = [(a, b) for slot in slots for i, a in enumerate(slot.members) for b in slot.members[:i]]
    assert not any(meet(a, b) for a, b in pairs)


@given(buffers())
def test_without_stages_it_is_largest_first(items: list[Buffer]) -> None:
    for item in items:
        item.stages.clear()
    found = packed(items, Room(MemorySpace.Vec, None, 0, 32)).slots
    assert [slot.members for slot in found] == [slot.members for slot in first_fit_decreasing(items)]
