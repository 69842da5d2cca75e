# SPDX-License-Identifier: Apache-2.0
"""The factory functions of scalar expressions: `ir.add`, `ir.lt`, `ir.cast`, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pypto_build.compat.callers import caller_span
from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.ir import DataType, Expr, Span, binary
from pypto_build.ir.scalar import BINARY_FACTORIES, as_expr, bit_not, cast_to, dtype_of, logical_not, neg

Operand = Expr | int | float | bool


def _operand(value: object) -> Operand:
    if isinstance(value, Arithmetic):
        return value.unwrap()
    if not isinstance(value, Operand):
        raise TypeError(f"expected a scalar expression or a number, got {type(value).__name__}")
    return value


def _binary(name: str) -> Callable[..., Expr]:
    def make(lhs: Operand, rhs: Operand, span: Span | None = None) -> Expr:
        return binary(name, _operand(lhs), _operand(rhs), span or caller_span())

    make.__name__ = name
    return make


def _unary(build: Callable[[Expr, Span], Expr], name: str) -> Callable[..., Expr]:
    def make(operand: Operand, span: Span | None = None) -> Expr:
        place = span or caller_span()
        return build(as_expr(_operand(operand), place), place)

    make.__name__ = name
    return make


def _bit_not(operand: Expr, span: Span) -> Expr:
    if not dtype_of(operand).is_int():
        raise TypeError(f"bit_not requires integer dtype, got {dtype_of(operand)}")
    return bit_not(operand, span)


def _cast(operand: Operand, dtype: DataType, span: Span | None = None) -> Expr:
    place = span or caller_span()
    return cast_to(as_expr(_operand(operand), place), dtype, place)


FACTORIES: Final[dict[str, Callable[..., Expr]]] = {
    **{name: _binary(name) for name in BINARY_FACTORIES if name != "xor"},
    "neg": _unary(neg, "neg"),
    "not_": _unary(logical_not, "not_"),
    "bit_not": _unary(_bit_not, "bit_not"),
    "cast": _cast,
}
