# SPDX-License-Identifier: Apache-2.0
"""Integer expressions for result types, simplified where the prover can decide: sums, products, minima, saturation."""

from __future__ import annotations

from pypto_build.ir import ConstInt, DataType, Expr, Mul, as_int, binary, const_index
from pypto_build.ops.proof import difference, provably_at_most

_INT64 = range(-(2**63), 2**63)
ZERO = const_index(0)
ONE = const_index(1)


def is_zero(value: Expr) -> bool:
    """Whether an expression is the constant 0, of whatever integer type."""
    return as_int(value) == 0


def plus(left: Expr, right: Expr) -> Expr:
    """left + right"""
    if is_zero(left) or is_zero(right):
        return right if is_zero(left) else left
    a, b = as_int(left), as_int(right)
    return binary("add", left, right) if a is None or b is None else const_index(a + b)


def times(left: Expr, right: Expr) -> Expr:
    """left * right"""
    a, b = as_int(left), as_int(right)
    if a is not None and b is not None and a * b in _INT64:
        return const_index(a * b)
    if a == 1 or b == 1:
        return right if a == 1 else left
    try:
        return binary("mul", left, right)
    except TypeError:  # an extent that is no scalar expression: keep the product as it is written
        return Mul(left, right, DataType.INDEX)


def scaled(value: Expr, factor: int) -> Expr:
    """value * factor"""
    constant = as_int(value)
    if constant is not None:
        return const_index(constant * factor)
    return value if factor == 1 else binary("mul", value, factor)


def divided_up(value: Expr, divisor: int) -> Expr:
    """The smallest integer that is not below value / divisor."""
    constant = as_int(value)
    if constant is not None:
        return const_index(-(-constant // divisor))
    return value if divisor == 1 else binary("floordiv", binary("add", value, divisor - 1), divisor)


def smaller(left: Expr, right: Expr) -> Expr:
    """The minimum; one of the two where the prover knows which."""
    if provably_at_most(left, right):
        return left
    return right if provably_at_most(right, left) else binary("min_", left, right)


def remaining(extent: Expr, offset: Expr, limit: Expr) -> Expr:
    """How much of `extent` lies behind `offset`, between 0 and `limit`: min(max(extent, offset) - offset, limit)."""
    if is_zero(offset):
        return smaller(extent, limit)
    left = difference(extent, offset)
    if left is not None:
        return smaller(const_index(max(left, 0)), limit)
    if provably_at_most(plus(offset, limit), extent):
        return limit
    return binary("min_", binary("sub", binary("max_", extent, offset), offset), limit)


def is_constant(value: Expr) -> bool:
    """Whether an expression is an integer literal."""
    return isinstance(value, ConstInt)
