# SPDX-License-Identifier: Apache-2.0
"""Builders of scatters and sorts."""

from __future__ import annotations

from typing import cast

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr
from pypto_build.ops.build.normal import Number, call, typed_constant


def scatter(dst: Expr, src: Expr, indexes: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """dst with the elements of src written where the indexes say, counted through the whole tile."""
    return call("tile.scatter", (dst, src, indexes), None, span)


def scatter_mask(dst: Expr, src: Expr, mask_pattern: int, *, span: Span = UNKNOWN_SPAN) -> Call:
    """dst with the columns of src written to its marked columns."""
    return call("tile.scatter_mask", (dst, src), {"mask_pattern": mask_pattern}, span)


def scatter_update(
    input: Expr, *args: Expr | int, dim: int | None = None, span: Span = UNKNOWN_SPAN, **kwargs: Expr
) -> Call:
    """input with rows of src written where the index says: (input, dim, index, src) or (input, index, src, dim=)."""
    values = list(args)
    if values and isinstance(values[0], int):
        dim = cast("int", values.pop(0))
    names = ("index", "src")
    values += [kwargs.pop(name) for name in names[len(values) :] if name in kwargs]
    if kwargs or len(values) != len(names) or any(isinstance(value, int) for value in values):
        raise TypeError("scatter_update takes input, dim, index and src")
    parts = cast("list[Expr]", values)
    return call("tile.scatter_update", (input, *parts), {"dim": -2 if dim is None else dim}, span)


def mscatter(src: Expr, idx: Expr, output_tensor: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tensor with the elements of a tile written where the indices say."""
    return call("tile.mscatter", (src, idx, output_tensor), None, span)


def sort32(src: Expr, idx: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Each block of 32 sorted, as pairs of value and index."""
    return call("tile.sort32", (src, idx), None, span)


def mrgsort(  # noqa: PLR0917 the public parameters
    src0: Expr,
    src1: Expr | None = None,
    src2: Expr | None = None,
    src3: Expr | None = None,
    tmp: Expr | None = None,
    exhausted: bool = False,
    *,
    block_len: Number | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Sorted runs merged: those inside src0 (block_len), or two to four tiles, of which the last one is scratch."""
    others = [tile for tile in (src1, src2, src3, tmp) if tile is not None]
    if block_len is not None:
        if others or exhausted:
            raise ValueError("block_len and further sources are mutually exclusive in mrgsort")
        length = block_len if isinstance(block_len, Expr) else typed_constant(block_len, DataType.INT32, span)
        return call("tile.mrgsort_format1", (src0, length), None, span)
    if len(others) < 2:
        raise ValueError("mrgsort needs block_len, or at least src1 and tmp")
    return call("tile.mrgsort_format2", (src0, *others), {"exhausted": exhausted}, span)


def mrgsort_format1(src: Expr, block_len: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Sorted runs of block_len inside src merged."""
    return mrgsort(src, block_len=block_len, span=span)


def mrgsort_format2(*tiles: Expr, exhausted: bool = False, span: Span = UNKNOWN_SPAN) -> Call:
    """Two to four sorted tiles merged; the last argument is scratch."""
    return call("tile.mrgsort_format2", tiles, {"exhausted": exhausted}, span)
