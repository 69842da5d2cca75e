# SPDX-License-Identifier: Apache-2.0
"""SlotTimeline: which slots hold something when."""

from hypothesis import given
from hypothesis import strategies as st
from pypto_passes.slot_timeline import SlotTimeline, lowest_free

INTERVALS = st.tuples(st.integers(-1, 40), st.integers(-1, 40)).map(lambda pair: (min(pair), max(pair)))


@given(st.lists(st.tuples(INTERVALS, st.integers(0, 9))), INTERVALS)
def test_a_slot_is_taken_exactly_when_one_of_its_intervals_meets_the_question(taken, asked):
    timeline = SlotTimeline(41)
    for interval, slot in taken:
        timeline.take([interval], slot)
    wanted = {slot for (start, end), slot in taken if start <= asked[1] and asked[0] <= end}
    assert timeline.taken([asked]) == sum(1 << slot for slot in wanted)


def test_the_lowest_free_slot_is_the_first_gap():
    assert [lowest_free(0), lowest_free(0b1011), lowest_free(0b111)] == [0, 2, 3]
