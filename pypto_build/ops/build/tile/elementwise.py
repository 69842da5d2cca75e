# SPDX-License-Identifier: Apache-2.0
"""Builders of elementwise tile operations; a scalar on the right selects the scalar form where there is one."""

from __future__ import annotations

from typing import Protocol

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, as_expr, binary
from pypto_build.ops.build.normal import Number, call, cast_mode, is_scalar, scalar_for, untyped_as
from pypto_build.ops.build.two_operands import of_either, of_two


class Unary(Protocol):
    """A function of one tile."""

    def __call__(self, tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class Parts(Protocol):
    """A function of two tiles of which one may be valid where the other is not."""

    def __call__(self, src0: Expr, src1: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


def _unary(name: str) -> Unary:
    def build(tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (tile,), None, span)

    return build


def _of_parts(name: str) -> Parts:
    def build(src0: Expr, src1: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (src0, src1), None, span)

    return build


abs = _unary("tile.abs")
exp = _unary("tile.exp")
neg = _unary("tile.neg")
not_ = _unary("tile.not")
relu = _unary("tile.relu")
sqrt = _unary("tile.sqrt")
sin = _unary("tile.sin")
cos = _unary("tile.cos")

add = of_either("tile.add", "tile.adds")
sub = of_either("tile.sub", "tile.subs")
mul = of_either("tile.mul", "tile.muls")
maximum = of_either("tile.maximum", "tile.maximums")
minimum = of_either("tile.minimum", "tile.minimums")
fmod = of_either("tile.fmod", "tile.fmods")
and_ = of_either("tile.and", "tile.ands")
or_ = of_either("tile.or", "tile.ors")
shl = of_either("tile.shl", "tile.shls")
shr = of_either("tile.shr", "tile.shrs")

adds = of_two("tile.adds")
subs = of_two("tile.subs")
muls = of_two("tile.muls")
divs = of_two("tile.divs")
maximums = of_two("tile.maximums")
minimums = of_two("tile.minimums")
fmods = of_two("tile.fmods")
ands = of_two("tile.ands")
ors = of_two("tile.ors")
shls = of_two("tile.shls")
shrs = of_two("tile.shrs")

part_add = _of_parts("tile.part_add")
part_mul = _of_parts("tile.part_mul")
part_max = _of_parts("tile.part_max")
part_min = _of_parts("tile.part_min")


def div(lhs: Expr, rhs: Number, high_precision: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs / rhs; high_precision takes the slower, more exact way, for two tiles only."""
    if not is_scalar(rhs):
        return call("tile.div", (lhs, scalar_for(lhs, rhs, span)), {"high_precision": high_precision or None}, span)
    if high_precision:
        raise TypeError("high_precision requires a Tile rhs")
    return divs(lhs, rhs, span=span)


def log(tile: Expr, high_precision: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The natural logarithm."""
    return call("tile.log", (tile,), {"high_precision": high_precision or None}, span)


def recip(tile: Expr, high_precision: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call:
    """1 / the element."""
    return call("tile.recip", (tile,), {"high_precision": high_precision or None}, span)


def rsqrt(tile: Expr, tmp: Expr | None = None, *, span: Span = UNKNOWN_SPAN) -> Call:
    """1 / the square root; with a scratch tile to full precision."""
    scratch = () if tmp is None else (tmp,)
    return call("tile.rsqrt", (tile, *scratch), None, span)


def cast(tile: Expr, target_type: DataType, mode: int | str = "round", *, span: Span = UNKNOWN_SPAN) -> Call:
    """Converted to another element type; mode is none, rint, round, floor, ceil, trunc or odd."""
    rounding = cast_mode(mode)
    return call("tile.cast", (tile,), {"target_type": target_type, "mode": rounding}, span)


def rem(lhs: Expr, rhs: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The remainder of lhs / rhs, with the sign of rhs."""
    return call("tile.rem", (lhs, rhs, tmp), None, span)


def rems(lhs: Expr, rhs: Number, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The remainder of lhs / a scalar."""
    return call("tile.rems", (lhs, scalar_for(lhs, rhs, span), tmp), None, span)


def xor(lhs: Expr, rhs: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs ^ rhs"""
    return call("tile.xor", (lhs, rhs, tmp), None, span)


def xors(lhs: Expr, rhs: Number, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs ^ a scalar"""
    return call("tile.xors", (lhs, scalar_for(lhs, rhs, span), tmp), None, span)


def addc(lhs: Expr, rhs: Expr, rhs2: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs + rhs + rhs2"""
    return call("tile.addc", (lhs, rhs, rhs2), None, span)


def subc(lhs: Expr, rhs: Expr, rhs2: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs - rhs + rhs2"""
    return call("tile.subc", (lhs, rhs, rhs2), None, span)


def addsc(lhs: Expr, rhs: Number, rhs2: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs + a scalar + rhs2"""
    return call("tile.addsc", (lhs, scalar_for(lhs, rhs, span), rhs2), None, span)


def subsc(lhs: Expr, rhs: Number, rhs2: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs - a scalar + rhs2"""
    return call("tile.subsc", (lhs, scalar_for(lhs, rhs, span), rhs2), None, span)


def lrelu(tile: Expr, slope: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The element, or slope times the element where it is negative; an untyped slope is FP32."""
    value = untyped_as(slope, DataType.FP32, span)
    return call("tile.lrelu", (tile, value), None, span)


def max(lhs: Number, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Expr:
    """The larger of two scalars."""
    return binary("max_", as_expr(lhs, span), rhs, span)


def min(lhs: Number, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Expr:
    """The smaller of two scalars."""
    return binary("min_", as_expr(lhs, span), rhs, span)
