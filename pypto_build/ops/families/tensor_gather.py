# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that pick elements: by index, by a column mask, by comparison."""

from __future__ import annotations

from pypto_build.ir import DataType, TensorType, TupleType, const_index
from pypto_build.ops.deduce_tensor import axis_of, fresh_tensor, require
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.patterns import compacted
from pypto_build.ops.proof import provably_different

_DTYPES = (DataType.FP16, DataType.FP32, DataType.INT16, DataType.INT32)
_DTYPE_WORDS = "FP16, FP32, INT16, or INT32"
_INDEX_DTYPES = (DataType.INT32, DataType.INT16)
_CMP_MODES = range(6)


def gathered(operands: Operands) -> TensorType:
    """One element of the input per element of the index."""
    source, index = operands.tensor(0), operands.tensor(1)
    operands.check(source.dtype in _DTYPES, f"requires input dtype {_DTYPE_WORDS}, but got {source.dtype}")
    operands.check(index.dtype in _INDEX_DTYPES, f"requires index dtype INT32 or INT16, but got {index.dtype}")
    operands.check(
        index.dtype is DataType.INT32 or source.dtype.get_bit() == 16,
        f"requires a 16-bit input for an INT16 index, but got {source.dtype}",
    )
    rank = len(source.shape)
    shapes = (source.shape, index.shape)
    require(operands, len(index.shape) == rank, "requires input and index of the same rank, got {} and {}", *shapes)
    axis = axis_of(operands, operands.value("dim", -1), rank, "dim")
    for i in range(rank):
        same = i == axis or not provably_different(source.shape[i], index.shape[i])
        require(operands, same, "requires input and index to agree on non-gather axes, got {} and {}", *shapes)
    return fresh_tensor(index.shape, source.dtype)


def masked(operands: Operands) -> TensorType:
    """The columns that a mask marks, next to each other."""
    source = operands.tensor(0)
    operands.check(len(source.shape) >= 1, "requires at least 1 dimension")
    shape = compacted(operands, source.shape, "input")
    dtype = operands.dtype("output_dtype", source.dtype)
    same_width = dtype.get_bit() == source.dtype.get_bit()
    operands.check(same_width, f"requires output_dtype of the same bit width as {source.dtype}, but got {dtype}")
    return fresh_tensor(shape, dtype)


def compared(operands: Operands) -> TupleType:
    """The columns of each row where a comparison holds, and how many there are."""
    source, key = operands.tensor(0), operands.scalar(1)
    require(operands, len(source.shape) == 2, "requires a 2D input, but got {}", source.shape)
    operands.check(source.dtype in _DTYPES, f"requires input dtype {_DTYPE_WORDS}, but got {source.dtype}")
    operands.check(key.dtype is source.dtype, f"requires kvalue dtype {source.dtype}, but got {key.dtype}")
    mode = operands.value("cmp_mode", 0)
    operands.check(mode in _CMP_MODES, f"requires cmp_mode in [0, 5], but got {mode}")
    columns = operands.value("out_cols", 0)
    operands.check(columns > 0, f"requires a positive out_cols, but got {columns}")
    rows = source.shape[0]
    found = fresh_tensor((rows, const_index(columns)), DataType.INT32)
    return TupleType((found, fresh_tensor((const_index(1), rows), operands.dtype("count_dtype", DataType.INT32))))


_INPUT = ArgDef("input", "TensorType")

OPS = (
    OpDef(
        name="tensor.gather",
        category="TensorOp",
        args=(_INPUT, ArgDef("index", "TensorType")),
        kwargs=(KwargDef("dim", int, default=-1),),
        deduce=gathered,
        description="elements picked by index along an axis",
    ),
    OpDef(
        name="tensor.gather_mask",
        category="TensorOp",
        args=(_INPUT,),
        kwargs=(KwargDef("mask_pattern", int, required=True), KwargDef("output_dtype", DataType)),
        deduce=masked,
        description="the columns that a mask marks",
    ),
    OpDef(
        name="tensor.gather_compare",
        category="TensorOp",
        args=(_INPUT, ArgDef("kvalue", "ScalarType")),
        kwargs=(
            KwargDef("cmp_mode", int, default=0),
            KwargDef("offset", int, default=0),
            KwargDef("out_cols", int, required=True),
            KwargDef("count_dtype", DataType, default=DataType.INT32),
        ),
        deduce=compared,
        no_arg_writes=True,
        output_arity=2,
        description="the columns where a comparison with kvalue holds (eq, ne, lt, le, gt, ge as 0 to 5), and how many",
    ),
)
