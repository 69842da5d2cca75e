# SPDX-License-Identifier: Apache-2.0
"""Sorting rows: blocks of 32, and merging sorted runs of value and index pairs."""

from __future__ import annotations

from pypto_build.ir import DataType, TileType, as_int
from pypto_build.ops.arithmetic import plus, scaled
from pypto_build.ops.deduce import format_shape
from pypto_build.ops.deduce_tile import checked_valid, fresh_like, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different
from pypto_build.ops.tables import VEC, in_vector, tiles

SORTED = (DataType.FP16, DataType.FP32)
RUN = 64


def check_sorted(operands: Operands, dtype: DataType) -> None:
    """Only floating-point values are sorted."""
    operands.check(dtype in SORTED, f"requires src dtype FP16 or FP32, but got {dtype}")


def sorted_blocks(operands: Operands) -> TileType:
    """Each block of 32 sorted, as pairs of value and index."""
    source, index = operands.tile(0), operands.tile(1)
    check_sorted(operands, source.dtype)
    operands.check(index.dtype.is_int(), f"requires an integer idx tile, but got {index.dtype}")
    valid = checked_valid(operands, source, "src")
    shape = (*source.shape[:-1], scaled(source.shape[-1], 2))
    return tile_type(shape, source.dtype, (*valid[:-1], scaled(valid[-1], 2)))


def merged_runs(operands: Operands) -> TileType:
    """Four neighbouring sorted runs of block_len elements merged into one, over the whole row."""
    source = operands.tile(0)
    check_sorted(operands, source.dtype)
    check_block_length(operands, 1)
    return fresh_like(source)


def check_block_length(operands: Operands, index: int) -> None:
    """The length of a run is a positive multiple of 64, where it is known."""
    dtype, length = operands.scalar(index).dtype, as_int(operands.args[index])
    operands.check(dtype.is_int(), f"requires block_len to be an integer scalar, but got {dtype}")
    known = length is None or (length > 0 and length % RUN == 0)
    operands.check(known, f"requires block_len to be a positive multiple of {RUN}, but got {length}")


def merged_tiles(operands: Operands) -> TileType:
    """Two to four sorted tiles merged into one; the last argument is scratch of the size of the result."""
    found = [operands.tile(i) for i in range(len(operands.args))]
    sources, scratch = found[:-1], found[-1]
    check_sorted(operands, sources[0].dtype)
    first, total = sources[0], sources[0].shape[-1]
    for other in sources[1:]:
        types = f"{first.dtype} and {other.dtype}"
        operands.check(other.dtype is first.dtype, f"requires sources of matching dtype, but got {types}")
        shapes = f"{format_shape(first.shape)} and {format_shape(other.shape)}"
        same_rows = len(other.shape) == len(first.shape) and not any(
            map(provably_different, other.shape[:-1], first.shape[:-1])
        )
        operands.check(same_rows, f"requires sources with the same rows, but got {shapes}")
        total = plus(total, other.shape[-1])
    types = f"{first.dtype}, but got {scratch.dtype}"
    operands.check(scratch.dtype is first.dtype, f"requires tmp of matching dtype {types}")
    return tile_type((*first.shape[:-1], total), first.dtype)


OPS = (
    OpDef(
        name="tile.sort32",
        category="TileOp",
        args=tiles("src", "idx"),
        deduce=sorted_blocks,
        memory=in_vector(VEC, VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="each block of 32 sorted, as pairs of value and index",
    ),
    OpDef(
        name="tile.mrgsort_format1",
        category="TileOp",
        args=(*tiles("src"), ArgDef("block_len", "ScalarType")),
        deduce=merged_runs,
        memory=in_vector(VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="four neighbouring sorted runs merged into one, over the whole row",
    ),
    OpDef(
        name="tile.mrgsort_format2",
        category="TileOp",
        args=tiles("src0", "src1", "tmp_or_src2", "tmp_or_src3?", "tmp?"),
        kwargs=(KwargDef("exhausted", bool, default=False),),
        deduce=merged_tiles,
        memory=in_vector(VEC, VEC, VEC, VEC, VEC),
        not_inplace_safe=True,
        description="two to four sorted tiles merged into one; the last argument is scratch",
    ),
)
