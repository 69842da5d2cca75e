# SPDX-License-Identifier: Apache-2.0
"""Builders of gathers: elements and rows collected by index, by pattern or by comparison."""

from __future__ import annotations

from enum import IntEnum

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, MemorySpace, TupleGetItemExpr
from pypto_build.ops.build.normal import Indices, Number, call, choice, comparison, elements_of, scalar_for
from pypto_build.ops.build.normal import indices as extents
from pypto_build.ops.families.tile_memory_gather import OUT_OF_BOUNDS

_COALESCE = ("row", "elem")


class MaskPattern(IntEnum):
    """Which columns of a row are marked; names read from right to left, the last digit is column 0."""

    P0101 = 1
    P1010 = 2
    P0001 = 3
    P0010 = 4
    P0100 = 5
    P1000 = 6
    P1111 = 7


def gather(src: Expr, indices: Expr, tmp: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """src[index] for each index, counted through the whole tile."""
    return call("tile.gather", (src, indices, tmp), None, span)


def gather_mask(
    src: Expr, mask_pattern: int, *, output_dtype: DataType | None = None, span: Span = UNKNOWN_SPAN
) -> Call:
    """The marked columns of each row, side by side."""
    return call("tile.gather_mask", (src,), {"mask_pattern": mask_pattern, "output_dtype": output_dtype}, span)


def gather_compare(
    src: Expr,
    kvalue: Number,
    tmp: Expr,
    *,
    cmp_mode: int | str = "eq",
    offset: int = 0,
    out_cols: int,
    count_dtype: DataType | None = None,
    span: Span = UNKNOWN_SPAN,
) -> tuple[TupleGetItemExpr, ...]:
    """The columns of each row that compare as asked with kvalue, and how many there are per row."""
    made = call(
        "tile.gather_compare",
        (src, scalar_for(src, kvalue, span), tmp),
        {"cmp_mode": comparison(cmp_mode), "offset": offset, "out_cols": out_cols, "count_dtype": count_dtype},
        span,
    )
    return elements_of(made)


def gatherb(src: Expr, offset: Expr, *, output_dtype: DataType | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """A block of 32 bytes of src for each byte offset."""
    return call("tile.gatherb", (src, offset), {"output_dtype": output_dtype}, span)


def gather_row(  # noqa: PLR0917 the public parameters
    dst: Expr,
    src: Expr,
    dst_offset: Indices,
    src_offset: Indices,
    shapes: Indices,
    transpose: bool = False,
    *,
    valid_shape: Indices | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """dst with a window of a tensor loaded into it, rows as columns with transpose."""
    places = [extents(place, span) for place in (dst_offset, src_offset, shapes)]
    valid = () if valid_shape is None else (extents(valid_shape, span),)
    return call("tile.gather_row", (dst, src, *places, *valid), {"transpose": transpose}, span)


def mgather(
    mem: Expr,
    idx: Expr,
    coalesce: int | str = "row",
    *,
    gather_oob: int | str = "undefined",
    target_memory: MemorySpace = MemorySpace.Vec,
    scratch: Expr | None = None,
    valid_shape: Indices | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Rows or elements of a tensor, by index; elements go to Mat through a scratch tensor."""
    staging = () if scratch is None else (scratch,)
    valid = () if valid_shape is None else (extents(valid_shape, span),)
    return call(
        "tile.mgather",
        (mem, idx, *staging, *valid),
        {
            "coalesce": choice(coalesce, _COALESCE, "coalesce"),
            "gather_oob": choice(gather_oob, OUT_OF_BOUNDS, "gather_oob") or None,
            "target_memory": None if target_memory is MemorySpace.Vec else target_memory,
        },
        span,
    )
