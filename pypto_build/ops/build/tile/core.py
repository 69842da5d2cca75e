# SPDX-License-Identifier: Apache-2.0
"""Builders of tile operations that know of cores: where a kernel runs, and passing tiles between cores."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, SplitMode, TileType, rebuilt
from pypto_build.ops.build.normal import Indices, call
from pypto_build.ops.build.normal import indices as extents


def get_block_idx(*, span: Span = UNKNOWN_SPAN) -> Call:
    """The number of this block."""
    return call("tile.get_block_idx", (), None, span)


def get_block_num(*, span: Span = UNKNOWN_SPAN) -> Call:
    """How many blocks there are."""
    return call("tile.get_block_num", (), None, span)


def get_subblock_idx(*, span: Span = UNKNOWN_SPAN) -> Call:
    """The number of this vector lane."""
    return call("tile.get_subblock_idx", (), None, span)


def _mode(split: int | SplitMode) -> int:
    return split.value if isinstance(split, SplitMode) else split


def aiv_shard(
    x: Expr, *, split: int | SplitMode = 0, lane_stride: int | None = None, span: Span = UNKNOWN_SPAN
) -> Call:
    """The half of a tile that this vector lane gets."""
    return call("tile.aiv_shard", (x,), {"split": _mode(split), "lane_stride": lane_stride}, span)


def aic_gather(x: Expr, *, split: int | SplitMode = 0, span: Span = UNKNOWN_SPAN) -> Call:
    """The whole of a tile of which each vector lane holds a half."""
    return call("tile.aic_gather", (x,), {"split": _mode(split)}, span)


def tpush_to_aiv(
    tile: Expr, *, split: int, lane_stride: int | None = None, id: int | None = None, span: Span = UNKNOWN_SPAN
) -> Call:
    """Pass a tile to the vector cores."""
    return call("tile.tpush_to_aiv", (tile,), {"split": split, "lane_stride": lane_stride, "id": id}, span)


def tpush_to_aic(tile: Expr, *, split: int, id: int | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """Pass a tile to the cube core."""
    return call("tile.tpush_to_aic", (tile,), {"split": split, "id": id}, span)


def tpop_from_aic(
    *,
    shape: Indices | None = None,
    dtype: DataType | None = None,
    split: int = 0,
    lane_stride: int | None = None,
    id: int | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Take a tile from the cube core; its type follows from shape and dtype, or from an annotation."""
    made = call("tile.tpop_from_aic", (), {"split": split, "lane_stride": lane_stride, "id": id}, span)
    return _with_stated_type(made, shape, dtype=dtype)


def tpop_from_aiv(
    *,
    shape: Indices | None = None,
    dtype: DataType | None = None,
    split: int = 0,
    id: int | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Take a tile from the vector cores; its type follows from shape and dtype, or from an annotation."""
    return _with_stated_type(call("tile.tpop_from_aiv", (), {"split": split, "id": id}, span), shape, dtype=dtype)


def _with_stated_type(made: Call, shape: Indices | None, *, dtype: DataType | None) -> Call:
    if shape is None and dtype is None:
        return made
    if shape is None or dtype is None:
        raise ValueError("tpop takes shape and dtype together")
    sizes = extents(shape, made.span)
    return rebuilt(made, {"type": TileType(getattr(sizes, "elements", (sizes,)), dtype)})
