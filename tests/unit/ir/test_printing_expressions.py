# SPDX-License-Identifier: Apache-2.0
"""Expressions as text: operators, parentheses, constants and tuples."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import BOOL, FP16, FP32, INDEX, INT32, INT64, number, scalar

A, B, C = scalar("a"), scalar("b"), scalar("c")


def two(cls: type[ir.BinaryExpr], left: ir.Expr = A, right: ir.Expr = B) -> ir.BinaryExpr:
    return cls(left, right, INDEX)


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (ir.Add, "a + b"),
        (ir.Sub, "a - b"),
        (ir.Mul, "a * b"),
        (ir.FloorDiv, "a // b"),
        (ir.FloorMod, "a % b"),
        (ir.FloatDiv, "a / b"),
        (ir.Pow, "a ** b"),
        (ir.Min, "pl.min(a, b)"),
        (ir.Max, "pl.max(a, b)"),
        (ir.Eq, "a == b"),
        (ir.Ne, "a != b"),
        (ir.Lt, "a < b"),
        (ir.Le, "a <= b"),
        (ir.Gt, "a > b"),
        (ir.Ge, "a >= b"),
        (ir.And, "a and b"),
        (ir.Or, "a or b"),
        (ir.Xor, "pl.xor(a, b)"),
        (ir.BitAnd, "a & b"),
        (ir.BitOr, "a | b"),
        (ir.BitXor, "a ^ b"),
        (ir.BitShiftLeft, "a << b"),
        (ir.BitShiftRight, "a >> b"),
    ],
)
def test_every_binary_operator_has_its_own_text(cls: type[ir.BinaryExpr], text: str):
    assert python_print(two(cls)) == text


def test_the_table_above_is_complete():
    marks = test_every_binary_operator_has_its_own_text.pytestmark
    assert {row[0] for row in marks[0].args[1]} == set(ir.BINARY_CLASSES)


@pytest.mark.parametrize(
    ("cls", "text"),
    [(ir.Neg, "-a"), (ir.Not, "not a"), (ir.BitNot, "~a"), (ir.Abs, "pl.abs(a)"), (ir.Cast, "pl.cast(a, pl.INT32)")],
)
def test_every_unary_operator_has_its_own_text(cls: type[ir.UnaryExpr], text: str):
    assert python_print(cls(A, INT32)) == text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (two(ir.Sub, two(ir.Sub), C), "a - b - c"),
        (two(ir.Sub, C, two(ir.Sub)), "c - (a - b)"),
        (two(ir.Mul, two(ir.Add), C), "(a + b) * c"),
        (two(ir.Add, two(ir.Mul), C), "a * b + c"),
        (two(ir.Pow, two(ir.Pow), C), "(a ** b) ** c"),
        (two(ir.Pow, C, two(ir.Pow)), "c ** a ** b"),
        (two(ir.Pow, ir.Neg(A, INDEX), B), "(-a) ** b"),
        (two(ir.Pow, A, ir.Neg(B, INDEX)), "a ** -b"),
        (two(ir.Pow, number(-2), B), "(-2) ** b"),
        (two(ir.Sub, A, number(-2)), "a - -2"),
        (ir.Neg(two(ir.Add), INDEX), "-(a + b)"),
        (ir.Not(two(ir.And), BOOL), "not (a and b)"),
        (two(ir.And, ir.Not(A, BOOL), B), "not a and b"),
        (two(ir.Eq, two(ir.Lt), C), "(a < b) == c"),
        (two(ir.And, A, two(ir.And, B, C)), "a and (b and c)"),
        (two(ir.BitOr, two(ir.BitAnd), two(ir.BitXor)), "a & b | a ^ b"),
        (two(ir.BitShiftLeft, A, two(ir.Add)), "a << a + b"),
    ],
)
def test_parentheses_stand_where_the_grammar_needs_them(expr: ir.Expr, text: str):
    assert python_print(expr) == text


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (number(3), "3"),
        (number(-3), "-3"),
        (number(3, INT64), "pl.const(3, pl.INT64)"),
        (number(-3, INT32), "pl.const(-3, pl.INT32)"),
        (ir.ConstFloat(2.0), "2.0"),
        (ir.ConstFloat(0.1), "0.10000000000000001"),
        (ir.ConstFloat(1e30), "1e+30"),
        (ir.ConstFloat(0.1, FP16), "pl.const(0.10000000000000001, pl.FP16)"),
        (ir.ConstFloat(float("inf")), "1e999"),
        (ir.ConstFloat(float("-inf")), "-1e999"),
        (ir.ConstFloat(float("nan")), 'pl.const("nan", pl.FP32)'),
        (ir.ConstBool(True), "True"),
    ],
)
def test_a_constant_states_its_type_unless_that_is_the_literals(constant: ir.Expr, text: str):
    assert python_print(constant) == text


def test_a_tree_of_constants_keeps_typed_leaves():
    tree = two(ir.Add, number(32), two(ir.Mul, number(2), number(3)))
    assert python_print(tree) == "pl.const(32, pl.INDEX) + pl.const(2, pl.INDEX) * pl.const(3, pl.INDEX)"


def test_a_variable_makes_the_constants_beside_it_bare():
    assert python_print(two(ir.Add, A, number(32))) == "a + 32"


def test_only_the_constant_part_of_a_tree_is_typed():
    tree = two(ir.Add, two(ir.Add, number(1), number(2)), A)
    assert python_print(tree) == "pl.const(1, pl.INDEX) + pl.const(2, pl.INDEX) + a"


def test_a_constant_under_a_cast_is_bare():
    assert python_print(two(ir.Sub, A, ir.Cast(number(256), INT32))) == "a - pl.cast(256, pl.INT32)"


def test_tuples_and_their_elements():
    pair = ir.Var("pair", ir.TupleType((ir.scalar_type(INDEX), ir.TupleType((ir.scalar_type(FP32),)))))
    nested = ir.TupleGetItemExpr(ir.TupleGetItemExpr(pair, 1), 0)
    assert python_print(ir.MakeTuple((A, nested))) == "[a, pair[1][0]]"


def test_the_prefix_is_the_callers_choice():
    assert python_print(ir.Cast(number(1, INT64), FP32), "lang") == "lang.cast(lang.const(1, lang.INT64), lang.FP32)"


@pytest.mark.parametrize("leaf_first", [True, False])
def test_a_deep_expression_is_no_limit(leaf_first: bool):
    expr: ir.Expr = A
    for _ in range(20_000):
        expr = two(ir.Sub, expr, B) if leaf_first else two(ir.Sub, B, expr)
    text = python_print(expr)
    assert text.count("b") == 20_000
    assert text.startswith("a - b" if leaf_first else "b - (b")


def test_a_deep_tree_of_constants_is_no_limit():
    expr: ir.Expr = number(0)
    for value in range(5_000):
        expr = two(ir.Add, expr, number(value))
    assert python_print(expr).count("pl.const") == 5_001
