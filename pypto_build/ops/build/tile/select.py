# SPDX-License-Identifier: Apache-2.0
"""Builders of comparisons, and of choices by the masks that they yield."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Constant, DataType, Expr
from pypto_build.ops.build.values import (
    COMPARISONS,
    Value,
    call,
    element_type,
    is_scalar,
    named_number,
    scalar_beside,
    typed_constant,
)
from pypto_build.ops.families.tile_select import signed_like


def cmp(lhs: Expr, rhs: Value, cmp_type: int | str = 0, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The packed mask of a comparison: eq, ne, lt, le, gt or ge (0 to 5)."""
    name = "tile.cmps" if is_scalar(rhs) else "tile.cmp"
    kind = named_number(cmp_type, COMPARISONS, "unknown cmp_type")
    return call(name, lhs, scalar_beside(lhs, rhs, span), span=span, cmp_type=kind)


def cmps(lhs: Expr, rhs: Value, cmp_type: int | str = 0, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The packed mask of a comparison with a scalar."""
    kind = named_number(cmp_type, COMPARISONS, "unknown cmp_type")
    return call("tile.cmps", lhs, scalar_beside(lhs, rhs, span), span=span, cmp_type=kind)


def sel(mask: Expr, lhs: Expr, rhs: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs where the mask is set, rhs elsewhere."""
    return call("tile.sel", mask, lhs, rhs, tmp, span=span)


def sels(mask: Expr, src: Expr, tmp: Expr, scalar: Value, *, span: Span = UNKNOWN_SPAN) -> Call:
    """src where the mask is set, a scalar elsewhere; a constant takes the type of src, signed."""
    return call("tile.sels", mask, src, tmp, _scalar_like(src, scalar, span), span=span)


def _scalar_like(src: Expr, scalar: Value, span: Span) -> Expr:
    """A constant at the type of src, signed where that is unsigned (the same bits); any other value as it is."""
    number = scalar.value if isinstance(scalar, Constant) else scalar
    if isinstance(number, Expr):
        return number
    dtype = element_type(src) or DataType.FP32
    if not dtype.is_int():
        return typed_constant(number, dtype, span)
    if number != int(number):
        raise ValueError(f"a non-integral scalar, {number}, cannot stand beside {dtype} elements")
    return typed_constant(_same_bits(int(number), dtype), signed_like(dtype), span)


def _same_bits(number: int, dtype: DataType) -> int:
    bits = dtype.get_bit()
    return number - (1 << bits) if dtype.is_unsigned_int() and number >= 1 << (bits - 1) else number


def prelu(tile: Expr, slope: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The element, or the slope of its place times the element where it is negative."""
    return call("tile.prelu", tile, slope, tmp, span=span)
