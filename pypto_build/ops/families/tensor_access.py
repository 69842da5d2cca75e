# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that yield a scalar or store one: extents, single elements, the place of a block in the grid."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, ScalarType, TensorType, WriteChannel, as_int, scalar_type
from pypto_build.ops.deduce_tensor import axis_of, check_integer_extents
from pypto_build.ops.definition import ArgDef, OpDef
from pypto_build.ops.operands import Operands

_INDEX_LIKE = (DataType.INDEX, DataType.INT64)


def extent(operands: Operands) -> ScalarType:
    """The extent of a tensor along an axis that is known."""
    tensor, axis = operands.tensor(0), as_int(operands.args[1])
    if axis is None:
        raise operands.error("requires a compile-time ConstInt axis")
    axis_of(operands, axis, len(tensor.shape), "axis")
    return scalar_type(DataType.INDEX)


def element(operands: Operands) -> ScalarType:
    """One element of a tensor."""
    return scalar_type(_indexed(operands).dtype)


def element_stored(operands: Operands) -> TensorType:
    """The tensor after one element was stored; it stays where it is."""
    tensor, value = _indexed(operands), operands.scalar(2)
    same = value.dtype is tensor.dtype or (value.dtype in _INDEX_LIKE and tensor.dtype in _INDEX_LIKE)
    operands.check(same, f"requires a value of the tensor's dtype {tensor.dtype}, but got {value.dtype}")
    return tensor


def _indexed(operands: Operands) -> TensorType:
    tensor, indices = operands.tensor(0), operands.elements(1)
    rank = len(tensor.shape)
    operands.check(len(indices) == rank, f"requires {rank} indices for a tensor of rank {rank}, got {len(indices)}")
    check_integer_extents(operands, indices, "index")
    return tensor


def _index(_: Operands) -> ScalarType:
    return scalar_type(DataType.INDEX)


_TENSOR = ArgDef("tensor", "TensorType")
_INDICES = ArgDef("indices", "tuple of ScalarType")
_GRID = (
    ("tensor.get_block_idx", "the number of this block in the launch"),
    ("tensor.get_block_num", "how many blocks were launched"),
    ("tensor.get_subblock_idx", "the number of this vector core in its block"),
)

OPS = (
    OpDef(
        name="tensor.dim",
        category="TensorOp",
        args=(_TENSOR, ArgDef("axis", "ConstInt")),
        deduce=extent,
        description="the extent along an axis",
    ),
    OpDef(
        name="tensor.read",
        category="TensorOp",
        args=(_TENSOR, _INDICES),
        deduce=element,
        description="one element",
    ),
    OpDef(
        name="tensor.write",
        category="TensorOp",
        args=(_TENSOR, _INDICES, ArgDef("value", "ScalarType")),
        deduce=element_stored,
        effects={0: ArgEffect.Write},
        write_channel=WriteChannel.Scalar,
        description="store one element",
    ),
    *(
        OpDef(name=name, category="TensorOp", deduce=_index, no_memory=True, description=description)
        for name, description in _GRID
    ),
)
