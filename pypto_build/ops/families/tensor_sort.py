# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that sort groups of 32 elements and merge sorted runs; results hold value and index pairs."""

from __future__ import annotations

from pypto_build.ir import DataType, TensorType, as_int
from pypto_build.ops.arithmetic import plus, scaled
from pypto_build.ops.deduce_tensor import fresh_tensor, require
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different

_DTYPES = (DataType.FP16, DataType.FP32)
_RUN = 64


def sorted_groups(operands: Operands) -> TensorType:
    """Groups of 32 sorted, as pairs of value and index: twice as long."""
    source, index = _sortable(operands, 0), operands.tensor(1)
    shapes = (source.shape, index.shape)
    operands.check(index.dtype.is_int(), f"requires an integer idx dtype, but got {index.dtype}")
    same_rank = len(source.shape) == len(index.shape)
    require(operands, same_rank, "requires src and idx of the same rank, got {} and {}", *shapes)
    return fresh_tensor((*source.shape[:-1], scaled(source.shape[-1], 2)), source.dtype)


def runs_merged(operands: Operands) -> TensorType:
    """Neighbouring runs of one tensor merged four by four."""
    source = _sortable(operands, 0)
    operands.scalar(1)
    length = as_int(operands.args[1])
    fits = length is None or (length > 0 and length % _RUN == 0)
    operands.check(fits, f"requires a positive block_len that is a multiple of {_RUN}, but got {length}")
    return fresh_tensor(source.shape, source.dtype)


def lists_merged(operands: Operands) -> TensorType:
    """Two to four sorted tensors merged into one."""
    first = _sortable(operands, 0)
    length = first.shape[-1]
    for index in range(1, len(operands.args)):
        other = operands.tensor(index)
        text = "requires sources of matching dtype, but got {} and {}"
        require(operands, other.dtype is first.dtype, text, first.dtype, other.dtype)
        same_rank = len(other.shape) == len(first.shape)
        require(operands, same_rank, "requires sources of one rank, got {} and {}", first.shape, other.shape)
        agree = not any(map(provably_different, first.shape[:-1], other.shape[:-1]))
        require(operands, agree, "requires sources that differ in length only, got {} and {}", first.shape, other.shape)
        length = plus(length, other.shape[-1])
    return fresh_tensor((*first.shape[:-1], length), first.dtype)


def _sortable(operands: Operands, index: int) -> TensorType:
    tensor = operands.tensor(index)
    operands.check(tensor.dtype in _DTYPES, f"requires src dtype FP16 or FP32, but got {tensor.dtype}")
    operands.check(len(tensor.shape) >= 1, "requires at least 1 dimension")
    return tensor


OPS = (
    OpDef(
        name="tensor.sort32",
        category="TensorOp",
        args=(ArgDef("src", "TensorType"), ArgDef("idx", "TensorType")),
        deduce=sorted_groups,
        description="groups of 32 elements sorted, with their indices",
    ),
    OpDef(
        name="tensor.mrgsort_format1",
        category="TensorOp",
        args=(ArgDef("src", "TensorType"), ArgDef("block_len", "ScalarType")),
        deduce=runs_merged,
        description="sorted runs of one tensor merged",
    ),
    OpDef(
        name="tensor.mrgsort_format2",
        category="TensorOp",
        args=tuple(ArgDef(f"src{i}", "TensorType", optional=i > 1) for i in range(4)),
        kwargs=(KwargDef("exhausted", bool, default=False),),
        deduce=lists_merged,
        description="sorted tensors merged",
    ),
)
