# SPDX-License-Identifier: Apache-2.0
"""What follows from comparisons one after the other."""

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.difference_chains import MOST_STEPS, DifferenceChains
from pypto_build.analysis.interval import Interval
from pypto_build.analysis.undo_log import UndoLog
from pypto_build.ir import binary
from tests.unit.analysis.integers import X, Y, Z


def chains(*limits):
    made = DifferenceChains(UndoLog())
    for upper, lower, distance in limits:
        made.limit(upper, lower, distance=distance)
    return made


def test_a_chain_adds_its_distances_and_the_shortest_counts():
    assert chains((1, 2, -1), (2, 3, -1)).distance(1, 3) == -2
    assert chains((1, 2, 5), (2, 3, 5), (1, 3, 7), (2, 3, 1)).distance(1, 3) == 6


def test_without_a_chain_nothing_is_known():
    assert chains((1, 2, 0)).distance(2, 1) is None
    assert chains().distance(1, 2) is None


def test_a_wider_limit_does_not_replace_a_narrower_one():
    assert chains((1, 2, 3), (1, 2, 9)).distance(1, 2) == 3


def test_what_is_forgotten_of_one_atom_stays_of_the_others():
    made = chains((1, 2, 0), (2, 3, 0), (3, 4, 0))
    made.forget(2)
    assert made.distance(1, 3) is None
    assert made.distance(3, 4) == 0
    assert made.below(3) == {}


def test_a_circle_that_contradicts_itself_ends():
    assert chains((1, 2, -1), (2, 1, -1)).distance(1, 2) is not None


def test_a_search_gives_up_after_a_number_of_steps():
    long = [(place, place + 1, 0) for place in range(2 * MOST_STEPS)]
    assert chains(*long).distance(0, MOST_STEPS) == 0
    assert chains(*long).distance(0, 2 * MOST_STEPS) is None


def test_comparisons_of_variables_are_followed():
    bounds = Bounds()
    bounds.assume(binary("lt", X, Y))
    bounds.assume(binary("le", Y, binary("sub", Z, 2)))
    assert bounds.decides(binary("lt", binary("add", X, 2), Z)) is True
    assert bounds.of_form(bounds.difference(Z, X)) == Interval(3)
    assert bounds.of_form(bounds.difference(Z, X), chained=False) == Interval()


def test_a_variable_is_bounded_by_what_it_is_compared_with():
    bounds = Bounds()
    bounds.bound(Z, Interval(0, 64))
    bounds.assume(binary("lt", X, Y))
    bounds.assume(binary("lt", Y, Z))
    assert bounds.of(X) == Interval(None, 62)
    assert bounds.of(Y) == Interval(None, 63)
    bounds.assume(binary("ge", X, 10))
    assert bounds.of(Z) == Interval(12, 64)


def test_chains_are_forgotten_behind_a_mark_and_with_their_variable():
    bounds = Bounds()
    bounds.assume(binary("lt", X, Y))
    mark = bounds.mark()
    bounds.assume(binary("lt", Y, Z))
    bounds.back_to(mark)
    assert bounds.decides(binary("lt", X, Z)) is None
    bounds.forget(X)
    assert bounds.decides(binary("lt", X, Y)) is None
