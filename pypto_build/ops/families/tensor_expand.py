# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that spread a row vector, a column vector, a scalar or a thin tensor over a whole tensor."""

from __future__ import annotations

from pypto_build.ir import DataType, TensorType, as_int
from pypto_build.ops.deduce import check_dtype, common_dtype
from pypto_build.ops.deduce_tensor import fresh_tensor, require
from pypto_build.ops.definition import ArgDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different

_ADD_DTYPES = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32)


def over_rows(operands: Operands) -> TensorType:
    """A tensor [..., M, N] and one value per row, [..., M, 1]."""
    return _spread(operands, thin=-1, vector="row vector")


def over_columns(operands: Operands) -> TensorType:
    """A tensor [..., M, N] and one value per column, [..., 1, N]."""
    return _spread(operands, thin=-2, vector="column vector")


def added_over_rows(operands: Operands) -> TensorType:
    """The one expansion whose instruction wants the very same element type everywhere."""
    tensor, vector = operands.tensor(0), operands.tensor(1)
    operands.check(
        tensor.dtype is vector.dtype,
        f"requires src0 and src1 to have the same dtype, but got {tensor.dtype} and {vector.dtype}",
    )
    check_dtype(operands, tensor.dtype, _ADD_DTYPES, "src0")
    return over_rows(operands)


def scalar_spread(operands: Operands) -> TensorType:
    """A scalar in every element of a tensor of this shape."""
    target, scalar = operands.tensor(0), operands.scalar(1)
    return fresh_tensor(target.shape, common_dtype(operands, target.dtype, scalar.dtype))


def cloned(operands: Operands) -> TensorType:
    """A tensor repeated along its extents of 1 to the shape of a target."""
    source, target = operands.tensor(0), operands.tensor(1)
    operands.check(source.dtype is target.dtype, "requires input and target of the same dtype")
    same_rank = len(source.shape) == len(target.shape)
    require(operands, same_rank, "requires input and target of one rank, got {} and {}", source.shape, target.shape)
    for have, want in zip(source.shape, target.shape, strict=True):
        fits = as_int(have) == 1 or not provably_different(have, want)
        require(operands, fits, "can only expand extents of 1, got {} and {}", source.shape, target.shape)
    return fresh_tensor(target.shape, source.dtype)


def _spread(operands: Operands, *, thin: int, vector: str) -> TensorType:
    tensor, thin_tensor = operands.tensor(0), operands.tensor(1)
    for what in (tensor, thin_tensor):
        require(operands, len(what.shape) >= 2, "requires at least 2 dimensions, but got {}", what.shape)
    kept = -3 - thin
    extent = as_int(thin_tensor.shape[thin])
    shapes = (thin_tensor.shape, tensor.shape)
    text = f"requires a {vector} with an extent of 1 to spread, got {{}} for {{}}"
    require(operands, extent is None or extent == 1, text, *shapes)
    as_long = not provably_different(thin_tensor.shape[kept], tensor.shape[kept])
    require(operands, as_long, f"requires a {vector} that is as long as the tensor, got {{}} for {{}}", *shapes)
    return fresh_tensor(tensor.shape, common_dtype(operands, tensor.dtype, thin_tensor.dtype))


_VERBS = (
    ("_add", "added to"),
    ("_sub", "subtracted from"),
    ("_mul", "multiplied with"),
    ("_div", "dividing"),
    ("_max", "compared with, the larger kept, in"),
    ("_min", "compared with, the smaller kept, in"),
    ("_expdif", "subtracted from, then e to that power, in"),
)
_ROW = (ArgDef("tensor", "TensorType"), ArgDef("row_vec", "TensorType"))
_COLUMN = (ArgDef("tensor", "TensorType"), ArgDef("col_vec", "TensorType"))

OPS = (
    *(
        OpDef(
            name=f"tensor.row_expand{suffix}",
            category="TensorOp",
            args=_ROW,
            deduce=added_over_rows if suffix == "_add" else over_rows,
            description=f"one value per row, {words} the row",
        )
        for suffix, words in _VERBS
    ),
    *(
        OpDef(
            name=f"tensor.col_expand{suffix}",
            category="TensorOp",
            args=_COLUMN,
            deduce=over_columns,
            description=f"one value per column, {words} the column",
        )
        for suffix, words in _VERBS
    ),
    OpDef(
        name="tensor.row_expand",
        category="TensorOp",
        args=(ArgDef("target", "TensorType"), ArgDef("row_vec", "TensorType")),
        deduce=over_rows,
        description="one value per row in every element of the row",
    ),
    OpDef(
        name="tensor.col_expand",
        category="TensorOp",
        args=_COLUMN,
        deduce=over_columns,
        description="one value per column in every element of the column",
    ),
    OpDef(
        name="tensor.expands",
        category="TensorOp",
        args=(ArgDef("target", "TensorType"), ArgDef("scalar", "ScalarType")),
        deduce=scalar_spread,
        description="a scalar in every element",
    ),
    OpDef(
        name="tensor.expand_clone",
        category="TensorOp",
        args=(ArgDef("input", "TensorType"), ArgDef("target", "TensorType")),
        deduce=cloned,
        description="repeated along extents of 1 to the shape of the target",
    ),
)
