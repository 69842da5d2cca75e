# SPDX-License-Identifier: Apache-2.0
"""Scalar expressions in C++."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.errors import UserError
from pypto_build.ir import (
    Abs,
    Add,
    And,
    BinaryExpr,
    BitAnd,
    BitNot,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
    Cast,
    ConstBool,
    ConstFloat,
    ConstInt,
    Eq,
    Expr,
    FloatDiv,
    FloorDiv,
    FloorMod,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Ne,
    Neg,
    Not,
    Or,
    Sub,
    UnaryExpr,
    Xor,
    as_int,
)
from pypto_targets.orchestration.cpp import real, scalar_type

Write = Callable[[Expr], str]
_INFIX: dict[type[BinaryExpr], str] = {
    Add: "+",
    Sub: "-",
    Mul: "*",
    FloorDiv: "/",
    FloorMod: "%",
    Eq: "==",
    Ne: "!=",
    Lt: "<",
    Le: "<=",
    Gt: ">",
    Ge: ">=",
    And: "&&",
    Or: "||",
    Xor: "!=",
    BitAnd: "&",
    BitOr: "|",
    BitXor: "^",
    BitShiftLeft: "<<",
    BitShiftRight: ">>",
}
_FLOORED: dict[type[BinaryExpr], str] = {FloorDiv: "floor_div", FloorMod: "floor_mod"}
HELPERS = {
    "floor_div(": (
        "static inline int64_t floor_div(int64_t a, int64_t b) {",
        "    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));",
        "}",
    ),
    "floor_mod(": (
        "static inline int64_t floor_mod(int64_t a, int64_t b) {",
        "    return a % b + ((a % b != 0) && ((a < 0) != (b < 0)) ? b : 0);",
        "}",
    ),
}
"""What stands before the functions of a file that uses it: C++ division rounds towards zero, the IR's downwards."""


def binary(expr: BinaryExpr, write: Write, *, natural: Callable[[Expr], bool]) -> str:
    """An operation on two operands; `natural` says whether an operand is known not to be negative."""
    left, right = write(expr.left), write(expr.right)
    if isinstance(expr, Min | Max):
        function = "min" if isinstance(expr, Min) else "max"
        return f"std::{function}<{scalar_type(expr.dtype, expr.span)}>({left}, {right})"
    floored = _FLOORED.get(type(expr))
    if floored and not (natural(expr.left) and natural(expr.right)):
        return f"{floored}({left}, {right})"
    if isinstance(expr, FloatDiv):
        kind = scalar_type(expr.dtype, expr.span)
        return f"(static_cast<{kind}>({left}) / static_cast<{kind}>({right}))"
    symbol = _INFIX.get(type(expr))
    if symbol is None:
        name = type(expr).__name__
        raise UserError("ORCH004", f"an orchestration function cannot compute {name}", expr.span)
    return f"({left} {symbol} {right})"


def unary(expr: UnaryExpr, write: Write) -> str:
    """An operation on one operand."""
    operand = write(expr.operand)
    match expr:
        case Cast():
            return f"static_cast<{scalar_type(expr.dtype, expr.span)}>({operand})"
        case Neg():
            return f"(-{operand})"
        case Not():
            return f"(!{operand})"
        case BitNot():
            return f"(~{operand})"
        case Abs():
            kind = scalar_type(expr.dtype, expr.span)
            return f"std::max<{kind}>({operand}, -{operand})"
        case _:
            name = type(expr).__name__
            raise UserError("ORCH004", f"an orchestration function cannot compute {name}", expr.span)


def constant(expr: ConstBool | ConstInt | ConstFloat) -> str:
    """A literal."""
    if isinstance(expr, ConstBool):
        return "true" if expr.value else "false"
    if isinstance(expr, ConstFloat):
        return real(float(expr.value))
    return str(expr.value) if -(2**63) < expr.value < 2**63 else f"{expr.value}ULL"


def is_natural(expr: Expr, known: Callable[[Expr], bool]) -> bool:
    """Whether an integer expression cannot be negative; `known` answers for variables."""
    number = as_int(expr)
    if number is not None:
        return number >= 0
    match expr:
        case Add() | Mul() | FloorDiv() | Min() | FloorMod():
            return is_natural(expr.left, known) and is_natural(expr.right, known)
        case Max():
            return is_natural(expr.left, known) or is_natural(expr.right, known)
        case Cast():
            return is_natural(expr.operand, known)
        case _:
            return known(expr)
