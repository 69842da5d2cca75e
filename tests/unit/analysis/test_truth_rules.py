# SPDX-License-Identifier: Apache-2.0
"""Comparisons in fewer words, and what one side of `and` and `or` says of the other."""

import pytest

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import Folder
from pypto_build.analysis.interval import Interval
from pypto_build.ir import ConstBool, Not, binary, same_value
from tests.unit.analysis.integers import X, Y, Z, fold, n
from tests.unit.ir.build import BOOL, scalar

FLAG = scalar("flag", BOOL)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (binary("lt", binary("add", X, 3), n(10)), binary("lt", X, 7)),
        (binary("gt", binary("add", X, Y), binary("add", X, Z)), binary("lt", Z, Y)),
        (binary("le", binary("mul", X, 3), binary("mul", Y, 3)), binary("le", X, Y)),
        (binary("lt", binary("mul", X, 4), n(10)), binary("lt", X, 3)),
        (binary("le", binary("mul", X, 4), n(10)), binary("le", X, 2)),
        (binary("lt", n(-10), binary("mul", X, 4)), binary("lt", n(-3), X)),
        (binary("ne", binary("sub", X, Y), n(0)), binary("ne", X, Y)),
        (binary("lt", X, binary("add", X, Y)), binary("lt", n(0), Y)),
    ],
    ids=str,
)
def test_a_comparison_loses_what_both_sides_have(expr, expected):
    assert same_value(fold(expr), expected)


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_a_comparison_that_would_not_be_shorter_stays(name):
    expr = binary(name, binary("add", X, 1), Y)
    assert fold(expr) is expr


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("and_", binary("lt", X, 3), binary("lt", n(5), X), False),
        ("and_", binary("le", X, Y), binary("lt", Y, X), False),
        ("or_", binary("eq", X, Y), binary("ne", X, Y), True),
        ("or_", binary("lt", X, 9), binary("lt", 5, X), True),
        ("and_", FLAG, Not(FLAG, BOOL), False),
        ("or_", Not(FLAG, BOOL), FLAG, True),
        ("and_", binary("lt", X, 3), binary("lt", X, 9), binary("lt", X, 3)),
        ("and_", binary("lt", X, 9), binary("lt", X, 3), binary("lt", X, 3)),
        ("or_", binary("lt", X, 3), binary("lt", X, 9), binary("lt", X, 9)),
        ("or_", binary("lt", X, Y), binary("eq", Y, X), binary("le", X, Y)),
        ("or_", binary("lt", X, Y), binary("lt", Y, X), binary("ne", X, Y)),
    ],
    ids=str,
)
def test_one_side_says_what_the_other_is(name, left, right, expected):
    found = fold(binary(name, left, right))
    assert same_value(found, ConstBool(expected) if isinstance(expected, bool) else expected)


def test_a_guard_of_a_division_stays():
    guard, divided = binary("ge", Y, 0), binary("lt", 2, binary("add", Y, binary("floordiv", X, Z)))
    expr = binary("and_", guard, binary("and_", divided, binary("gt", Y, 0)))
    assert fold(expr) is expr


def test_a_long_condition_teaches_nothing():
    long = FLAG
    for place in range(40):
        long = binary("and_", long, binary("ne", X, place))
    expr = binary("and_", long, binary("ne", X, 3))
    assert fold(expr) is expr


@pytest.mark.parametrize(
    ("name", "negated"), [("lt", "ge"), ("le", "gt"), ("gt", "le"), ("ge", "lt"), ("eq", "ne"), ("ne", "eq")]
)
def test_a_negated_comparison_is_another_comparison(name, negated):
    found = fold(Not(binary(name, X, 4), BOOL))
    for number in range(3, 6):
        decided = fold(binary(negated, n(number), 4))
        assert Folder(at(number)).fold(found).value is decided.value


def at(number):
    bounds = Bounds()
    bounds.bound(X, Interval(number, number))
    return bounds
