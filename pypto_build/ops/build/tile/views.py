# SPDX-License-Identifier: Apache-2.0
"""Builders of tile operations that look at a tile in another way, and of transposition."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, MakeTuple, as_expr
from pypto_build.ops.build.values import Extents, Value, call, extents, normalized_pad


def slice(  # noqa: PLR0917 the public parameters
    tile: Expr,
    shape: Extents,
    offset: Extents,
    valid_shape: Extents | None = None,
    drop_dims: Extents | None = None,
    pad_value: object = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window of a tile; drop_dims removes axes of extent 1."""
    dropped = extents(drop_dims or (), span)
    none_dropped = isinstance(dropped, MakeTuple) and not dropped.elements
    args = [tile, extents(shape, span), extents(offset, span)]
    if valid_shape is not None or not none_dropped:
        args.append(extents(valid_shape or (), span))
    if not none_dropped:
        args.append(dropped)
    return call("tile.slice", *args, span=span, pad_value=None if pad_value is None else normalized_pad(pad_value))


def reshape(tile: Expr, shape: Extents, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same elements in another shape."""
    return call("tile.reshape", tile, extents(shape, span), span=span)


def reinterpret_view(data: Expr, dtype: DataType, *, shape: Extents | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """The same bytes as elements of another type."""
    wanted = () if shape is None else (extents(shape, span),)
    return call("tile.reinterpret_view", data, *wanted, span=span, dtype=dtype)


def set_validshape(tile: Expr, valid_rows: Value, valid_cols: Value, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile with another valid region."""
    return call("tile.set_validshape", tile, as_expr(valid_rows, span), as_expr(valid_cols, span), span=span)


def transpose(
    tile: Expr, axis1: Value, axis2: Value, tmp_tile: Expr | None = None, *, span: Span = UNKNOWN_SPAN
) -> Call:
    """The tile with two axes swapped; passes add the scratch tile."""
    scratch = () if tmp_tile is None else (tmp_tile,)
    return call("tile.transpose", tile, as_expr(axis1, span), as_expr(axis2, span), *scratch, span=span)


def transpose_view(tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same bytes with rows and columns exchanged."""
    return call("tile.transpose_view", tile, span=span)
