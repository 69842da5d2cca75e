# SPDX-License-Identifier: Apache-2.0
"""How a tile of several dimensions reads as one of two: all axes but the last are one, row by row.

What is no box of rows and columns then (a valid region, a window) is refused, because no instruction can move it.
"""

from __future__ import annotations

from typing import TypeGuard

from pypto_build.errors import InternalError, Span, UserError
from pypto_build.ir import Expr, MakeTuple, TileType, Type, as_int
from pypto_build.ops.arithmetic import plus, times
from pypto_build.ops.deduce import format_shape, valid_shape_of
from pypto_build.ops.deduce_tile import stated_layout, tile_type
from pypto_build.ops.regions import Region
from pypto_build.ops.reshaping import leading_collapse, volume


def is_deep(kind: Type) -> TypeGuard[TileType]:
    """Whether a type is a tile of more than two dimensions."""
    return isinstance(kind, TileType) and len(kind.shape) > 2


def flat_shape(shape: Region) -> Region:
    """Rows and columns."""
    return volume(shape[:-1]), shape[-1]


def flat_region(tile: TileType, span: Span) -> Region:
    """The valid rows and columns.

    Raises:
        UserError: the valid elements do not lie together in the first rows.
    """
    valid = valid_shape_of(tile)
    region = leading_collapse(tile.shape, valid)[1]
    if not region:
        raise UserError(
            "FLAT002",
            f"the valid region {format_shape(valid)} of a tile of {format_shape(tile.shape)} is no region of rows and "
            "columns: its elements do not lie together when the tile is flattened to 2D",
            span,
            help="load one index of the outer dimension at a time, or fill the tile with pl.fillpad",
        )
    return region


def flat_type(tile: TileType, span: Span) -> TileType:
    """The tile with two dimensions, in the same memory and layout.

    Raises:
        UserError: an extent is not constant, or the valid part is no region of rows and columns.
    """
    for axis, dim in enumerate(tile.shape):
        if as_int(dim) is None:
            raise UserError(
                "FLAT001",
                f"a tile of {format_shape(tile.shape)} cannot be flattened to 2D: dimension {axis} is not constant. "
                "Cut it into constant chunks in a loop (pl.range, pl.parallel), with what is left of the last one as "
                "valid_shape, or reshape the tensor to two dimensions before the kernel",
                span,
            )
    view, shape = tile.effective_tile_view(), flat_shape(tile.shape)
    kind = tile_type(
        shape,
        tile.dtype,
        flat_region(tile, span),
        space=tile.memory_space,
        like=stated_layout(tile),
        pad=view.pad,
        compact=view.compact,
    )
    return kind if tile.memref is None else kind.replace(memref=tile.memref)


def flat_offset(offsets: Region, shape: Region) -> Region:
    """The row and the column that a place in a shape has."""
    row = offsets[0]
    for offset, extent in zip(offsets[1:-1], shape[1:-1], strict=True):
        row = plus(times(row, extent), offset)
    return row, offsets[-1]


def elements(value: Expr) -> Region:
    """The elements of a tuple of extents or offsets, which is always written out."""
    if not isinstance(value, MakeTuple):
        raise InternalError("a shape or an offset is no literal tuple", value.span)
    return value.elements
