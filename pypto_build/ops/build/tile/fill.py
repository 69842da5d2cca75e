# SPDX-License-Identifier: Apache-2.0
"""Builders of tiles made of nothing but numbers, and of padding."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, PadValue
from pypto_build.ops.build.normal import Indices, Number, call, untyped_as
from pypto_build.ops.build.normal import indices as extents
from pypto_build.ops.build.normal import pad_value as as_pad_value


def full(shape: Indices, dtype: DataType, value: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One value in every element."""
    return call("tile.full", (extents(shape, span), untyped_as(value, dtype, span)), {"dtype": dtype}, span)


def ci(
    start: Number,
    shape: Indices,
    dtype: DataType = DataType.INT32,
    descending: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A row of consecutive integers."""
    first = untyped_as(start, dtype, span)
    return call("tile.ci", (first, extents(shape, span)), {"dtype": dtype, "descending": descending}, span)


arange = ci


def tri(
    diagonal: Number,
    shape: Indices,
    valid_shape: Indices | None = None,
    dtype: DataType = DataType.INT32,
    upper: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Ones in a triangle below a diagonal, or with upper above it."""
    shift = untyped_as(diagonal, DataType.INT32, span)
    valid = () if valid_shape is None else (extents(valid_shape, span),)
    return call("tile.tri", (shift, extents(shape, span), *valid), {"dtype": dtype, "upper": upper}, span)


def random(  # noqa: PLR0917 the public parameters
    key0: Number,
    key1: Number,
    counter0: Number,
    counter1: Number,
    counter2: Number,
    counter3: Number,
    shape: Indices,
    valid_shape: Indices | None = None,
    dtype: DataType = DataType.UINT32,
    rounds: int = 10,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Random integers from a key and a counter."""
    words = (key0, key1, counter0, counter1, counter2, counter3)
    args = [*(untyped_as(word, DataType.INT32, span) for word in words), extents(shape, span)]
    valid = () if valid_shape is None else (extents(valid_shape, span),)
    return call("tile.random", (*args, *valid), {"dtype": dtype, "rounds": rounds}, span)


def fillpad(tile: Expr, pad_value: object = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile with its invalid elements set to zero, the largest or the smallest value."""
    return call("tile.fillpad", (tile,), {"pad_value": as_pad_value(pad_value)}, span)


def fillpad_inplace(tile: Expr, pad_value: object = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same, in the buffer of the tile."""
    return call("tile.fillpad_inplace", (tile,), {"pad_value": as_pad_value(pad_value)}, span)


def fillpad_expand(tile: Expr, shape: Indices, pad_value: object = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile in a larger shape, filled up."""
    return call("tile.fillpad_expand", (tile, extents(shape, span)), {"pad_value": as_pad_value(pad_value)}, span)
