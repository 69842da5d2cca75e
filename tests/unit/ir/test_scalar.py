# SPDX-License-Identifier: Apache-2.0
"""Scalar arithmetic: promotion inside one category, comparisons to BOOL, numbers that take the other side's type."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir import DataType
from pypto_build.ir.scalar import (
    BINARY_FACTORIES,
    as_expr,
    as_int,
    bit_not,
    cast_to,
    constant_value,
    dims,
    dtype_of,
    logical_not,
    neg,
)
from tests.unit.ir.build import BOOL, FP16, FP32, INDEX, INT32, INT64, number, scalar, tensor

A32, B32, A64, H, F = scalar("a", INT32), scalar("b", INT32), scalar("c", INT64), scalar("h", FP16), scalar("f", FP32)
FLAG = scalar("flag", BOOL)
LOGICAL = {"and_", "or_", "xor"}
COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


@pytest.mark.parametrize("name", sorted(BINARY_FACTORIES))
def test_every_factory_makes_its_own_class(name: str):
    made = ir.binary(name, A32, B32)
    assert type(made) is BINARY_FACTORIES[name][1]
    assert (made.left, made.right) == (A32, B32)  # type: ignore[attr-defined]  # every one is binary
    assert dtype_of(made) is (BOOL if name in LOGICAL | COMPARISONS else INT32)


def test_there_is_a_factory_for_every_binary_class():
    assert {cls for _, cls in BINARY_FACTORIES.values()} == set(ir.BINARY_CLASSES)


@pytest.mark.parametrize(("left", "right", "dtype"), [(A32, A64, INT64), (A64, A32, INT64), (H, F, FP32), (F, H, FP32)])
def test_the_narrower_operand_is_converted(left: ir.Expr, right: ir.Expr, dtype: DataType):
    made = ir.binary("add", left, right)
    assert dtype_of(made) is dtype
    converted = [operand for operand in (made.left, made.right) if isinstance(operand, ir.Cast)]  # type: ignore[attr-defined]  # an Add
    assert [(cast.operand, cast.dtype) for cast in converted] == [
        (left if dtype_of(left) is not dtype else right, dtype)
    ]


def test_both_index_types_go_together_without_conversion():
    made = ir.binary("add", A64, scalar("i", INDEX))
    assert dtype_of(made) is INT64
    assert not ir.collect(made, ir.Cast)


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [("add", A32, F), ("mul", FLAG, A32), ("add", FLAG, FLAG), ("lt", A32, F), ("lt", FLAG, FLAG), ("eq", FLAG, A32)],
)
def test_operands_of_different_kinds_are_refused(name: str, left: ir.Expr, right: ir.Expr):
    with pytest.raises(TypeError, match=f"Operator '{name}' requires same numeric dtype category, got "):
        ir.binary(name, left, right)


@pytest.mark.parametrize("name", ["eq", "ne"])
def test_truth_values_can_be_compared_for_equality(name: str):
    assert dtype_of(ir.binary(name, FLAG, FLAG)) is BOOL


@pytest.mark.parametrize("name", ["bit_and", "bit_or", "bit_xor", "bit_shift_left", "bit_shift_right"])
def test_bits_are_those_of_integers(name: str):
    with pytest.raises(TypeError, match=f"Operator '{name}' requires integer operands, got fp32"):
        ir.binary(name, F, F)


@pytest.mark.parametrize(
    ("left", "right", "constant"),
    [(A32, 3, (3, INT32)), (3, A32, (3, INT32)), (F, 2.0, (2.0, FP32)), (H, 2.0, (2.0, FP16)), (A64, 3, (3, INT64))],
)
def test_a_number_takes_the_type_of_the_other_operand(left: object, right: object, constant: tuple[object, DataType]):
    made = ir.binary("mul", left, right)  # type: ignore[arg-type]  # one of the two is a number
    found = made.left if isinstance(left, int | float) else made.right  # type: ignore[attr-defined]  # a Mul
    assert (found.value, found.dtype) == constant


@pytest.mark.parametrize(("number_", "dtype"), [(3, INDEX), (2.5, FP32), (True, BOOL)])
def test_a_number_alone_has_the_type_of_its_literal(number_: float, dtype: DataType):
    assert dtype_of(as_expr(number_)) is dtype


def test_an_expression_is_no_number():
    assert as_expr(A32, like=INT64) is A32


@pytest.mark.parametrize("value", [tensor("t", 8), ir.Var("u", ir.UNKNOWN_TYPE)])
def test_only_scalars_have_an_element_type_here(value: ir.Expr):
    with pytest.raises(TypeError, match="expected a ScalarType operand"):
        dtype_of(value)


def test_one_operand_keeps_its_type_or_becomes_a_truth_value():
    assert (dtype_of(neg(A32)), dtype_of(bit_not(A32)), dtype_of(logical_not(A32))) == (INT32, INT32, BOOL)
    assert dtype_of(cast_to(A32, FP32)) is FP32
    with pytest.raises(TypeError, match="'bit_not' requires an integer operand, got fp32"):
        bit_not(F)


def test_the_place_of_an_operator_is_the_callers():
    span = ir.Span("k.py", 3, 7)
    assert ir.binary("add", A32, 1, span).span is span


def test_constants_give_their_values():
    assert (constant_value(ir.ConstBool(False)), constant_value(number(3)), constant_value(A32)) == (False, 3, None)
    assert (as_int(number(3)), as_int(ir.ConstFloat(3.0)), as_int(None)) == (3, None, None)


def test_shapes_turn_numbers_into_index_constants():
    shape = dims((8, A32))
    assert (shape[0].value, dtype_of(shape[0]), shape[1]) == (8, INDEX, A32)  # type: ignore[attr-defined]  # a constant
