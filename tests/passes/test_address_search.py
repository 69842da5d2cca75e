# SPDX-License-Identifier: Apache-2.0
"""The address search: placements hold, cost little, and are never worse than largest first into the first free slot."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pypto_passes.address_search import Addresses, Problem, search

SIZES = st.lists(st.integers(1, 20).map(lambda units: 32 * units), min_size=1, max_size=8)


@st.composite
def problems(draw: st.DrawFn, *, capacity: bool) -> Problem:
    """Buffers with lifetimes, of which those that meet must be apart, and some more that had better be."""
    sizes = draw(SIZES)
    lives = [sorted(draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))) for _ in sizes]
    count = len(sizes)
    meet = [{b for b in range(count) if b != a and _meet(lives[a], lives[b])} for a in range(count)]
    liked = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))))
    near = [{b for b in range(count) if {(a, b), (b, a)} & liked and b != a and b not in meet[a]} for a in range(count)]
    limit = draw(st.integers(1, 40).map(lambda units: 32 * units)) if capacity else None
    return Problem(sizes, meet, near, floor=32 * draw(st.integers(0, 3)), capacity=limit)


def _meet(one: list[int], other: list[int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def largest_first(problem: Problem) -> Addresses:
    """Each buffer into the first slot whose buffers it never meets, a slot as large as its first; slots in a row."""
    slots: list[list[int]] = []
    for index in sorted(range(len(problem.sizes)), key=lambda item: -problem.sizes[item]):
        free = [slot for slot in slots if not problem.apart[index] & set(slot)]
        if free:
            free[0].append(index)
        else:
            slots.append([index])
    places: dict[int, int] = {}
    end = problem.floor
    for slot in slots:
        places.update((index, problem.next_aligned(end)) for index in slot)
        end = problem.next_aligned(end) + problem.sizes[slot[0]]
    return tuple(places[index] for index in range(len(problem.sizes)))


@given(problems(capacity=True))
def test_what_is_found_holds(problem: Problem) -> None:
    found = search(problem)
    assert found is None or problem.is_solved_by(found)


@given(problems(capacity=True))
def test_whatever_fits_largest_first_fits(problem: Problem) -> None:
    suggested = largest_first(problem)
    if problem.is_solved_by(suggested):
        assert search(problem, (suggested,)) is not None


@given(problems(capacity=False))
def test_no_placement_costs_more_than_largest_first_or_is_longer_for_the_same(problem: Problem) -> None:
    suggested = largest_first(problem)
    found = search(problem, (suggested,))
    assert found is not None
    worth = (problem.penalty(found), problem.end(found))
    assert worth <= (problem.penalty(suggested), problem.end(suggested))


@given(problems(capacity=False))
def test_a_placement_that_was_found_is_found_again(problem: Problem) -> None:
    found = search(problem)
    assert found is not None
    assert search(problem, (found,)) == found


def test_a_penalty_is_avoided_while_there_is_room() -> None:
    near = [{1}, {0}]
    assert search(Problem([64, 64], [set(), set()], near, capacity=128)) == (0, 64)
    assert search(Problem([64, 64], [set(), set()], near, capacity=64)) == (0, 0)


def test_a_small_buffer_goes_into_the_gap_between_large_ones() -> None:
    apart = [{1, 2}, {0, 2}, {0, 1}]
    assert search(Problem([96, 32, 64], apart, [set()] * 3, capacity=192)) is not None
    assert search(Problem([96, 32, 64], apart, [set()] * 3, capacity=191)) is None
