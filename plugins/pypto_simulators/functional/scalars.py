# SPDX-License-Identifier: Apache-2.0
"""Scalar arithmetic: Python numbers, cut to the width of the result's type after each operation.

Division and remainder of integers are mathematical (they round towards minus infinity), as in the IR.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from pypto_build.ir import (
    Abs,
    Add,
    And,
    BitAnd,
    BitNot,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
    Cast,
    Eq,
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
    Pow,
    Sub,
    Xor,
)

Number = Any  # int, float or bool


def divide(left: Number, right: Number) -> Number:
    """A quotient of floats: infinite where the divisor is 0, no number for 0 / 0."""
    if right:
        return left / right
    return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)


def _power(left: Number, right: Number) -> Number:
    try:
        return left**right
    except OverflowError:
        return math.inf


_o: Any = operator  # its stubs leave the types of integer operators open

BINARY: Final[dict[type, Callable[[Number, Number], Number]]] = {
    Add: _o.add,
    Sub: _o.sub,
    Mul: _o.mul,
    FloorDiv: _o.floordiv,
    FloorMod: _o.mod,
    FloatDiv: divide,
    Min: min,
    Max: max,
    Pow: _power,
    Eq: _o.eq,
    Ne: _o.ne,
    Lt: _o.lt,
    Le: _o.le,
    Gt: _o.gt,
    Ge: _o.ge,
    And: lambda left, right: bool(left) and bool(right),
    Or: lambda left, right: bool(left) or bool(right),
    Xor: lambda left, right: bool(left) != bool(right),
    BitAnd: _o.and_,
    BitOr: _o.or_,
    BitXor: _o.xor,
    BitShiftLeft: _o.lshift,
    BitShiftRight: _o.rshift,
}
UNARY: Final[dict[type, Callable[[Number], Number]]] = {
    Abs: abs,
    Neg: _o.neg,
    Not: _o.not_,
    BitNot: _o.invert,
    Cast: lambda operand: operand,
}
