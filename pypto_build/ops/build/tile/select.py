# SPDX-License-Identifier: Apache-2.0
"""Builders of comparisons, and of choices by the masks that they yield."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Constant, DataType, Expr
from pypto_build.ops.build.normal import (
    Number,
    call,
    comparison,
    dtype_of_operand,
    is_scalar,
    scalar_for,
    typed_constant,
)
from pypto_build.ops.families.tile_select import signed_like


def cmp(lhs: Expr, rhs: Number, cmp_type: int | str = 0, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The packed mask of a comparison: eq, ne, lt, le, gt or ge (0 to 5)."""
    name = "tile.cmps" if is_scalar(rhs) else "tile.cmp"
    kind = comparison(cmp_type, "cmp_type")
    return call(name, (lhs, scalar_for(lhs, rhs, span)), {"cmp_type": kind}, span)


def cmps(lhs: Expr, rhs: Number, cmp_type: int | str = 0, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The packed mask of a comparison with a scalar."""
    kind = comparison(cmp_type, "cmp_type")
    return call("tile.cmps", (lhs, scalar_for(lhs, rhs, span)), {"cmp_type": kind}, span)


def sel(mask: Expr, lhs: Expr, rhs: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs where the mask is set, rhs elsewhere."""
    return call("tile.sel", (mask, lhs, rhs, tmp), None, span)


def sels(mask: Expr, src: Expr, tmp: Expr, scalar: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """src where the mask is set, a scalar elsewhere; a constant takes the type of src, signed."""
    return call("tile.sels", (mask, src, tmp, _scalar_like(src, scalar, span)), None, span)


def _scalar_like(src: Expr, scalar: Number, span: Span) -> Expr:
    """A constant at the type of src, signed where that is unsigned (the same bits); any other value as it is."""
    number = scalar.value if isinstance(scalar, Constant) else scalar
    if isinstance(number, Expr):
        return number
    if not isinstance(number, int | float):  # type: ignore[unnecessary-isinstance]  # users' input
        raise TypeError(f"expected a number or a scalar, got {type(number).__name__}")
    dtype = dtype_of_operand(src) or DataType.FP32
    if not dtype.is_int():
        return typed_constant(number, dtype, span)
    if not float(number).is_integer():
        raise ValueError(f"a non-integral scalar, {number}, cannot stand beside {dtype} elements")
    return typed_constant(_same_bits(int(number), dtype), signed_like(dtype), span)


def _same_bits(number: int, dtype: DataType) -> int:
    bits = dtype.get_bit()
    return number - (1 << bits) if dtype.is_unsigned_int() and number >= 1 << (bits - 1) else number


def prelu(tile: Expr, slope: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The element, or the slope of its place times the element where it is negative."""
    return call("tile.prelu", (tile, slope, tmp), None, span)
