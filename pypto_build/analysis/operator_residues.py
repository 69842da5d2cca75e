# SPDX-License-Identifier: Apache-2.0
"""Which remainder the result of an operator leaves, given those of its operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_build.analysis.residue import ANY_RESIDUE, Residue
from pypto_build.ir import (
    Abs,
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
    as_int,
    dtype_of,
)

ResidueOf = Callable[[Expr], Residue]
"""The remainder of an operand."""


def _product(of: ResidueOf, expr: Mul) -> Residue:
    return of(expr.left).product(of(expr.right))


def _quotient(of: ResidueOf, expr: FloorDiv) -> Residue:
    divisor = as_int(expr.right)
    return of(expr.left).quotient(divisor) if divisor else ANY_RESIDUE


def _remainder(of: ResidueOf, expr: FloorMod) -> Residue:
    return of(expr.left).remainder(of(expr.right))


def _either(of: ResidueOf, expr: Min | Max) -> Residue:
    return of(expr.left).union(of(expr.right))


def _absolute(of: ResidueOf, expr: Abs) -> Residue:
    operand = of(expr.operand)
    return operand.union(operand.times(-1))


def _masked(of: ResidueOf, expr: BitAnd) -> Residue:
    """The low bits, when the mask is all of them."""
    for value, mask in ((expr.left, as_int(expr.right)), (expr.right, as_int(expr.left))):
        if mask is not None and mask > 0 and mask & (mask + 1) == 0:
            return of(value).remainder(Residue(0, mask + 1))
    return ANY_RESIDUE


def _shifted_left(of: ResidueOf, expr: BitShiftLeft) -> Residue:
    distance = as_int(expr.right)
    return of(expr.left).times(1 << distance) if distance is not None and 0 <= distance < 64 else ANY_RESIDUE


def _shifted_right(of: ResidueOf, expr: BitShiftRight) -> Residue:
    distance = as_int(expr.right)
    return of(expr.left).quotient(1 << distance) if distance is not None and 0 <= distance < 64 else ANY_RESIDUE


def _cast(of: ResidueOf, expr: Cast) -> Residue:
    dtypes = dtype_of(expr.operand), expr.dtype
    return of(expr.operand).wrapped(expr.dtype.get_bit()) if all(dtype.is_int() for dtype in dtypes) else ANY_RESIDUE


RESIDUE_RULES: dict[type[Expr], Callable[[ResidueOf, Any], Residue]] = {  # Any: each is asked about its own class only
    Mul: _product,
    FloorDiv: _quotient,
    FloorMod: _remainder,
    Min: _either,
    Max: _either,
    Abs: _absolute,
    BitAnd: _masked,
    BitShiftLeft: _shifted_left,
    BitShiftRight: _shifted_right,
    Cast: _cast,
}
