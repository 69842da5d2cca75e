# SPDX-License-Identifier: Apache-2.0
"""Rules that tile operations share: fresh results that keep region and layout, checks of types and extents."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import (
    CompactMode,
    DataType,
    Expr,
    MemorySpace,
    PadValue,
    ScalarType,
    TileLayout,
    TileType,
    TileView,
    as_int,
    implicit_tile_view,
)
from pypto_build.ops.deduce import format_dim, valid_shape_of
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import same_dimensions
from pypto_build.ops.regions import Region

_BOXED_SPACES = frozenset(
    {
        MemorySpace.Mat,
        MemorySpace.Left,
        MemorySpace.Right,
        MemorySpace.Acc,
        MemorySpace.LeftScale,
        MemorySpace.RightScale,
    }
)


def tile_type(
    shape: Sequence[Expr],
    dtype: DataType,
    valid: Sequence[Expr] = (),
    *,
    space: MemorySpace | None = None,
    like: TileView | None = None,
    pad: PadValue = PadValue.null,
    compact: CompactMode = CompactMode.null,
) -> TileType:
    """A tile in a buffer of its own, valid in a region only, with the layout of `like` or what its space implies."""
    whole = tuple(shape)
    region = () if same_dimensions(valid, whole) else tuple(valid)
    layout = like or implicit_tile_view(whole, space)
    if like is None and not region and pad is PadValue.null and compact is CompactMode.null:
        return TileType(whole, dtype, None, None, space)
    view = TileView(
        valid_shape=region,
        blayout=layout.blayout,
        slayout=layout.slayout,
        fractal=layout.fractal,
        pad=pad,
        compact=compact,
    )
    return TileType(whole, dtype, None, view, space)


def own_layout(tile: TileType) -> TileView | None:
    """The view whose layout a vector result takes over: a stated one, unless the space gives its tiles a boxed one."""
    return tile.tile_view if tile.memory_space not in _BOXED_SPACES else None


def fresh_like(source: TileType, dtype: DataType | None = None) -> TileType:
    """A fresh tile of the same shape, layout and valid region; strides, offset and padding stay behind."""
    return tile_type(source.shape, dtype or source.dtype, valid_shape_of(source), like=own_layout(source))


def effective_layout(tile: TileType) -> tuple[TileLayout, TileLayout, int]:
    """blayout, slayout and fractal as stated, else as the memory space implies."""
    view = tile.tile_view or implicit_tile_view(tile.shape, tile.memory_space)
    return view.blayout, view.slayout, view.fractal


def stated_layout(tile: TileType) -> TileView | None:
    """The view of a tile that lies in another layout than its memory space implies; None for all others."""
    if tile.tile_view is None:
        return None
    implied = implicit_tile_view(tile.shape, tile.memory_space)
    stated = effective_layout(tile) != (implied.blayout, implied.slayout, implied.fractal)
    return tile.tile_view if stated else None


def checked_valid(operands: Operands, tile: TileType, what: str = "tile") -> Region:
    """The valid region, one extent per dimension; ValueError when a stated one has another rank."""
    valid = valid_shape_of(tile)
    rank = len(tile.shape)
    operands.check(len(valid) == rank, f"{what} valid_shape rank ({len(valid)}) must match the {what} rank ({rank})")
    return valid


def check_rank(operands: Operands, tile: TileType, what: str, *, rank: int = 2) -> None:
    """ValueError unless a tile has this many dimensions."""
    operands.check(len(tile.shape) == rank, f"requires a rank-{rank} {what} tile, but got rank {len(tile.shape)}")


def static_extents(
    operands: Operands, shape: Sequence[Expr], what: str, *, kind: str = "compile-time constant"
) -> tuple[int, ...]:
    """The extents of a shape that must be known when a buffer is allocated."""
    found: list[int] = []
    for dim in shape:
        extent = as_int(dim)
        if extent is None:
            raise operands.error(f"requires {what} to be a {kind}, but got {format_dim(dim)}")
        found.append(extent)
    return tuple(found)


def integer_scalar(operands: Operands, index: int, what: str) -> ScalarType:
    """The type of an argument that must be an integer scalar."""
    scalar = operands.scalar(index)
    operands.check(scalar.dtype.is_int(), f"requires {what} to be an integer scalar, but got {scalar.dtype}")
    return scalar
