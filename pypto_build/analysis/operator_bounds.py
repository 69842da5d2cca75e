# SPDX-License-Identifier: Apache-2.0
"""Between which numbers the result of an operator lies, given the intervals of its operands."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, isfinite
from typing import Any

from pypto_build.analysis.interval import ANY, Interval
from pypto_build.analysis.type_ranges import is_integer
from pypto_build.ir import (
    Abs,
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
    Expr,
    FloorDiv,
    FloorMod,
    Max,
    Min,
    Mul,
    Pow,
    as_int,
)

Of = Callable[[Expr], Interval]
"""The interval of an operand."""


def _both(of: Of, expr: BinaryExpr) -> tuple[Interval, Interval]:
    return of(expr.left), of(expr.right)


def _product(of: Of, expr: Mul) -> Interval:
    left, right = _both(of, expr)
    return left.product(right)


def _quotient(of: Of, expr: FloorDiv) -> Interval:
    left, right = _both(of, expr)
    return left.quotient(right)


def _remainder(of: Of, expr: FloorMod) -> Interval:
    left, right = _both(of, expr)
    return left.remainder(right)


def _power(of: Of, expr: Pow) -> Interval:
    exponent = as_int(expr.right)
    return of(expr.left).power(exponent) if exponent is not None and exponent >= 0 else ANY


def _smaller(of: Of, expr: Min) -> Interval:
    left, right = _both(of, expr)
    return left.smaller(right)


def _larger(of: Of, expr: Max) -> Interval:
    left, right = _both(of, expr)
    return left.times(-1).smaller(right.times(-1)).times(-1)


def _absolute(of: Of, expr: Abs) -> Interval:
    return of(expr.operand).absolute()


def _cast(of: Of, expr: Cast) -> Interval:
    return of(expr.operand) if is_integer(expr.operand) and expr.dtype.is_int() else ANY


def _masked(of: Of, expr: BitAnd) -> Interval:
    highs = [i.high for i in _both(of, expr) if i.low is not None and i.low >= 0]
    known = [high for high in highs if high is not None]
    return Interval(0, min(known) if known else None) if highs else ANY


def _united_bits(of: Of, expr: BitOr | BitXor) -> Interval:
    """Of numbers that are not negative: no bit above their highest; `or` is at least as large as each."""
    left, right = _both(of, expr)
    if left.low is None or right.low is None or min(left.low, right.low) < 0:
        return ANY
    low = max(left.low, right.low) if isinstance(expr, BitOr) else 0
    if left.high is None or right.high is None:
        return Interval(low)
    return Interval(low, (1 << max(left.high, right.high).bit_length()) - 1)


def _inverted(of: Of, expr: BitNot) -> Interval:
    return of(expr.operand).times(-1).shifted(-1)


def _truth(_: Of, expr: ConstBool) -> Interval:
    return Interval(int(expr.value), int(expr.value))


def _around(_: Of, expr: ConstFloat) -> Interval:
    return Interval(floor(expr.value), ceil(expr.value)) if isfinite(expr.value) else ANY


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
    Pow: _power,
    Min: _smaller,
    Max: _larger,
    Abs: _absolute,
    Cast: _cast,
    BitAnd: _masked,
    BitOr: _united_bits,
    BitXor: _united_bits,
    BitNot: _inverted,
    BitShiftLeft: _shifted_left,
    BitShiftRight: _shifted_right,
    ConstBool: _truth,
    ConstFloat: _around,
}
