# SPDX-License-Identifier: Apache-2.0
"""Writing elements of a tile to places that an index or a column pattern names."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, TensorType, TileType, WriteChannel
from pypto_build.ops.deduce import check_dtype, check_same_dtype, format_shape
from pypto_build.ops.definition import ArgDef, KwargDef, MemorySpec, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.patterns import check_pattern, spread
from pypto_build.ops.proof import provably_different
from pypto_build.ops.tables import VEC, in_vector, tiles

SCATTERED = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32, DataType.BF16)


def alias_of(tile: TileType) -> TileType:
    """The type of a result that is the buffer of an argument."""
    return TileType(tile.shape, tile.dtype, None, tile.tile_view, tile.memory_space)


def index_dtype(dtype: DataType) -> DataType:
    """The type of the indices beside elements of a type."""
    return DataType.INT32 if dtype.get_byte() == 4 else DataType.INT16


def scattered(operands: Operands) -> TileType:
    """dst with each element of src written where its index says, counted through the whole tile."""
    target, source, indices = operands.tile(0), operands.tile(1), operands.tile(2)
    check_dtype(operands, target.dtype, SCATTERED, "dst")
    types = f"{target.dtype} and {source.dtype}"
    operands.check(target.dtype is source.dtype, f"requires dst dtype to match src dtype, but got {types}")
    wanted = index_dtype(target.dtype)
    matching = indices.dtype is wanted
    operands.check(matching, f"requires indexes dtype {wanted} for {target.dtype}, but got {indices.dtype}")
    ranks = len(source.shape) == len(indices.shape) == 2
    operands.check(ranks, f"requires 2D src and indexes, but got {_shapes(source, indices)}")
    for axis in range(2):
        same = not provably_different(indices.shape[axis], source.shape[axis])
        rule = f"indexes.shape[{axis}] == src.shape[{axis}]"
        operands.check(same, f"requires {rule}, but got {_shapes(indices, source)}")
    return alias_of(target)


def _shapes(left: TileType, right: TileType) -> str:
    return f"{format_shape(left.shape)} and {format_shape(right.shape)}"


def scattered_by_mask(operands: Operands) -> TileType:
    """dst with the columns of src written to its marked columns."""
    target, source = operands.tile(0), operands.tile(1)
    check_pattern(operands)
    check_same_dtype(operands, target.dtype, source.dtype, "dst and src")
    wanted = spread(operands, source.shape)
    pattern = operands.value("mask_pattern", 0)
    fits = len(target.shape) == len(wanted) and not any(map(provably_different, target.shape, wanted))
    shapes = f"{format_shape(wanted)}, but got {format_shape(target.shape)}"
    operands.check(fits, f"with mask_pattern={pattern} requires dst of shape {shapes}")
    return alias_of(target)


def updated_rows(operands: Operands) -> TileType:
    """input with whole rows of src written where the index says."""
    target, index, source = operands.tile(0), operands.tile(1), operands.tile(2)
    dim = operands.value("dim", -2)
    operands.check(dim == -2, f"supports only dim=-2, but got {dim}")
    integer = index.dtype.is_int()
    operands.check(integer, f"requires index dtype to be an integer type, but got {index.dtype}")
    types = f"{target.dtype} and {source.dtype}"
    operands.check(target.dtype is source.dtype, f"requires src dtype to match input dtype, but got {types}")
    ranks = len(source.shape) == len(target.shape) >= 2
    operands.check(ranks, f"requires input and src of one rank, but got {_shapes(target, source)}")
    same_row = not provably_different(target.shape[-1], source.shape[-1])
    operands.check(same_row, f"requires rows of one length, but got {_shapes(target, source)}")
    return alias_of(target)


def scattered_to_memory(operands: Operands) -> TensorType:
    """The tensor with each element of a tile written where its index says."""
    source, indices, target = operands.tile(0), operands.tile(1), operands.tensor(2)
    check_dtype(operands, source.dtype, SCATTERED, "src")
    operands.check(indices.dtype is DataType.INT32, f"requires idx dtype INT32, but got {indices.dtype}")
    ranks = f"{len(indices.shape)} and {len(source.shape)}"
    operands.check(len(indices.shape) == len(source.shape), f"requires idx rank to match the src rank, but got {ranks}")
    same = not any(map(provably_different, indices.shape, source.shape))
    operands.check(same, f"requires idx shape to match src shape, but got {_shapes(indices, source)}")
    operands.check(bool(target.shape), "requires an output_tensor of at least 1 dimension")
    types = f"{source.dtype}, but got {target.dtype}"
    operands.check(target.dtype is source.dtype, f"requires output_tensor dtype {types}")
    return target


_UPDATED = {0: ArgEffect.ReadWrite}

OPS = (
    OpDef(
        name="tile.scatter",
        category="TileOp",
        args=tiles("dst", "src", "indexes"),
        deduce=scattered,
        memory=in_vector(VEC, VEC, VEC),
        reuses_input=0,
        effects=_UPDATED,
        description="dst with the elements of src written where the indexes say",
    ),
    OpDef(
        name="tile.scatter_mask",
        category="TileOp",
        args=tiles("dst", "src"),
        kwargs=(KwargDef("mask_pattern", int, required=True),),
        deduce=scattered_by_mask,
        memory=in_vector(VEC, VEC),
        reuses_input=0,
        effects=_UPDATED,
        description="dst with the columns of src written to its marked columns",
    ),
    OpDef(
        name="tile.scatter_update",
        category="TileOp",
        args=tiles("input", "index", "src"),
        kwargs=(KwargDef("dim", int, default=-2),),
        deduce=updated_rows,
        memory=in_vector(VEC, VEC, VEC),
        reuses_input=0,
        effects=_UPDATED,
        description="input with rows of src written where the index says",
    ),
    OpDef(
        name="tile.mscatter",
        category="TileOp",
        args=(*tiles("src", "idx"), ArgDef("output_tensor", "TensorType")),
        deduce=scattered_to_memory,
        memory=MemorySpec((VEC, VEC)),
        reuses_input=2,
        effects={2: ArgEffect.Write},
        write_channel=WriteChannel.Dma,
        description="the tensor with the elements of a tile written where the indices say",
    ),
)
