# SPDX-License-Identifier: Apache-2.0
"""Matrix products of tensors: vectors stand for a row on the left and a column on the right, batches broadcast."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.ir import DataType, Expr, TensorType
from pypto_build.ops.deduce import broadcast_shapes, common_dtype
from pypto_build.ops.deduce_tensor import fresh_tensor, require
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different


@dataclass(frozen=True, slots=True)
class _Factor:
    """One factor: its batch, its extent that is kept (None for a vector) and the one that is summed over."""

    batch: tuple[Expr, ...]
    kept: Expr | None
    summed: Expr


def product(operands: Operands) -> TensorType:
    """lhs @ rhs"""
    left, right = operands.tensor(0), operands.tensor(1)
    shape = _product_shape(operands, left, right)
    dtype = operands.kwargs.get("out_dtype")
    if not isinstance(dtype, DataType):
        dtype = common_dtype(operands, left.dtype, right.dtype)
    return fresh_tensor(shape, dtype)


def accumulated(operands: Operands) -> TensorType:
    """acc + lhs @ rhs, or lhs @ rhs where init_cond holds; the result is of the accumulator's type."""
    acc, left, right = operands.tensor(0), operands.tensor(1), operands.tensor(2)
    for what in (acc, left, right):
        require(operands, len(what.shape) >= 2, "requires at least 2 dimensions, but got {}", what.shape)
    if operands.has(3):
        _check_condition(operands, max(len(what.shape) for what in (acc, left, right)))
    common_dtype(operands, left.dtype, right.dtype)
    shape = _product_shape(operands, left, right)
    _check_accumulator(operands, acc.shape, shape)
    return fresh_tensor(acc.shape, acc.dtype)


def _check_condition(operands: Operands, rank: int) -> None:
    dtype = operands.scalar(3).dtype
    operands.check(dtype is DataType.BOOL, f"requires init_cond to have dtype BOOL, but got {dtype}")
    operands.check(rank == 2, f"supports init_cond for 2 dimensions only, but got {rank}: loop over the batch instead")


def _check_accumulator(operands: Operands, acc: tuple[Expr, ...], shape: tuple[Expr, ...]) -> None:
    text = "requires an accumulator of the rank of the product, got {} for {}"
    require(operands, len(acc) == len(shape), text, acc, shape)
    last = len(shape) - 2
    for axis, (have, want) in enumerate(zip(acc, shape, strict=True)):
        what = f"acc batch dim {axis}" if axis < last else "acc M" if axis == last else "acc N"
        matches = not provably_different(have, want)
        require(operands, matches, f"requires {what} to match the product, got {{}} for {{}}", acc, shape)


def _product_shape(operands: Operands, left: TensorType, right: TensorType) -> tuple[Expr, ...]:
    a = _factor(operands, left, operands.value("a_trans", False), side="lhs", flag="a_trans")
    b = _factor(operands, right, operands.value("b_trans", False), side="rhs", flag="b_trans")
    text = "requires matching inner extents, but got lhs K={} and rhs K={}"
    require(operands, not provably_different(a.summed, b.summed), text, a.summed, b.summed)
    kept = tuple(dim for dim in (a.kept, b.kept) if dim is not None)
    return (*broadcast_shapes(operands, a.batch, b.batch), *kept)


def _factor(operands: Operands, tensor: TensorType, transposed: bool, *, side: str, flag: str) -> _Factor:
    shape = tensor.shape
    operands.check(len(shape) >= 1, f"requires {side} with at least 1 dimension")
    if len(shape) == 1:
        operands.check(not transposed, f"{flag} does not apply to a 1D {side}: a vector has no axes to swap")
        return _Factor((), None, shape[0])
    rows, columns = shape[-2], shape[-1]
    if (side == "lhs") is transposed:  # K is the first of the two: a transposed lhs, or a rhs as it is
        rows, columns = columns, rows
    return _Factor(shape[:-2], rows, columns)


_TRANSPOSES = (KwargDef("a_trans", bool, default=False), KwargDef("b_trans", bool, default=False))

OPS = (
    OpDef(
        name="tensor.matmul",
        category="TensorOp",
        args=(ArgDef("lhs", "TensorType"), ArgDef("rhs", "TensorType")),
        kwargs=(KwargDef("out_dtype", DataType), *_TRANSPOSES, KwargDef("c_matrix_nz", bool, default=False)),
        deduce=product,
        description="the matrix product",
    ),
    OpDef(
        name="tensor.matmul_acc",
        category="TensorOp",
        args=(
            ArgDef("acc", "TensorType"),
            ArgDef("lhs", "TensorType"),
            ArgDef("rhs", "TensorType"),
            ArgDef("init_cond", "ScalarType", optional=True),
        ),
        kwargs=_TRANSPOSES,
        deduce=accumulated,
        description="the matrix product added to an accumulator; where init_cond holds, the product alone",
    ),
)
