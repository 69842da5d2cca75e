# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that fold one axis: row operations the last axis, column operations the one before it.

Only the valid part of the folded axis takes part, so the result is fully valid there; the other axes keep their region.
"""

from __future__ import annotations

from pypto_build.ir import DataType, ScalarType, TensorType, as_int, const_index, scalar_type
from pypto_build.ops.deduce import check_dtype
from pypto_build.ops.deduce_tensor import axis_of, checked_valid, fresh_tensor
from pypto_build.ops.definition import ArgDef, Deduce, KwargDef, OpDef
from pypto_build.ops.operands import Operands

_ROW_MIN_DTYPES = (DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32)


def folded(operands: Operands, *, axis: int, index_result: bool = False) -> TensorType | ScalarType:
    """The input without an axis, or with an extent of 1 there; `axis` is where the operation folds by default."""
    source = operands.tensor(0)
    rank = len(source.shape)
    at = axis_of(operands, operands.value("axis", axis), rank, "axis")
    valid = checked_valid(operands, source)
    operands.check(as_int(valid[at]) != 0, f"cannot fold nothing: the valid extent on axis {at} is 0")
    dtype = DataType.INT32 if index_result else source.dtype
    middle = (const_index(1),) if operands.value("keep_dim", True) else ()
    shape = (*source.shape[:at], *middle, *source.shape[at + 1 :])
    if not shape:
        return scalar_type(dtype)
    return fresh_tensor(shape, dtype, (*valid[:at], *middle, *valid[at + 1 :]))


def folded_rows(operands: Operands) -> TensorType | ScalarType:
    """Fold the last axis."""
    return folded(operands, axis=-1)


def folded_columns(operands: Operands) -> TensorType | ScalarType:
    """Fold the axis before the last."""
    return folded(operands, axis=-2)


def index_in_rows(operands: Operands) -> TensorType | ScalarType:
    """Where the extreme value stands on the last axis."""
    return folded(operands, axis=-1, index_result=True)


def index_in_columns(operands: Operands) -> TensorType | ScalarType:
    """Where the extreme value stands on the axis before the last."""
    return folded(operands, axis=-2, index_result=True)


def row_minimum(operands: Operands) -> TensorType | ScalarType:
    """The smallest value of each row, for the element types that the instruction has."""
    check_dtype(operands, operands.tensor(0).dtype, _ROW_MIN_DTYPES, "input")
    return folded_rows(operands)


_TABLE: tuple[tuple[str, Deduce, str], ...] = (
    ("tensor.row_sum", folded_rows, "the sum of each row"),
    ("tensor.row_prod", folded_rows, "the product of each row"),
    ("tensor.row_max", folded_rows, "the largest value of each row"),
    ("tensor.row_min", row_minimum, "the smallest value of each row"),
    ("tensor.row_argmax", index_in_rows, "the column of the largest value of each row"),
    ("tensor.row_argmin", index_in_rows, "the column of the smallest value of each row"),
    ("tensor.col_sum", folded_columns, "the sum of each column"),
    ("tensor.col_prod", folded_columns, "the product of each column"),
    ("tensor.col_max", folded_columns, "the largest value of each column"),
    ("tensor.col_min", folded_columns, "the smallest value of each column"),
    ("tensor.col_argmax", index_in_columns, "the row of the largest value of each column"),
    ("tensor.col_argmin", index_in_columns, "the row of the smallest value of each column"),
)

OPS = tuple(
    OpDef(
        name=name,
        category="TensorOp",
        args=(ArgDef("input", "TensorType"),),
        kwargs=(KwargDef("axis", int), KwargDef("keep_dim", bool, default=True)),
        deduce=deduce,
        description=description,
    )
    for name, deduce, description in _TABLE
)
