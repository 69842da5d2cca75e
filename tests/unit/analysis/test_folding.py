# SPDX-License-Identifier: Apache-2.0
"""Folding of single operators."""

import pytest

from pypto_build import ir
from pypto_build.ir import DataType, binary, same_value
from tests.unit.analysis.integers import X, Y, fold, n
from tests.unit.ir.build import BOOL, INT32, INT64, number, op, scalar

F = scalar("f", BOOL)
READ = op("tensor.read", type=ir.scalar_type(INT64))


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("add", X, n(0), X),
        ("add", n(0), X, X),
        ("sub", X, n(0), X),
        ("mul", n(1), X, X),
        ("mul", X, n(0), n(0)),
        ("sub", X, X, n(0)),
        ("floordiv", X, n(1), X),
        ("mod", X, n(1), n(0)),
        ("add", binary("add", X, 3), n(4), binary("add", X, 7)),
        ("sub", binary("add", X, Y), X, Y),
        ("sub", n(3), n(5), n(-2)),
        ("floordiv", n(-7), n(2), n(-4)),
        ("mod", n(-7), n(2), n(1)),
        ("floordiv", binary("add", binary("mul", X, 8), 16), n(8), binary("add", X, 2)),
        ("mod", binary("add", binary("mul", X, 8), Y), n(8), binary("mod", Y, 8)),
        ("floordiv", binary("floordiv", X, 4), n(2), binary("floordiv", X, 8)),
        ("floordiv", binary("add", binary("mul", X, 8), Y), n(8), binary("add", X, binary("floordiv", Y, 8))),
        ("floordiv", binary("mul", binary("floordiv", X, 2), 3), n(6), binary("floordiv", X, 4)),
        ("mod", binary("mul", X, 9), n(4), binary("mod", X, 4)),
        ("add", binary("mul", binary("floordiv", X, 4), 4), binary("mod", X, 4), X),
        ("sub", X, binary("mul", binary("floordiv", X, 4), 4), binary("mod", X, 4)),
        ("add", binary("max_", X, Y), binary("min_", Y, X), binary("add", X, Y)),
        ("min_", X, X, X),
        ("max_", X, binary("add", X, 1), binary("add", X, 1)),
        ("min_", binary("min_", X, 8), n(4), binary("min_", X, 4)),
        ("pow", n(2), n(10), n(1024)),
        ("bit_xor", n(6), n(3), n(5)),
        ("bit_shift_left", n(1), n(4), n(16)),
    ],
)
def test_arithmetic_becomes_shorter(name, left, right, expected):
    assert same_value(fold(binary(name, left, right)), expected)


@pytest.mark.parametrize(
    "expr",
    [
        binary("add", X, Y),
        binary("add", binary("mul", X, 256), 256),
        binary("mul", binary("add", X, Y), 4),
        binary("floordiv", X, n(0)),
        binary("floordiv", X, n(4)),
        binary("floordiv", X, X),
        binary("mul", READ, n(0)),
        binary("sub", READ, READ),
        binary("bit_shift_left", n(1), n(64)),
        binary("add", ir.ConstInt(2**31 - 1, INT32), ir.ConstInt(1, INT32)),
        binary("lt", X, Y),
    ],
    ids=str,
)
def test_what_is_no_shorter_or_would_lose_something_stays_the_same_object(expr):
    assert fold(expr) is expr


def test_neutral_elements_go_beside_a_call():
    assert fold(binary("add", READ, n(0))) is READ
    assert fold(binary("mul", n(1), READ)) is READ


@pytest.mark.parametrize(
    ("name", "right", "expected"),
    [("floordiv", n(8), n(0)), ("mod", n(8), X), ("max_", n(0), X), ("min_", n(9), X)],
)
def test_ranges_decide_quotients_and_extremes(name, right, expected):
    assert same_value(fold(binary(name, X, right), x=(0, 7)), expected)


def test_a_variable_known_to_be_one_number_stays_in_sums():
    expr = binary("add", X, 1)
    assert fold(expr, x=(3, 3)) is expr


@pytest.mark.parametrize(
    ("name", "side", "expected"), [("and_", True, F), ("and_", False, False), ("or_", False, F), ("or_", True, True)]
)
def test_logic_with_a_constant_side(name, side, expected):
    for pair in ((F, ir.ConstBool(side)), (ir.ConstBool(side), F)):
        found = fold(binary(name, *pair))
        assert found is F if expected is F else found.value is expected


def test_two_negations_cancel():
    assert fold(ir.Not(ir.Not(F, BOOL), BOOL)) is F


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (ir.Neg(n(3), INT64), n(-3)),
        (ir.Abs(n(-3), INT64), n(3)),
        (ir.BitNot(n(0), INT64), n(-1)),
        (ir.Cast(n(3), INT32), number(3, INT32)),
        (ir.Cast(X, INT64), X),
        (ir.Cast(n(300), DataType.INT8), None),
        (ir.Cast(X, INT32), None),
    ],
)
def test_operators_with_one_operand(expr, expected):
    found = fold(expr)
    assert found is expr if expected is None else same_value(found, expected)
