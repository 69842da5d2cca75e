# SPDX-License-Identifier: Apache-2.0
"""Between which numbers the result of an operator lies, given the intervals of its operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_build.analysis.interval import ANY, Interval
from pypto_build.ir import (
    Abs,
    BinaryExpr,
    BitAnd,
    BitShiftLeft,
    BitShiftRight,
    Cast,
    Expr,
    FloorDiv,
    FloorMod,
    Max,
    Min,
    Mul,
    ScalarType,
    as_int,
)

Of = Callable[[Expr], Interval]
"""The interval of an operand."""


def _both(of: Of, expr: BinaryExpr) -> tuple[Interval, Interval]:
    return of(expr.left), of(expr.right)


def _is_integer(expr: Expr) -> bool:
    return isinstance(expr.type, ScalarType) and expr.type.dtype.is_int()


def _product(of: Of, expr: Mul) -> Interval:
    left, right = _both(of, expr)
    return left.product(right)


def _quotient(of: Of, expr: FloorDiv) -> Interval:
    left, right = _both(of, expr)
    return left.quotient(right)


def _remainder(of: Of, expr: FloorMod) -> Interval:
    left, right = _both(of, expr)
    if right.low is None or right.low <= 0:
        return ANY
    high = None if right.high is None else right.high - 1
    if left.low is not None and left.low >= 0 and left.high is not None:
        high = left.high if high is None else min(high, left.high)
    return Interval(0, high)


def _smaller(of: Of, expr: Min) -> Interval:
    left, right = _both(of, expr)
    return left.smaller(right)


def _larger(of: Of, expr: Max) -> Interval:
    left, right = _both(of, expr)
    return left.times(-1).smaller(right.times(-1)).times(-1)


def _absolute(of: Of, expr: Abs) -> Interval:
    return of(expr.operand).absolute()


def _cast(of: Of, expr: Cast) -> Interval:
    return of(expr.operand) if _is_integer(expr.operand) and expr.dtype.is_int() else ANY


def _masked(of: Of, expr: BitAnd) -> Interval:
    highs = [i.high for i in _both(of, expr) if i.low is not None and i.low >= 0]
    known = [high for high in highs if high is not None]
    return Interval(0, min(known) if known else None) if highs else ANY


def _shifted_left(of: Of, expr: BitShiftLeft) -> Interval:
    distance = as_int(expr.right)
    return of(expr.left).times(1 << distance) if distance is not None and 0 <= distance < 64 else ANY


def _shifted_right(of: Of, expr: BitShiftRight) -> Interval:
    distance = as_int(expr.right)
    if distance is None or not 0 <= distance < 64:
        return ANY
    return of(expr.left).quotient(Interval(1 << distance, 1 << distance))


RULES: dict[type[Expr], Callable[[Of, Any], Interval]] = {  # Any: each rule is asked about its own class only
    Mul: _product,
    FloorDiv: _quotient,
    FloorMod: _remainder,
    Min: _smaller,
    Max: _larger,
    Abs: _absolute,
    Cast: _cast,
    BitAnd: _masked,
    BitShiftLeft: _shifted_left,
    BitShiftRight: _shifted_right,
}
