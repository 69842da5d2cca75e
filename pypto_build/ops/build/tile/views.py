# SPDX-License-Identifier: Apache-2.0
"""Builders of tile operations that look at a tile in another way, and of transposition."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, MakeTuple, as_expr
from pypto_build.ops.build.normal import Indices, Number, call
from pypto_build.ops.build.normal import indices as extents
from pypto_build.ops.build.normal import pad_value as as_pad_value
from pypto_build.ops.build.notices import warn_unused_pad


def slice(  # noqa: PLR0917 the public parameters
    tile: Expr,
    shape: Indices,
    offset: Indices,
    valid_shape: Indices | None = None,
    drop_dims: Indices | None = None,
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
    if pad_value is None:
        return call("tile.slice", args, None, span)
    made = call("tile.slice", args, {"pad_value": as_pad_value(pad_value)}, span)
    warn_unused_pad(made)
    return made


def reshape(tile: Expr, shape: Indices, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same elements in another shape."""
    return call("tile.reshape", (tile, extents(shape, span)), None, span)


def reinterpret_view(data: Expr, dtype: DataType, *, shape: Indices | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """The same bytes as elements of another type."""
    wanted = () if shape is None else (extents(shape, span),)
    return call("tile.reinterpret_view", (data, *wanted), {"dtype": dtype}, span)


def set_validshape(tile: Expr, valid_rows: Number, valid_cols: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile with another valid region."""
    return call("tile.set_validshape", (tile, as_expr(valid_rows, span), as_expr(valid_cols, span)), None, span)


def transpose(  # the signature that programs call
    tile: Expr,
    axis1: Number,
    axis2: Number,
    tmp_tile: Expr | None = None,
    *,
    tmp: Expr | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The tile with two axes swapped; passes add the scratch tile, which goes by two names."""
    given = tmp if tmp_tile is None else tmp_tile
    scratch = () if given is None else (given,)
    return call("tile.transpose", (tile, as_expr(axis1, span), as_expr(axis2, span), *scratch), None, span)


def transpose_view(tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same bytes with rows and columns exchanged."""
    return call("tile.transpose_view", (tile,), None, span)
