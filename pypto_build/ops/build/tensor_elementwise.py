# SPDX-License-Identifier: Apache-2.0
"""Builders of elementwise tensor operations; a scalar on the right selects the scalar form where there is one."""

from __future__ import annotations

from typing import Protocol

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr
from pypto_build.ops.build.normal import CAST_MODES, Number, call, choice, is_scalar, scalar_for
from pypto_build.ops.build.two_operands import of_either, of_two


class Unary(Protocol):
    """A function of one tensor."""

    def __call__(self, input: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class Precise(Protocol):
    """A function of one tensor that has a slower, more precise form."""

    def __call__(self, input: Expr, high_precision: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call: ...


def _unary(name: str) -> Unary:
    def build(input: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"tensor.{name}", (input,), None, span)

    return build


def _precise(name: str) -> Precise:
    def build(input: Expr, high_precision: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"tensor.{name}", (input,), {"high_precision": high_precision or None}, span)

    return build


abs = _unary("abs")
neg = _unary("neg")
exp = _unary("exp")
sqrt = _unary("sqrt")
sin = _unary("sin")
cos = _unary("cos")
not_ = _unary("not")
log = _precise("log")
recip = _precise("recip")
rsqrt = _precise("rsqrt")

add = of_either("tensor.add", "tensor.adds")
sub = of_either("tensor.sub", "tensor.subs")
mul = of_either("tensor.mul", "tensor.muls")
fmod = of_either("tensor.fmod", "tensor.fmods")
and_ = of_either("tensor.and", "tensor.ands")
or_ = of_either("tensor.or", "tensor.ors")
xor = of_either("tensor.xor", "tensor.xors")
shl = of_either("tensor.shl", "tensor.shls")
shr = of_either("tensor.shr", "tensor.shrs")

adds = of_two("tensor.adds")
subs = of_two("tensor.subs")
muls = of_two("tensor.muls")
divs = of_two("tensor.divs")
fmods = of_two("tensor.fmods")
ands = of_two("tensor.ands")
ors = of_two("tensor.ors")
xors = of_two("tensor.xors")
shls = of_two("tensor.shls")
shrs = of_two("tensor.shrs")
maximum = of_two("tensor.maximum")
minimum = of_two("tensor.minimum")
part_add = of_two("tensor.part_add")
part_mul = of_two("tensor.part_mul")
part_max = of_two("tensor.part_max")
part_min = of_two("tensor.part_min")


def div(lhs: Expr, rhs: Number, high_precision: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs / rhs; the precise form divides by a tensor only.

    Raises:
        TypeError: high_precision with a scalar.
    """
    if not is_scalar(rhs):
        return call("tensor.div", (lhs, scalar_for(lhs, rhs, span)), {"high_precision": high_precision or None}, span)
    if high_precision:
        raise TypeError("tensor.div with high_precision=True requires a Tensor rhs, got a scalar")
    return divs(lhs, rhs, span=span)


def cmp(lhs: Expr, rhs: Number, cmp_type: int = 0, *, span: Span = UNKNOWN_SPAN) -> Call:
    """1 where lhs compares with rhs as cmp_type says (eq, ne, lt, le, gt, ge as 0 to 5), else 0."""
    return call("tensor.cmp", (lhs, scalar_for(lhs, rhs, span)), {"cmp_type": cmp_type}, span)


def cast(input: Expr, target_type: DataType, mode: str | int = "round", *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tensor as another element type, rounded as mode says; ValueError for a mode that does not exist."""
    number = choice(mode, CAST_MODES, "Invalid rounding mode: mode")
    return call("tensor.cast", (input,), {"target_type": target_type, "mode": number}, span)


def expands(target: Expr, scalar: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A scalar in every element of a tensor of the target's shape."""
    return call("tensor.expands", (target, scalar_for(target, scalar, span)), None, span)
