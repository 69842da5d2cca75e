# SPDX-License-Identifier: Apache-2.0
"""Tensor operations on the bits of integers; operands do not broadcast, because no instruction does."""

from __future__ import annotations

from pypto_build.ir import DataType, TensorType, as_int
from pypto_build.ops.deduce import common_dtype
from pypto_build.ops.deduce_tensor import checked_valid, fresh_tensor, require
from pypto_build.ops.definition import ArgDef, OpDef
from pypto_build.ops.families.tensor_elementwise import common_region, own_region
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import same_dimensions

_SHIFTS = frozenset({"tensor.shl", "tensor.shr", "tensor.shls", "tensor.shrs"})
_SCRATCH = frozenset({"tensor.xor", "tensor.xors"})  # lowered through a scratch tile that is valid everywhere
_NOT_DTYPES = (DataType.INT16, DataType.UINT16)


def bitwise(operands: Operands) -> TensorType:
    """Two integer tensors of the same shape; a shift keeps the element type of what is shifted."""
    left, right = _integers(operands, 0), _integers(operands, 1)
    same = same_dimensions(left.shape, right.shape)
    text = "requires both operands to have the same shape, but got {} and {}"
    require(operands, same, text, left.shape, right.shape)
    dtype = left.dtype if operands.op in _SHIFTS else common_dtype(operands, left.dtype, right.dtype)
    region = () if operands.op in _SCRATCH else common_region(operands, left, right)
    return fresh_tensor(left.shape, dtype, region)


def bitwise_scalar(operands: Operands) -> TensorType:
    """An integer tensor and an integer scalar; the element type stays."""
    left, right = _integers(operands, 0), operands.scalar(1)
    operands.check(right.dtype.is_int(), f"requires the shift/bitwise scalar to be an integer, but got {right.dtype}")
    if operands.op in _SHIFTS:
        count = as_int(operands.args[1])
        operands.check(count is None or count >= 0, f"requires a non-negative shift count, but got {count}")
    region = () if operands.op in _SCRATCH else own_region(operands, left)
    return fresh_tensor(left.shape, left.dtype, region)


def inverted(operands: Operands) -> TensorType:
    """A tensor of 16-bit integers, which is all that the instruction takes."""
    source = operands.tensor(0)
    operands.check(source.dtype in _NOT_DTYPES, f"requires an int16 or uint16 tensor dtype, but got {source.dtype}")
    return fresh_tensor(source.shape, source.dtype, checked_valid(operands, source))


def _integers(operands: Operands, index: int) -> TensorType:
    tensor = operands.tensor(index)
    operands.check(tensor.dtype.is_int(), f"requires an integer tensor dtype, but got {tensor.dtype}")
    return tensor


_PAIR = (ArgDef("lhs", "TensorType"), ArgDef("rhs", "TensorType"))
_SCALAR = (ArgDef("lhs", "TensorType"), ArgDef("rhs", "ScalarType"))
_WORDS = (
    ("and", "bitwise and"),
    ("or", "bitwise or"),
    ("xor", "bitwise exclusive or"),
    ("shl", "shift left"),
    ("shr", "shift right"),
)

OPS = (
    *(
        OpDef(name=f"tensor.{name}", category="TensorOp", args=_PAIR, deduce=bitwise, description=words)
        for name, words in _WORDS
    ),
    *(
        OpDef(
            name=f"tensor.{name}s",
            category="TensorOp",
            args=_SCALAR,
            deduce=bitwise_scalar,
            description=f"{words}, with a scalar",
        )
        for name, words in _WORDS
    ),
    OpDef(
        name="tensor.not",
        category="TensorOp",
        args=(ArgDef("input", "TensorType"),),
        deduce=inverted,
        description="every bit inverted",
    ),
)
