# SPDX-License-Identifier: Apache-2.0
"""Builders of tiles made of nothing but numbers, and of padding."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, PadValue
from pypto_build.ops.build.values import Extents, Value, call, extents, normalized_pad, typed_constant


def _at_type(value: Value, dtype: DataType, span: Span) -> Expr:
    """A bare number at an element type; an IR value as it is."""
    return value if isinstance(value, Expr) else typed_constant(value, dtype, span)


def full(shape: Extents, dtype: DataType, value: Value, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One value in every element."""
    return call("tile.full", extents(shape, span), _at_type(value, dtype, span), span=span, dtype=dtype)


def ci(
    start: Value,
    shape: Extents,
    dtype: DataType = DataType.INT32,
    descending: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A row of consecutive integers."""
    first = _at_type(start, dtype, span)
    return call("tile.ci", first, extents(shape, span), span=span, dtype=dtype, descending=descending)


arange = ci


def tri(
    diagonal: Value,
    shape: Extents,
    valid_shape: Extents | None = None,
    dtype: DataType = DataType.INT32,
    upper: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Ones in a triangle below a diagonal, or with upper above it."""
    shift = _at_type(diagonal, DataType.INT32, span)
    valid = () if valid_shape is None else (extents(valid_shape, span),)
    return call("tile.tri", shift, extents(shape, span), *valid, span=span, dtype=dtype, upper=upper)


def random(  # noqa: PLR0917 the public parameters
    key0: Value,
    key1: Value,
    counter0: Value,
    counter1: Value,
    counter2: Value,
    counter3: Value,
    shape: Extents,
    valid_shape: Extents | None = None,
    dtype: DataType = DataType.UINT32,
    rounds: int = 10,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Random integers from a key and a counter."""
    words = (key0, key1, counter0, counter1, counter2, counter3)
    args = [*(_at_type(word, DataType.INT32, span) for word in words), extents(shape, span)]
    valid = () if valid_shape is None else (extents(valid_shape, span),)
    return call("tile.random", *args, *valid, span=span, dtype=dtype, rounds=rounds)


def fillpad(tile: Expr, pad_value: object = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile with its invalid elements set to zero, the largest or the smallest value."""
    return call("tile.fillpad", tile, span=span, pad_value=normalized_pad(pad_value))


def fillpad_inplace(tile: Expr, pad_value: object = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same, in the buffer of the tile."""
    return call("tile.fillpad_inplace", tile, span=span, pad_value=normalized_pad(pad_value))


def fillpad_expand(tile: Expr, shape: Extents, pad_value: object = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile in a larger shape, filled up."""
    return call("tile.fillpad_expand", tile, extents(shape, span), span=span, pad_value=normalized_pad(pad_value))
