# SPDX-License-Identifier: Apache-2.0
"""Putting tiles together and taking them apart by copying: assemble, extract, concat."""

from __future__ import annotations

from pypto_build.ir import (
    ArgEffect,
    CompactMode,
    DataType,
    Expr,
    MemorySpace,
    TileLayout,
    TileType,
    TileView,
    as_int,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.ops.deduce import check_same_dtype, format_dim, format_shape
from pypto_build.ops.deduce_tile import checked_valid, static_extents, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, KwargDef, OpDef
from pypto_build.ops.families.tile_memory import target_space
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different, same_dimensions
from pypto_build.ops.regions import RegionWrite, WindowRead, read_region, written_region
from pypto_build.ops.tables import SAME_SPACE, VEC, args, in_space_of, in_vector, tiles

_SUBVIEW_HINT = " (the hardware copies the whole source subview, so all of it must fit)"
_INDEX_TYPES = (DataType.INT64, DataType.UINT64, DataType.INDEX)
# What the extracting instruction writes into the operand buffers; a move writes other formats there.
_EXTRACTED = {
    MemorySpace.Left: TileView(blayout=TileLayout.row_major, slayout=TileLayout.row_major),
    MemorySpace.Right: TileView(blayout=TileLayout.row_major, slayout=TileLayout.col_major),
}


def assembled(operands: Operands) -> TileType:
    """The target with a source written into it."""
    target, source, offsets = operands.tile(0), operands.tile(1), operands.elements(2)
    narrowed = source.memory_space is MemorySpace.Acc and target.memory_space is MemorySpace.Mat
    if not narrowed:
        check_same_dtype(operands, target.dtype, source.dtype, "target and source")
    before = checked_valid(operands, target, "target")
    kept = TileType(target.shape, target.dtype, None, target.tile_view, target.memory_space)
    if not len(source.shape) == len(offsets) == len(target.shape):
        return kept
    write = RegionWrite(
        shape=target.shape,
        valid=before,
        source_valid=checked_valid(operands, source, "source"),
        offsets=offsets,
        moved=source.shape,
        hint=_SUBVIEW_HINT,
    )
    after = written_region(operands, write)
    if after is before:
        return kept
    view = target.effective_tile_view().replace(valid_shape=() if same_dimensions(after, target.shape) else after)
    return TileType(target.shape, target.dtype, None, view, target.memory_space)


def extracted(operands: Operands) -> TileType:
    """A window of a tile, repacked in another buffer."""
    source, shape = operands.tile(0), operands.elements(3)
    operands.check(len(shape) == 2, f"requires a 2D shape, but got {format_shape(shape)}")
    operands.check(len(source.shape) == 2, f"requires a 2D src tile, but got {format_shape(source.shape)}")
    static_extents(operands, shape, "each shape element", kind="compile-time ConstInt")
    for axis, name in enumerate(("row", "col")):
        _check_window(operands, axis + 1, shape[axis], extent=source.shape[axis], name=name)
    valid = checked_valid(operands, source, "src")
    read = WindowRead(source.shape, valid, window=shape, offsets=(operands.args[1], operands.args[2]))
    region = read_region(operands, read)
    space = target_space(operands, MemorySpace.Vec)
    layout = None if space is None else _EXTRACTED.get(space)
    packed = layout is not None and not same_dimensions(region, shape)
    compact = CompactMode.normal if packed else CompactMode.null
    return tile_type(shape, source.dtype, region, space=space, like=layout, compact=compact)


def _check_window(operands: Operands, argument: int, size: Expr, *, extent: Expr, name: str) -> None:
    index = operands.args[argument]
    dtype = operands.scalar(argument).dtype
    operands.check(dtype in _INDEX_TYPES, f"requires index_{name} of dtype INT64/UINT64/INDEX, but got {dtype}")
    start, count, limit = as_int(index), as_int(size), as_int(extent)
    operands.check(start is None or start >= 0, f"requires index_{name}, which must be >= 0, but got {start}")
    if count is None or limit is None:
        return
    end = count + (start or 0)
    shown = f"index {format_dim(index)} + {count} exceeds src {name} extent {limit}"
    operands.check(end <= limit, f"reads too far: {shown}")


def concatenated(operands: Operands) -> TileType:
    """Two tiles side by side."""
    left, right = operands.tile(0), operands.tile(1)
    check_same_dtype(operands, left.dtype, right.dtype, "src0 and src1")
    shapes = f"{format_shape(left.shape)} and {format_shape(right.shape)}"
    operands.check(len(left.shape) == len(right.shape) == 2, f"requires 2D tiles, but got {shapes}")
    operands.check(not provably_different(left.shape[0], right.shape[0]), f"row count must match, but got {shapes}")
    first, second = checked_valid(operands, left, "src0"), checked_valid(operands, right, "src1")
    shape = left.shape[0], plus(left.shape[1], right.shape[1])
    return tile_type(shape, left.dtype, (first[0], plus(first[1], second[1])))


OPS = (
    OpDef(
        name="tile.assemble",
        category="TileOp",
        args=(*tiles("target", "source"), ArgDef("offset", "TupleType")),
        deduce=assembled,
        memory=SAME_SPACE,
        effects={0: ArgEffect.ReadWrite},
        forbid_output_alias=(1,),  # the target is copied to the result before the source is read
        description="the target with a source written into it",
    ),
    OpDef(
        name="tile.extract",
        category="TileOp",
        args=(*tiles("src"), *args("ScalarType", "index_row", "index_col"), ArgDef("shape", "TupleType")),
        kwargs=(KwargDef("target_memory", MemorySpace),),
        deduce=extracted,
        memory=in_space_of("target_memory", MemorySpace.Vec),
        not_inplace_safe=True,
        description="a window of a tile, repacked in another buffer",
    ),
    OpDef(
        name="tile.concat",
        category="TileOp",
        args=tiles("src0", "src1"),
        deduce=concatenated,
        memory=in_vector(VEC, VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="two tiles side by side",
    ),
)
