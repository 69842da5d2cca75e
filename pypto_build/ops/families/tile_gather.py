# SPDX-License-Identifier: Apache-2.0
"""Collecting elements of a tile: by index, by column pattern, by comparison, by block."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, TileType, TupleType, as_int
from pypto_build.ops.arithmetic import ONE, scaled
from pypto_build.ops.deduce import check_dtype, format_shape
from pypto_build.ops.deduce_tile import checked_valid, tile_type
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.patterns import compacted, marked
from pypto_build.ops.tables import ANY, VEC, in_vector, tiles

GATHERED = (DataType.FP16, DataType.FP32, DataType.INT16, DataType.INT32)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_BLOCK_BYTES = 32
_BLOCK_TYPES = (
    *(DataType.INT8, DataType.UINT8, DataType.INT16, DataType.UINT16, DataType.INT32, DataType.UINT32),
    *(DataType.FP16, DataType.BF16, DataType.FP32),
)


def gathered(operands: Operands) -> TileType:
    """An element of src for each index."""
    source, indices = operands.tile(0), operands.tile(1)
    operands.tile(2)
    check_dtype(operands, source.dtype, GATHERED, "src")
    check_dtype(operands, indices.dtype, (DataType.INT16, DataType.INT32), "indices")
    wide = indices.dtype is DataType.INT16 and source.dtype.get_bit() != 16
    operands.check(not wide, f"takes INT16 indices only with a 16-bit src, but src is {source.dtype}")
    return tile_type(indices.shape, source.dtype, checked_valid(operands, indices, "indices"))


def gathered_by_mask(operands: Operands) -> TileType:
    """The marked columns of each row, side by side."""
    source = operands.tile(0)
    shape = compacted(operands, source.shape, "input")
    dtype = operands.dtype("output_dtype", source.dtype)
    same_width = dtype.get_bit() == source.dtype.get_bit()
    operands.check(same_width, f"requires an output_dtype of the same bit width as {source.dtype}, but got {dtype}")
    valid = checked_valid(operands, source)
    return tile_type(shape, dtype, (*valid[:-1], marked(operands, valid[-1])))


def gathered_by_comparison(operands: Operands) -> TupleType:
    """The columns of each row that compare as asked with a scalar, and how many there are per row."""
    source, threshold, scratch = operands.tile(0), operands.scalar(1), operands.tile(2)
    check_dtype(operands, source.dtype, GATHERED, "src")
    same = threshold.dtype is source.dtype
    operands.check(same, f"requires kvalue dtype {source.dtype} as that of src, but got {threshold.dtype}")
    operands.check(scratch.dtype is DataType.UINT8, f"requires tmp dtype UINT8, but got {scratch.dtype}")
    operands.check(len(source.shape) == 2, f"requires a 2D src tile, but got {format_shape(source.shape)}")
    mode, count = operands.value("cmp_mode", 0), operands.value("out_cols", 0)
    operands.check(0 <= mode < len(COMPARISONS), f"requires cmp_mode in the range [0, 5], but got {mode}")
    operands.check(count > 0, f"requires a positive out_cols, but got {count}")
    counted = operands.dtype("count_dtype", DataType.INT32)
    check_dtype(operands, counted, (DataType.INT32, DataType.UINT32), "count")
    rows, valid = source.shape[0], checked_valid(operands, source, "src")[0]
    columns = scaled(ONE, count)
    indices = tile_type((rows, columns), DataType.INT32, (valid, columns))
    return TupleType((indices, tile_type((ONE, rows), counted, (ONE, valid))))


def gathered_blocks(operands: Operands) -> TileType:
    """A block of 32 bytes for each offset."""
    source, offsets = operands.tile(0), operands.tile(1)
    check_dtype(operands, source.dtype, _BLOCK_TYPES, "src")
    dtype = operands.dtype("output_dtype", source.dtype)
    operands.check(dtype in _BLOCK_TYPES, f"does not support output_dtype {dtype}")
    operands.check(len(source.shape) == 2, f"requires a 2D src tile, but got {format_shape(source.shape)}")
    operands.check(len(offsets.shape) == 2, f"requires a 2D offset tile, but got {format_shape(offsets.shape)}")
    unsigned = offsets.dtype is DataType.UINT32
    operands.check(unsigned, f"requires offset dtype UINT32, but got {offsets.dtype}")
    columns = as_int(offsets.shape[1])
    if columns is None:
        raise operands.error("requires static offset columns")
    aligned = columns > 0 and columns % 8 == 0
    operands.check(aligned, f"requires offset columns that are a positive multiple of 8, but got {columns}")
    per_block = _BLOCK_BYTES // dtype.get_byte()
    valid = checked_valid(operands, offsets, "offset")
    shape = offsets.shape[0], scaled(offsets.shape[1], per_block)
    return tile_type(shape, dtype, (valid[0], scaled(valid[1], per_block)))


OPS = (
    OpDef(
        name="tile.gather",
        category="TileOp",
        args=tiles("src", "indices", "tmp"),
        deduce=gathered,
        memory=in_vector(VEC, VEC, VEC),
        not_inplace_safe=True,
        description="src[index] for each index, counted through the whole tile",
    ),
    OpDef(
        name="tile.gather_mask",
        category="TileOp",
        args=tiles("src"),
        kwargs=(KwargDef("mask_pattern", int, required=True), KwargDef("output_dtype", DataType)),
        deduce=gathered_by_mask,
        memory=in_vector(VEC),
        not_inplace_safe=True,
        description="the marked columns of each row, side by side",
    ),
    OpDef(
        name="tile.gather_compare",
        category="TileOp",
        args=(*tiles("src"), ArgDef("kvalue", "ScalarType"), *tiles("tmp")),
        kwargs=(
            KwargDef("cmp_mode", int, default=0),
            KwargDef("offset", int, default=0),
            KwargDef("out_cols", int, required=True),
            KwargDef("count_dtype", DataType, default=DataType.INT32),
        ),
        deduce=gathered_by_comparison,
        memory=in_vector(VEC, ANY, VEC),
        effects={0: ArgEffect.Read, 1: ArgEffect.Read, 2: ArgEffect.Write},
        output_arity=2,
        workspace_args=(2,),
        not_inplace_safe=True,
        description="the columns that are eq, ne, lt, le, gt or ge kvalue (cmp_mode 0 to 5), and their number per row",
    ),
    OpDef(
        name="tile.gatherb",
        category="TileOp",
        args=tiles("src", "offset"),
        kwargs=(KwargDef("output_dtype", DataType),),
        deduce=gathered_blocks,
        memory=in_vector(VEC, VEC),
        not_inplace_safe=True,
        description="a block of 32 bytes of src for each byte offset",
    ),
)
