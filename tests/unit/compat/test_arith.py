# SPDX-License-Identifier: Apache-2.0
"""The public names of integer analysis: what they answer and how they refuse."""

from math import isnan

import pytest

from pypto_build import ir
from pypto_build.compat.arith import Analyzer
from pypto_build.compat.arith_numbers import extended_euclidean, floordiv, floormod, fold_const, gcd, lcm
from pypto_build.compat.arith_parts import (
    CanonicalSimplifier,
    IntSetAnalyzer,
    ModularSetAnalyzer,
    RewriteSimplifier,
    TransitiveComparisonAnalyzer,
)
from pypto_build.compat.arith_values import CompareResult, ConstIntBound, IntSet, ModularSet
from pypto_build.errors import InternalError
from pypto_build.ir import binary, same_value
from tests.unit.analysis.integers import X, Y, Z, n
from tests.unit.ir.build import FP32, INT64, scalar

LEAST, MOST = -(2**63), 2**63 - 1
ONE_AND_A_HALF = ir.ConstFloat(1.5, FP32)


@pytest.mark.parametrize(("x", "y"), [(7, 3), (-7, 3), (7, -3), (-7, -3), (LEAST, 1)])
def test_division_rounds_down_and_the_remainder_has_the_sign_of_the_divisor(x, y):
    assert floordiv(x, y) * y + floormod(x, y) == x
    assert 0 <= floormod(x, y) * (1 if y > 0 else -1) < abs(y)


@pytest.mark.parametrize("divide", [lambda: floordiv(1, 0), lambda: floormod(1, 0), lambda: floordiv(LEAST, -1)])
def test_a_division_without_a_64_bit_result_is_an_error(divide):
    with pytest.raises(InternalError):
        divide()


@pytest.mark.parametrize(("a", "b"), [(12, 8), (-12, 8), (35, -15), (5, 0), (0, 0), (-4, 0)])
def test_the_greatest_common_divisor_is_a_sum_of_multiples(a, b):
    divisor, x, y = extended_euclidean(a, b)
    assert divisor == gcd(a, b) == a * x + b * y
    assert lcm(a, b) * divisor == abs(a * b)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (binary("add", n(3), 4), n(7)),
        (binary("floordiv", n(-7), 2), n(-4)),
        (binary("add", X, 0), X),
        (binary("add", n(MOST), 1), None),
        (binary("add", X, Y), None),
        (binary("sub", X, X), None),
        (ir.Neg(n(LEAST), INT64), None),
        (ir.Neg(X, INT64), None),
        (X, None),
        (binary("add", ONE_AND_A_HALF, 1.5), ir.ConstFloat(3.0, FP32)),
        (binary("lt", ONE_AND_A_HALF, 1.5), ir.ConstBool(False)),
        (ir.FloatDiv(ONE_AND_A_HALF, ir.ConstFloat(-0.0, FP32), FP32), ir.ConstFloat(-float("inf"), FP32)),
        (ir.Abs(ir.ConstFloat(-1.5, FP32), FP32), ONE_AND_A_HALF),
        (ir.Pow(ir.ConstFloat(1e30, FP32), ir.ConstFloat(99.0, FP32), FP32), None),
        (ir.Pow(ir.ConstFloat(-1.0, FP32), ir.ConstFloat(0.5, FP32), FP32), None),
    ],
    ids=str,
)
def test_operators_with_a_constant_are_computed(expr, expected):
    found = fold_const(expr)
    assert found is None if expected is None else same_value(found, expected)


def test_a_division_of_nothing_by_nothing_is_no_number():
    zero = ir.ConstFloat(0.0, FP32)
    assert isnan(fold_const(ir.FloatDiv(zero, zero, FP32)).value)


@pytest.mark.parametrize("expr", [binary("mod", n(5), 0), binary("floordiv", X, 0), binary("floordiv", n(LEAST), -1)])
def test_a_constant_division_that_has_no_result_is_refused(expr):
    with pytest.raises(ValueError, match=r"divides by zero|too large"):
        fold_const(expr)


def test_bounds_are_closed_and_infinite_beyond_64_bits():
    analyzer = Analyzer()
    analyzer.bind(X, 0, 8)
    assert analyzer.const_int_bound(X) == ConstIntBound(0, 7)
    assert str(analyzer.const_int_bound(Y)) == "ConstIntBound[-inf, +inf]"
    assert analyzer.const_int_bound(ir.Neg(n(LEAST), INT64)).min_value == ConstIntBound.kPosInf


def test_binding_again_replaces_what_was_bound():
    analyzer = Analyzer()
    analyzer.bind(X, n(3))
    analyzer.bind(X, 50, 60)
    assert analyzer.const_int_bound(X) == ConstIntBound(50, 59)
    assert analyzer.simplify(X) is X


def test_an_empty_range_and_other_arguments_are_refused():
    with pytest.raises(ValueError, match="empty"):
        Analyzer().bind(X, 5, 5)
    with pytest.raises(TypeError):
        Analyzer().bind(X, 5)
    with pytest.raises(TypeError):
        TransitiveComparisonAnalyzer().bind(X)


def test_remainders_are_remembered_and_given_up():
    analyzer = ModularSetAnalyzer()
    recover = analyzer.enter_constraint(binary("eq", binary("mod", X, 4), n(1)))
    assert analyzer(X) == ModularSet(4, 1)
    recover()
    assert analyzer(X).is_everything()
    assert analyzer.enter_constraint(binary("gt", X, 0)) is None
    with pytest.raises(ValueError, match="non-negative"):
        analyzer.update(X, ModularSet(-2, 1))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lt", "kLT"), ("le", "kLE"), ("gt", "kGT"), ("ge", "kGE"), ("eq", "kEQ"), ("ne", "kUnknown")],
)
def test_a_comparison_says_which_relations_are_possible(name, expected):
    analyzer = TransitiveComparisonAnalyzer()
    recover = analyzer.enter_constraint(binary(name, X, Y))
    assert analyzer.try_compare(X, Y) is CompareResult[expected]
    recover()
    assert analyzer.try_compare(X, Y) is CompareResult.kUnknown


def test_different_remainders_are_never_equal():
    analyzer = TransitiveComparisonAnalyzer()
    assert analyzer.try_compare(binary("mul", X, 2), binary("add", binary("mul", Y, 2), 1)) is CompareResult.kNE


def test_sets_have_expressions_as_ends():
    analyzer = IntSetAnalyzer()
    analyzer.bind(X, n(0), Z)
    found = analyzer(binary("add", X, 1))
    assert same_value(found.min_value, n(1))
    assert found.max_value is Z
    assert analyzer(Y).is_single_point()
    analyzer.update(Y, IntSet.interval(n(2), n(5)))
    assert str(analyzer(Y)) == "IntSet[pl.const(2, pl.INT64), pl.const(5, pl.INT64)]"


def test_both_simplifiers_substitute_and_leave_floating_point_alone():
    for simplifier in (RewriteSimplifier(), CanonicalSimplifier()):
        simplifier.update(X, n(7))
        assert same_value(simplifier(binary("add", X, 1)), n(8))
        simplifier.update(X, None)
        assert simplifier(X) is X
        number = scalar("f", FP32)
        assert simplifier(number) is number


def test_leaving_a_context_twice_takes_back_only_its_own_constraint():
    analyzer = Analyzer()
    with analyzer.constraint_context(binary("ge", X, 0)):
        inner = analyzer.constraint_context(binary("lt", X, 9))
        inner.exit_scope()
        inner.exit_scope()
        assert analyzer.can_prove_greater_equal(X, 0)
        assert not analyzer.can_prove_less(X, 9)
    assert not analyzer.can_prove_greater_equal(X, 0)
