# SPDX-License-Identifier: Apache-2.0
"""Where a kernel runs, and passing tiles between the cube core and the vector cores."""

from __future__ import annotations

from pypto_build.ir import DataType, MemorySpace, ScalarType, TileType, as_int, scalar_type
from pypto_build.ops.arithmetic import divided_up, scaled
from pypto_build.ops.deduce import format_dim, format_shape, unknown
from pypto_build.ops.deduce_tile import checked_valid, tile_type
from pypto_build.ops.definition import AccessEvidence, CoreAffinity, CrossCoreRole, KwargDef, MemorySpec, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_equal
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import family, tiles

NO_SPLIT, ROWS, COLUMNS = 0, 1, 2


def block_index(_: Operands) -> ScalarType:
    """A number of a block or lane."""
    return scalar_type(DataType.INDEX)


def split_axis(operands: Operands, shape: Region, what: str) -> int | None:
    """The axis that the split attribute names; None where the value only crosses over.

    Raises:
        ValueError: an unknown mode, or one that splits something other than a matrix.
    """
    split = operands.value("split", NO_SPLIT)
    operands.check(split in (NO_SPLIT, ROWS, COLUMNS), f"got split={split}: split must be 0, 1 or 2")
    if split == NO_SPLIT:
        return None
    operands.check(len(shape) == 2, f"requires a 2D {what}, but got {format_shape(shape)}")
    return split - 1


def halved(region: Region, axis: int) -> Region:
    """The larger half along an axis."""
    return (*region[:axis], divided_up(region[axis], 2), *region[axis + 1 :])


def doubled(region: Region, axis: int) -> Region:
    """Twice the extent along an axis."""
    return (*region[:axis], scaled(region[axis], 2), *region[axis + 1 :])


def sharded(operands: Operands) -> TileType:
    """The half of a tile that one of the two vector lanes gets."""
    source = operands.tile(0)
    axis = split_axis(operands, source.shape, "tile")
    valid = checked_valid(operands, source)
    if axis is None:
        return tile_type(source.shape, source.dtype, valid, space=MemorySpace.Vec)
    check_lanes(operands, source.shape, valid, axis=axis)
    return tile_type(halved(source.shape, axis), source.dtype, halved(valid, axis), space=MemorySpace.Vec)


def check_lanes(operands: Operands, shape: Region, valid: Region, *, axis: int) -> None:
    """What each lane gets must be something that the transport can say: rows at run time, columns as a constant."""
    rows_full, columns_full = (provably_equal(a, b) for a, b in zip(valid, shape, strict=True))
    if axis == COLUMNS - 1:
        operands.check(
            columns_full,
            f"with LEFT_RIGHT splits the column axis, so its valid extent {format_dim(valid[1])} must be full",
        )
        return
    operands.check(
        rows_full or columns_full,
        f"needs a per-lane row extent, so the columns must be full, but {format_dim(valid[1])} are valid",
    )
    constant = columns_full or as_int(valid[1]) is not None
    shown = format_dim(valid[1])
    operands.check(
        constant, f"got a valid column extent {shown} that is a runtime value narrower than the physical box"
    )


def joined(operands: Operands) -> TileType:
    """The whole of a tile of which each lane holds a half."""
    source = operands.tile(0)
    axis = split_axis(operands, source.shape, "tile")
    valid = checked_valid(operands, source)
    if axis is None:
        return tile_type(source.shape, source.dtype, valid, space=MemorySpace.Mat)
    return tile_type(doubled(source.shape, axis), source.dtype, doubled(valid, axis), space=MemorySpace.Mat)


_SPLIT = KwargDef("split", int, default=NO_SPLIT)
_LANE_STRIDE = KwargDef("lane_stride", int)
_PIPE = KwargDef("id", int)

OPS = (
    *family(
        OpDef(
            name="",
            category="TileOp",
            deduce=block_index,
            no_memory=True,
            core_affinity=CoreAffinity.SHARED,
            access=AccessEvidence.NO_ACCESS,
        ),
        ("tile.get_block_idx", "the number of this block"),
        ("tile.get_block_num", "how many blocks there are"),
    ),
    OpDef(
        name="tile.get_subblock_idx",
        category="TileOp",
        deduce=block_index,
        no_memory=True,
        core_affinity=CoreAffinity.VECTOR,
        access=AccessEvidence.NO_ACCESS,
        description="the number of this vector lane",
    ),
    OpDef(
        name="tile.tpush_to_aiv",
        category="CrossCoreOp",
        args=tiles("tile"),
        kwargs=(_SPLIT, _LANE_STRIDE, _PIPE),
        deduce=unknown,
        no_memory=True,
        core_affinity=CoreAffinity.CUBE,
        cross_core_role=CrossCoreRole.TPUSH,
        description="pass a tile to the vector cores",
    ),
    OpDef(
        name="tile.tpush_to_aic",
        category="CrossCoreOp",
        args=tiles("tile"),
        kwargs=(_SPLIT, _PIPE),
        deduce=unknown,
        no_memory=True,
        core_affinity=CoreAffinity.VECTOR,
        cross_core_role=CrossCoreRole.TPUSH,
        description="pass a tile to the cube core",
    ),
    OpDef(
        name="tile.tpop_from_aic",
        category="CrossCoreOp",
        kwargs=(_SPLIT, _LANE_STRIDE, _PIPE),
        deduce=unknown,
        no_memory=True,
        core_affinity=CoreAffinity.VECTOR,
        cross_core_role=CrossCoreRole.TPOP,
        description="take a tile from the cube core; its type is stated",
    ),
    OpDef(
        name="tile.tpop_from_aiv",
        category="CrossCoreOp",
        kwargs=(_SPLIT, _PIPE),
        deduce=unknown,
        no_memory=True,
        core_affinity=CoreAffinity.CUBE,
        cross_core_role=CrossCoreRole.TPOP,
        description="take a tile from the vector cores; its type is stated",
    ),
    OpDef(
        name="tile.aiv_shard",
        category="CrossCoreOp",
        args=tiles("tile"),
        kwargs=(_SPLIT, _LANE_STRIDE),
        deduce=sharded,
        memory=MemorySpec(output=MemorySpace.Vec),
        description="the half of a tile that this vector lane gets",
    ),
    OpDef(
        name="tile.aic_gather",
        category="CrossCoreOp",
        args=tiles("tile"),
        kwargs=(_SPLIT,),
        deduce=joined,
        memory=MemorySpec(output=MemorySpace.Mat),
        description="the whole of a tile of which each vector lane holds a half",
    ),
)
