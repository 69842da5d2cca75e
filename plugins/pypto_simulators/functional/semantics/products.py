# SPDX-License-Identifier: Apache-2.0
"""Matrix products: floats are multiplied and summed in FP32, integers exactly and then cut to the result's width.

The inner extent is the valid one of the left factor; a result outside of its valid region is never written.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_build.ir import DataType
from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import operand, tensors, tiles
from pypto_simulators.functional.values import Value

SCALE_GROUP: Final = 32  # elements along the inner axis that share a scale
_EXACT_BITS: Final = 16  # products of integers up to this width are summed exactly in FP64


def multiply(left: Array, right: Array, dtype: DataType) -> Array:
    """left @ right for elements of a type."""
    if dtype.is_float():
        return np.matmul(left.astype(np.float32, copy=False), right.astype(np.float32, copy=False))
    if dtype.get_bit() <= _EXACT_BITS:
        return np.matmul(left.astype(np.float64), right.astype(np.float64)).astype(np.int64)
    return np.matmul(left.astype(np.int64), right.astype(np.int64))


def _factors(op: Operation, first: int) -> tuple[Array, Array, DataType]:
    """Both factors, cut to the valid inner extent of the left one."""
    left, right = op.block(first), op.block(first + 1)
    inner = left.valid[-1]
    if right.shape[-2] < inner:
        raise op.error(f"multiplies {list(left.shape)} with {list(right.shape)}")
    return left.known()[..., :inner], right.known()[..., :inner, :], left.dtype


def _product(op: Operation) -> Value:
    return op.made(_fitted(op, multiply(*_factors(op, 0))))


def _fitted(op: Operation, product: Array) -> Array:
    """The product in the shape of the result, which may have more rows than the product (those of a box)."""
    shape = op.frame.known_shape_of(op.result_type)
    if shape is None or shape == product.shape or len(shape) != product.ndim:
        return product
    if any(a < b for a, b in zip(shape, product.shape, strict=True)):
        return product
    made: Any = np.zeros(shape, product.dtype)
    made[tuple(slice(0, extent) for extent in product.shape)] = product
    return made


def _accumulated(op: Operation) -> Value:
    product = _fitted(op, multiply(*_factors(op, 1)))
    if op.has(3) and op.number(3):
        return op.made(product)
    return op.made(_sum_of(op, 0, product))


def _sum_of(op: Operation, index: int, product: Array) -> Array:
    return operand(op, index, op.result_type.dtype) + product


def _biased(op: Operation) -> Value:
    return op.made(_sum_of(op, 2, _fitted(op, multiply(*_factors(op, 0)))))


def _scaled_product(op: Operation, first: int) -> Array:
    """Both factors scaled before they are multiplied; the inner extent is the valid one of the left factor."""
    inner = op.block(first).valid[-1]
    left = op.block(first).known()[:, :inner].astype(np.float32) * _scales(op, first + 1, axis=1)[:, :inner]
    right = op.block(first + 2).known()[:inner].astype(np.float32) * _scales(op, first + 3, axis=0)[:inner]
    return multiply(left, right, op.block(first).dtype)


def _scales(op: Operation, index: int, *, axis: int) -> Array:
    return np.repeat(op.block(index).full().astype(np.float32), SCALE_GROUP, axis=axis)


def _scaled(op: Operation) -> Value:
    return op.made(_fitted(op, _scaled_product(op, 0)))


def _scaled_accumulated(op: Operation) -> Value:
    return op.made(_sum_of(op, 0, _scaled_product(op, 1)))


def _scaled_biased(op: Operation) -> Value:
    return op.made(_sum_of(op, 4, _scaled_product(op, 0)))


def _bound_scale(op: Operation) -> Value:
    return op.args[0]


def _tensor_factor(op: Operation, index: int, flag: str) -> tuple[Array, tuple[int, ...]]:
    """A factor and its valid region, transposed if a flag says so."""
    block = op.block(index)
    values, valid = block.known(), block.valid
    return (np.swapaxes(values, -1, -2), (*valid[:-2], valid[-1], valid[-2])) if op.flag(flag) else (values, valid)


def _tensor_product(op: Operation, first: int) -> Array:
    left, valid = _tensor_factor(op, first, "a_trans")
    right, _ = _tensor_factor(op, first + 1, "b_trans")
    if left.shape[-1] != right.shape[-2 if right.ndim > 1 else 0]:
        raise op.error(f"multiplies {list(left.shape)} with {list(right.shape)}")
    inner = valid[-1]
    right = right[..., :inner, :] if right.ndim > 1 else right[:inner]
    return multiply(left[..., :inner], right, op.block(first).dtype)


def _of_tensors(op: Operation) -> Value:
    return op.made(np.asarray(_tensor_product(op, 0)))


def _of_tensors_accumulated(op: Operation) -> Value:
    product = _tensor_product(op, 1)
    return op.made(product if op.has(3) and op.number(3) else _sum_of(op, 0, product))


TABLE: Final[dict[str, Semantics]] = {
    **tiles(dict.fromkeys(("matmul", "batch_matmul", "gemv"), _product)),
    **tiles(dict.fromkeys(("matmul_acc", "batch_matmul_acc", "gemv_acc"), _accumulated)),
    **tiles(dict.fromkeys(("matmul_bias", "gemv_bias"), _biased)),
    **tiles({"matmul_mx": _scaled, "matmul_mx_acc": _scaled_accumulated, "matmul_mx_bias": _scaled_biased}),
    **tiles({"tget_scale_addr": _bound_scale}),
    **tensors({"matmul": _of_tensors, "matmul_acc": _of_tensors_accumulated}),
}
