# SPDX-License-Identifier: Apache-2.0
"""Intervals of expressions, and what is learnt from conditions."""

import pytest

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.interval import ANY, NON_NEGATIVE, Interval
from pypto_build.analysis.residue import ANY_RESIDUE, Residue
from pypto_build.ir import Cast, DataType, Not, as_expr, binary
from tests.unit.ir.build import BOOL, INT32, INT64, number, scalar

X, Y, N = scalar("x", INT64), scalar("y", INT64), scalar("n")


def within(low, high, var=X):
    bounds = Bounds()
    bounds.bound(var, Interval(low, high))
    return bounds


@pytest.mark.parametrize(
    ("name", "right", "expected"),
    [
        ("add", 5, Interval(3, 14)),
        ("sub", 5, Interval(-7, 4)),
        ("mul", -2, Interval(-18, 4)),
        ("floordiv", 4, Interval(-1, 2)),
        ("mod", 4, Interval(0, 3)),
        ("mod", 0, ANY),
        ("min_", 3, Interval(-2, 3)),
        ("max_", 3, Interval(3, 9)),
        ("bit_and", 7, Interval(0, 7)),
        ("bit_shift_left", 1, Interval(-4, 18)),
        ("bit_shift_right", 1, Interval(-1, 4)),
    ],
)
def test_an_operator_bounds_its_result_by_its_operands(name, right, expected):
    assert within(-2, 9).of(binary(name, X, number(right, INT64))) == expected


def test_an_index_variable_is_not_negative_and_an_index_difference_may_be():
    assert Bounds().of(N) == NON_NEGATIVE
    assert Bounds().of(binary("sub", N, scalar("m"))) == ANY


def test_a_narrow_type_bounds_its_values_and_a_sum_that_may_leave_it_says_no_more():
    byte = scalar("b", DataType.UINT8)
    assert Bounds().of(byte) == Interval(0, 255)
    assert Bounds().of(binary("add", byte, number(1, DataType.UINT8))) == Interval(0, 255)
    assert Bounds().of(Cast(byte, INT32)) == Interval(0, 255)


def test_terms_that_cancel_leave_no_doubt():
    left = binary("add", binary("mul", X, 4), binary("add", Y, 64))
    right = binary("add", Y, binary("mul", X, 4))
    assert Bounds().of(binary("sub", left, right)) == Interval(64, 64)


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("value", range(-1, 4))
def test_a_comparison_is_decided_exactly_when_all_values_agree(name, value):
    answers = {_holds(name, x, value) for x in range(3)}
    expected = answers.pop() if len(answers) == 1 else None
    assert within(0, 2).decides(binary(name, X, value)) is (None if answers else expected)


def _holds(name, left, right):
    results = {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}
    return {**results, "eq": left == right, "ne": left != right}[name]


def test_multiples_of_a_number_never_meet_another_remainder():
    assert Bounds().decides(binary("eq", binary("mul", X, 4), 6)) is False


@pytest.mark.parametrize(
    ("name", "holds", "expected"),
    [
        ("lt", True, Interval(0, 3)),
        ("lt", False, Interval(4, 9)),
        ("ge", True, Interval(4, 9)),
        ("gt", False, Interval(0, 4)),
        ("eq", True, Interval(4, 4)),
        ("ne", False, Interval(4, 4)),
    ],
)
def test_a_condition_narrows_the_interval_of_a_variable(name, holds, expected):
    bounds = within(0, 9)
    bounds.assume(binary(name, X, 4), holds=holds)
    assert bounds.of(X) == expected


def test_an_end_that_is_excluded_moves():
    bounds = within(0, 9)
    bounds.assume(binary("ne", X, 0))
    assert bounds.of(X) == Interval(1, 9)


def test_a_condition_on_two_unknown_values_is_known_again_and_in_other_words():
    bounds = Bounds()
    bounds.assume(binary("lt", X, Y))
    assert bounds.decides(binary("ge", binary("sub", Y, 1), X)) is True
    assert bounds.decides(binary("lt", binary("mul", Y, 2), binary("mul", X, 2))) is False


def test_both_sides_of_an_and_hold_and_neither_side_of_an_or_that_does_not():
    both, neither = within(0, 9), within(0, 9)
    low, high = binary("gt", X, 2), binary("lt", X, 5)
    both.assume(binary("and_", low, high))
    neither.assume(binary("or_", Not(low, BOOL), Not(high, BOOL)), holds=False)
    assert both.of(X) == neither.of(X) == Interval(3, 4)


def test_what_is_below_a_minimum_is_below_both_and_so_above_a_maximum():
    bounds = Bounds()
    bounds.assume(binary("lt", X, binary("min_", Y, 64)))
    assert bounds.of(X) == Interval(None, 63)
    assert bounds.decides(binary("lt", X, Y)) is True
    bounds.assume(binary("ge", X, binary("max_", 3, N)))
    assert bounds.of(X) == Interval(3, 63)
    assert bounds.decides(binary("ge", X, N)) is True


def test_a_variable_that_equals_a_minimum_is_at_most_both():
    bounds = Bounds()
    bounds.equate(X, binary("min_", binary("sub", Y, N), 32))
    assert bounds.at_most(X, number(32, INT64))
    assert bounds.at_most(binary("add", X, N), Y)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (binary("eq", binary("mod", X, 8), 3), Residue(8, 3)),
        (binary("eq", 3, binary("mod", X, 8)), Residue(8, 3)),
        (binary("eq", binary("mod", binary("sub", 1, X), 8), 3), Residue(8, 6)),
        (binary("eq", binary("mod", binary("mul", X, 6), 8), 4), Residue(4, 2)),
        (binary("eq", X, 5), Residue(0, 5)),
        (binary("eq", binary("mod", binary("add", X, Y), 8), 3), ANY_RESIDUE),
        (binary("ne", binary("mod", X, 8), 3), ANY_RESIDUE),
    ],
    ids=str,
)
def test_an_equation_says_what_remainder_a_variable_leaves(condition, expected):
    bounds = Bounds()
    bounds.assume(condition)
    assert bounds.residue(X) == expected


def test_a_remainder_moves_the_ends_of_an_interval():
    bounds = within(0, 127)
    bounds.leave(X, Residue(32, 0))
    assert bounds.of(X) == Interval(0, 96)
    assert bounds.decides(binary("le", binary("add", X, 32), 128)) is True


def test_a_narrow_unsigned_product_keeps_only_the_remainder_by_a_power_of_two():
    byte = scalar("b", DataType.UINT8)
    bounds = Bounds()
    bounds.leave(byte, Residue(12, 0))
    assert bounds.residue(binary("mul", byte, number(5, DataType.UINT8))) == Residue(4, 0)


def test_of_facts_that_contradict_one_another_nothing_follows():
    bounds = Bounds()
    bounds.assume(binary("lt", X, Y))
    bounds.assume(binary("lt", Y, X))
    assert bounds.of(binary("sub", X, Y)) == ANY
    bounds.assume(binary("eq", X, 3))
    bounds.assume(binary("eq", X, 4))
    assert bounds.of(X) == ANY


def test_what_was_learnt_behind_a_mark_is_forgotten():
    bounds = within(0, 9)
    mark = bounds.mark()
    bounds.assume(binary("lt", X, 4))
    bounds.back_to(mark)
    assert bounds.of(X) == Interval(0, 9)


def test_nothing_is_learnt_of_a_variable_that_changes():
    bounds = Bounds({X})
    bounds.assume(binary("lt", X, 4))
    assert bounds.of(X) == ANY


def test_floating_point_comparisons_stay_open():
    value = scalar("v", DataType.FP32)
    assert Bounds().decides(binary("eq", value, as_expr(1.0))) is None
