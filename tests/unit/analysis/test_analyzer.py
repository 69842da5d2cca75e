# SPDX-License-Identifier: Apache-2.0
"""Binding, assuming, simplifying and proving with everything that is known."""

import pytest

from pypto_build.analysis.analyzer import Analyzer
from pypto_build.analysis.interval import Interval
from pypto_build.analysis.residue import ANY_RESIDUE, Residue
from pypto_build.ir import ConstBool, Not, binary, same_value
from tests.unit.analysis.integers import X, Y, Z, n
from tests.unit.ir.build import BOOL


def test_a_bound_variable_is_its_expression():
    analyzer = Analyzer()
    analyzer.bounds.bound(X, Interval(0, 9))
    analyzer.bind(Y, binary("add", X, 1))
    assert analyzer.bounds.of(Y) == Interval(1, 10)
    assert analyzer.proves_equal(binary("sub", Y, X), n(1))
    assert same_value(analyzer.simplify(binary("sub", Y, 1)), X)


def test_of_an_unbound_variable_nothing_is_known():
    analyzer = Analyzer()
    analyzer.bind(X, n(6))
    assert analyzer.bounds.residue(X) == Residue(0, 6)
    analyzer.unbind(X)
    assert analyzer.bounds.of(X) == Interval()
    assert analyzer.bounds.residue(X) == ANY_RESIDUE
    assert analyzer.simplify(X) is X


def test_an_assumption_holds_inside_its_context_even_when_that_fails():
    analyzer = Analyzer()
    low = binary("lt", X, 4)
    with pytest.raises(ZeroDivisionError), analyzer.assuming(low):
        1 // (not analyzer.proves(low))
    assert not analyzer.proves(low)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (binary("and_", binary("lt", X, Z), binary("lt", X, binary("add", Y, 1))), True),
        (binary("or_", binary("lt", Z, X), binary("eq", Y, 3)), False),
        (binary("or_", binary("eq", Y, 3), binary("lt", X, Z)), True),
        (Not(binary("ge", X, Z), BOOL), True),
        (binary("lt", binary("mul", X, 2), binary("mul", Z, 2)), True),
        (ConstBool(True), True),
        (ConstBool(False), False),
        (X, False),
    ],
    ids=str,
)
def test_conditions_are_proved_by_their_parts(condition, expected):
    analyzer = Analyzer()
    analyzer.bounds.assume(binary("lt", X, Y))
    analyzer.bounds.assume(binary("lt", Y, Z))
    assert analyzer.proves(condition) is expected


def test_what_only_the_normal_form_shows_is_proved_too():
    product = binary("mul", binary("add", X, Y), Z)
    expr = binary("sub", binary("floordiv", binary("mul", product, Y), Y), product)
    analyzer = Analyzer()
    assert not analyzer.proves(binary("eq", expr, n(0)))
    analyzer.bounds.assume(binary("gt", Y, 0))
    assert analyzer.proves(binary("eq", expr, n(0)))


def test_no_steps_change_nothing():
    expr = binary("add", X, 0)
    assert Analyzer().simplify(expr, steps=0) is expr


def test_an_equation_with_a_remainder_is_remembered():
    analyzer = Analyzer()
    with analyzer.assuming(binary("eq", binary("mod", binary("add", X, 3), 8), n(5))):
        assert analyzer.bounds.residue(X) == Residue(8, 2)
        assert same_value(analyzer.simplify(binary("mod", X, 4)), n(2))
    assert analyzer.bounds.residue(X) == ANY_RESIDUE
