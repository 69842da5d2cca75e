# SPDX-License-Identifier: Apache-2.0
"""Builders of elementwise tensor operations; a scalar on the right selects the scalar form where there is one."""

from __future__ import annotations

from typing import Protocol

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr
from pypto_build.ops.build.normal import CAST_MODES, Number, call, choice, is_scalar, scalar_for


class Unary(Protocol):
    """A function of one tensor."""

    def __call__(self, input: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class Binary(Protocol):
    """A function of a tensor and another tensor or a scalar."""

    def __call__(self, lhs: Expr, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Call: ...


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


def _of_tensors(name: str) -> Binary:
    def build(lhs: Expr, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"tensor.{name}", (lhs, scalar_for(lhs, rhs, span)), None, span)

    return build


def _of_either(name: str, scalar_name: str) -> Binary:
    def build(lhs: Expr, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
        chosen = scalar_name if is_scalar(rhs) else name
        return call(f"tensor.{chosen}", (lhs, scalar_for(lhs, rhs, span)), None, span)

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

add = _of_either("add", "adds")
sub = _of_either("sub", "subs")
mul = _of_either("mul", "muls")
fmod = _of_either("fmod", "fmods")
and_ = _of_either("and", "ands")
or_ = _of_either("or", "ors")
xor = _of_either("xor", "xors")
shl = _of_either("shl", "shls")
shr = _of_either("shr", "shrs")

adds = _of_tensors("adds")
subs = _of_tensors("subs")
muls = _of_tensors("muls")
divs = _of_tensors("divs")
fmods = _of_tensors("fmods")
ands = _of_tensors("ands")
ors = _of_tensors("ors")
xors = _of_tensors("xors")
shls = _of_tensors("shls")
shrs = _of_tensors("shrs")
maximum = _of_tensors("maximum")
minimum = _of_tensors("minimum")
part_add = _of_tensors("part_add")
part_mul = _of_tensors("part_mul")
part_max = _of_tensors("part_max")
part_min = _of_tensors("part_min")


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
