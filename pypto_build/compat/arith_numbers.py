# SPDX-License-Identifier: Apache-2.0
"""`pypto.arith`: arithmetic on plain integers, and operators on constants computed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import Folder
from pypto_build.analysis.interval import range_of
from pypto_build.compat.public_errors import InternalError
from pypto_build.compat.public_errors import ValueError as PublicValueError
from pypto_build.ir import (
    Abs,
    Add,
    BinaryExpr,
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
    Pow,
    Sub,
    UnaryExpr,
    as_int,
)
from pypto_build.ir.expr import Constant

_LEAST, _MOST = -(2**63), 2**63 - 1


def floordiv(x: int, y: int) -> int:
    """x // y, rounded down; InternalError for a division by zero and for a quotient that 64 bits do not hold."""
    if y == 0 or x // y > _MOST:
        raise InternalError(f"floordiv({x}, {y}) is no 64-bit number")
    return x // y


def floormod(x: int, y: int) -> int:
    """x % y, with the sign of y; InternalError for a division by zero."""
    if y == 0:
        raise InternalError(f"floormod({x}, {y}) divides by zero")
    return x % y


def gcd(a: int, b: int) -> int:
    """The greatest common divisor, never negative."""
    return math.gcd(a, b)


def lcm(a: int, b: int) -> int:
    """The least common multiple, never negative."""
    return math.lcm(a, b)


def extended_euclidean(a: int, b: int) -> tuple[int, int, int]:
    """(g, x, y) with a x + b y = g, the greatest common divisor."""
    rests, left, right = (a, b), (1, 0), (0, 1)
    while rests[1]:
        count = rests[0] // rests[1]
        rests, left, right = [(pair[1], pair[0] - count * pair[1]) for pair in (rests, left, right)]
    sign = -1 if rests[0] < 0 else 1
    return sign * rests[0], sign * left[0], sign * right[0]


def fold_const(expr: Expr) -> Expr | None:
    """An operator of which an operand is constant, computed; None when it cannot be.

    Raises:
        ValueError: an integer division by zero, or one whose quotient its type does not hold.
    """
    match expr:
        case BinaryExpr(left=ConstFloat(value=left), right=ConstFloat(value=right)):
            return _of_floats(expr, left, right)
        case BinaryExpr():
            _refuse_division(expr)
            operands: tuple[Expr, ...] = (expr.left, expr.right)
        case UnaryExpr(operand=ConstFloat(value=value)) if type(expr) in _UNARY:
            return ConstFloat(_UNARY[type(expr)](value), expr.dtype, expr.span)
        case UnaryExpr():
            operands = (expr.operand,)
        case _:
            return None
    if not any(isinstance(operand, Constant) for operand in operands):
        return None
    found = Folder(Bounds()).fold(expr)
    return None if found is expr else found


def _refuse_division(expr: BinaryExpr) -> None:
    dividend, divisor = as_int(expr.left), as_int(expr.right)
    if not isinstance(expr, FloorDiv | FloorMod) or divisor is None or not isinstance(expr.right, ConstInt):
        return
    if divisor == 0:
        raise PublicValueError(f"{expr} divides by zero")
    most = range_of(expr.dtype).high
    if isinstance(expr, FloorDiv) and dividend is not None and most is not None and dividend // divisor > most:
        raise PublicValueError(f"{expr} is too large for {expr.dtype}")


def _of_floats(expr: BinaryExpr, left: float, right: float) -> Expr | None:
    if type(expr) in _COMPARED:
        return ConstBool(_COMPARED[type(expr)](left, right), expr.span)
    compute = _BINARY.get(type(expr))
    try:
        return None if compute is None else ConstFloat(compute(left, right), expr.dtype, expr.span)
    except (ArithmeticError, ValueError):  # a power that is too large, or no real number
        return None


def _quotient(left: float, right: float) -> float:
    """left / right as IEEE 754 has it: a division by zero gives an infinity, or no number."""
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)


_Compute = Callable[[float, float], Any]  # Any: numbers and truths
_BINARY: Final[dict[type[Expr], _Compute]] = {
    Add: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
    FloatDiv: _quotient,
    Pow: math.pow,
    Min: min,
    Max: max,
}
_COMPARED: Final[dict[type[Expr], _Compute]] = {
    Eq: operator.eq,
    Ne: operator.ne,
    Lt: operator.lt,
    Le: operator.le,
    Gt: operator.gt,
    Ge: operator.ge,
}
_UNARY: Final[dict[type[Expr], Callable[[float], float]]] = {Neg: operator.neg, Abs: abs}
