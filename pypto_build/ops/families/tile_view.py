# SPDX-License-Identifier: Apache-2.0
"""Looking at a tile in another way without moving it: windows, shapes, element types, valid regions, transposition."""

from __future__ import annotations

from pypto_build.ir import DataType, Expr, PadValue, TileLayout, TileType, TileView, as_int
from pypto_build.ops.arithmetic import ONE
from pypto_build.ops.deduce import format_dim, format_shape, is_fully_valid
from pypto_build.ops.deduce_tile import checked_valid, effective_layout, stated_layout, static_extents, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import product, provably_above, provably_negative, same_dimensions
from pypto_build.ops.regions import Region, WindowRead, read_region
from pypto_build.ops.reinterpret import reinterpreted_region, reinterpreted_shape
from pypto_build.ops.reshaping import reshaped_region
from pypto_build.ops.tables import SAME_SPACE, args, tiles

_WINDOW_HINT = " (a window of a tile has no clamping mechanism: cut the read where the tile is loaded)"
_FLIPPED = {
    TileLayout.row_major: TileLayout.col_major,
    TileLayout.col_major: TileLayout.row_major,
    TileLayout.none_box: TileLayout.none_box,
}


def sliced(operands: Operands) -> TileType:
    """A window of a tile; axes of extent 1 may be dropped, but two axes remain."""
    source, shape, offsets = operands.tile(0), operands.elements(1), operands.elements(2)
    static_extents(operands, shape, "each extent of the window")
    ranks = f"{len(shape)} extents and {len(offsets)} offsets for rank {len(source.shape)}"
    operands.check(len(shape) == len(offsets), f"requires one offset per extent, but got {ranks}")
    requested = operands.elements(3) if operands.has(3) else ()
    read = WindowRead(
        shape=source.shape,
        valid=checked_valid(operands, source),
        window=shape,
        offsets=offsets,
        requested=requested or None,
        whole_window=True,
        hint=_WINDOW_HINT,
    )
    valid = read_region(operands, read)
    pad = operands.kwargs.get("pad_value", source.effective_tile_view().pad)
    if operands.has(4):
        shape, valid = _without_dropped(operands, shape, valid)
    layout = _window_layout(source, shape)
    return tile_type(
        shape,
        source.dtype,
        valid,
        space=source.memory_space,
        like=layout,
        pad=pad if isinstance(pad, PadValue) else PadValue.null,
    )


def _window_layout(source: TileType, shape: Region) -> TileView | None:
    """A stated layout carries over to a window of the same rank; an implied one is implied again."""
    return stated_layout(source) if len(shape) == len(source.shape) else None


def _without_dropped(operands: Operands, shape: Region, valid: Region) -> tuple[Region, Region]:
    dropped: set[int] = set()
    for item in operands.elements(4):
        axis = as_int(item)
        if axis is None or not 0 <= axis < len(shape):
            raise operands.error(f"drop_dims axis {format_dim(item)} is out of range for rank {len(shape)}")
        operands.check(as_int(shape[axis]) == 1, f"may only drop a static unit dimension, but got axis {axis}")
        single = as_int(valid[axis]) == 1
        operands.check(single, f"cannot drop axis {axis}: its valid extent is not provably 1")
        dropped.add(axis)
    kept = [i for i in range(len(shape)) if i not in dropped]
    lead = (ONE,) * max(0, 2 - len(kept))
    return (*lead, *(shape[i] for i in kept)), (*lead, *(valid[i] for i in kept))


def reshaped(operands: Operands) -> TileType:
    """The same elements in another shape."""
    source, shape = operands.tile(0), operands.elements(1)
    have, want = product(source.shape), product(shape)
    shapes = f"{format_shape(source.shape)} and {format_shape(shape)}"
    operands.check(None in (have, want) or have == want, f"requires the same number of elements, but got {shapes}")
    blayout, slayout, _ = effective_layout(source)
    flat = blayout is TileLayout.row_major and slayout is TileLayout.none_box
    valid = reshaped_region(operands, source.shape, checked_valid(operands, source), target=shape, row_major=flat)
    view = source.effective_tile_view()
    layout = stated_layout(source) if slayout is not TileLayout.none_box else None
    return tile_type(
        shape, source.dtype, valid, space=source.memory_space, like=layout, pad=view.pad, compact=view.compact
    )


def reinterpreted(operands: Operands) -> TileType:
    """The same bytes as elements of another type."""
    source, dtype = operands.tile(0), operands.dtype("dtype")
    blayout, slayout, _ = effective_layout(source)
    view = source.effective_tile_view()
    flat = slayout is TileLayout.none_box and not view.stride and view.start_offset is None
    operands.check(flat, "only supports flat tiles (slayout none_box, packed)")
    axis = 0 if blayout is TileLayout.row_major or len(source.shape) < 2 else 1
    along = len(source.shape) - 1 - axis
    asked = operands.elements(1) if operands.has(1) else None
    shape = reinterpreted_shape(
        operands, source.shape, (source.dtype, dtype), axis=along, asked=asked, partial=not is_fully_valid(source)
    )
    valid = reinterpreted_region(operands, checked_valid(operands, source), (source.dtype, dtype), axis=along)
    pad = view.pad if view.pad is PadValue.zero else PadValue.null
    region = shape if is_fully_valid(source) else valid
    layout = TileView(blayout=blayout, slayout=slayout)
    return tile_type(shape, dtype, region, space=source.memory_space, like=layout, pad=pad)


def with_valid_shape(operands: Operands) -> TileType:
    """The tile with another valid region."""
    source = operands.tile(0)
    operands.check(len(source.shape) == 2, f"requires a 2D tile, but got {format_shape(source.shape)}")
    for i, name in enumerate(("valid_rows", "valid_cols")):
        _check_extent(operands, operands.args[i + 1], source.shape[i], name)
        dtype = operands.scalar(i + 1).dtype
        operands.check(dtype.is_int(), f"requires {name} to be an integer scalar, but got {dtype}")
    view = source.effective_tile_view()
    valid = operands.args[1], operands.args[2]
    kept = view.replace(valid_shape=() if same_dimensions(valid, source.shape) else valid)
    return TileType(source.shape, source.dtype, None, kept, source.memory_space)


def _check_extent(operands: Operands, extent: Expr, limit: Expr, name: str) -> None:
    operands.check(not provably_negative(extent), f"requires {name} that must be >= 0, but got {format_dim(extent)}")
    if provably_above(extent, limit):
        raise operands.error(f"got {name}={format_dim(extent)}, which exceeds tile bound {format_dim(limit)}")


def _axis(operands: Operands, index: int, rank: int) -> int:
    value = as_int(operands.args[index])
    if value is None or not -rank <= value < rank:
        raise operands.error(f"requires a constant axis within rank {rank}, but got {format_dim(operands.args[index])}")
    return value % rank


def _swapped(values: Region, first: int, second: int) -> Region:
    order = list(range(len(values)))
    order[first], order[second] = second, first
    return tuple(values[i] for i in order)


def transposed(operands: Operands) -> TileType:
    """The tile with two axes swapped, in a buffer of its own."""
    source = operands.tile(0)
    rank = len(source.shape)
    operands.check(rank >= 2, f"requires a tile of at least 2 dimensions, but got rank {rank}")
    first, second = _axis(operands, 1, rank), _axis(operands, 2, rank)
    operands.check(first != second, f"requires two different axes, but got {first} twice")
    if operands.has(3):
        operands.tile(3)
    valid = _swapped(checked_valid(operands, source), first, second)
    return tile_type(_swapped(source.shape, first, second), source.dtype, valid, space=source.memory_space)


def transposed_view(operands: Operands) -> TileType:
    """The same bytes, read with rows and columns exchanged: each layout flips between row and column order."""
    source = operands.tile(0)
    rank = len(source.shape)
    operands.check(rank >= 2, f"requires a tile of at least 2 dimensions, but got rank {rank}")
    view = source.effective_tile_view()
    layout = TileView(blayout=_FLIPPED[view.blayout], slayout=_FLIPPED[view.slayout], fractal=view.fractal)
    valid = _swapped(checked_valid(operands, source), rank - 2, rank - 1)
    return tile_type(
        _swapped(source.shape, rank - 2, rank - 1),
        source.dtype,
        valid,
        space=source.memory_space,
        like=layout,
        pad=view.pad,
        compact=view.compact,
    )


OPS = (
    OpDef(
        name="tile.slice",
        category="TileOp",
        args=(*tiles("input"), *args("TupleType", "shape", "offset", "valid_shape?", "drop_dims?")),
        kwargs=(KwargDef("pad_value", PadValue),),
        deduce=sliced,
        memory=SAME_SPACE,
        access=AccessEvidence.NO_ACCESS,
        description="a window of a tile",
    ),
    OpDef(
        name="tile.reshape",
        category="TileOp",
        args=(*tiles("input"), ArgDef("shape", "TupleType")),
        deduce=reshaped,
        memory=SAME_SPACE,
        access=AccessEvidence.NO_ACCESS,
        description="the same elements in another shape",
    ),
    OpDef(
        name="tile.reinterpret_view",
        category="TileOp",
        args=(*tiles("data"), ArgDef("shape", "TupleType", optional=True)),
        kwargs=(KwargDef("dtype", DataType, required=True),),
        deduce=reinterpreted,
        memory=SAME_SPACE,
        access=AccessEvidence.NO_ACCESS,
        description="the same bytes as elements of another type",
    ),
    OpDef(
        name="tile.set_validshape",
        category="TileOp",
        args=(*tiles("tile"), *args("ScalarType", "valid_rows", "valid_cols")),
        deduce=with_valid_shape,
        memory=SAME_SPACE,
        access=AccessEvidence.NO_ACCESS,
        description="the tile with another valid region",
    ),
    OpDef(
        name="tile.transpose",
        category="TileOp",
        args=(*tiles("input"), *args("ScalarType", "axis1", "axis2"), *tiles("tmp?")),
        deduce=transposed,
        memory=SAME_SPACE,
        not_inplace_safe=True,
        description="the tile with two axes swapped",
    ),
    OpDef(
        name="tile.transpose_view",
        category="TileOp",
        args=tiles("input"),
        deduce=transposed_view,
        memory=SAME_SPACE,
        access=AccessEvidence.NO_ACCESS,
        description="the same bytes with rows and columns exchanged",
    ),
)
