# SPDX-License-Identifier: Apache-2.0
"""Comparisons, the packed masks that tiles are compared into (a bit per element, lowest bit first), and choosing."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_build.ir import DataType
from pypto_build.ops.deduce import promote_dtypes
from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import Function, operand, tensors, tiles
from pypto_simulators.functional.values import Block, Value

COMPARISONS: Final[tuple[Function, ...]] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)


def comparison(op: Operation, attribute: str) -> Function:
    """The comparison that an attribute names: eq, ne, lt, le, gt, ge as 0 to 5."""
    mode = op.integer(attribute)
    if not 0 <= mode < len(COMPARISONS):
        raise op.error(f"has no comparison {mode}")
    return COMPARISONS[mode]


def _compared(op: Operation) -> Array:
    left = op.block(0).dtype
    right = op.args[1]
    dtype = promote_dtypes(left, right.dtype) if isinstance(right, Block) else left
    dtype = left if dtype is None else dtype
    return comparison(op, "cmp_type")(operand(op, 0, dtype), operand(op, 1, dtype))


def _truth_values(op: Operation) -> Value:
    return op.made(_compared(op).astype(np.int8))


def _packed(op: Operation) -> Value:
    bits = np.packbits(_compared(op), axis=-1, bitorder="little")
    shape = op.frame.known_shape_of(op.result_type) or bits.shape
    mask = np.zeros(shape, np.uint8)
    mask[..., : bits.shape[-1]] = bits
    return op.made(mask)


def _unpacked(op: Operation, index: int, shape: tuple[int, ...]) -> Array:
    """The truth values of a mask, for a tile of some shape."""
    mask: Any = np.ascontiguousarray(op.block(index).full()).view(np.uint8)
    bits = np.unpackbits(mask, axis=-1, bitorder="little")
    if len(bits) < shape[0] or bits.shape[-1] < shape[-1]:
        raise op.error(f"has a mask for {list(bits.shape)} elements, but {list(shape)} are chosen")
    return bits[: shape[0], ..., : shape[-1]].astype(np.bool_)


def _chosen(op: Operation) -> Value:
    dtype = op.result_type.dtype
    left, right = operand(op, 1, dtype), operand(op, 2, dtype)
    shape = np.broadcast_shapes(left.shape, right.shape)
    return op.made(np.where(_unpacked(op, 0, shape), left, right))


def _chosen_or_scalar(op: Operation) -> Value:
    dtype: DataType = op.result_type.dtype
    source = operand(op, 1, dtype)
    return op.made(np.where(_unpacked(op, 0, source.shape), source, operand(op, 3, dtype)))


TABLE: Final[dict[str, Semantics]] = {
    **tensors({"cmp": _truth_values}),
    **tiles({"cmp": _packed, "cmps": _packed, "sel": _chosen, "sels": _chosen_or_scalar}),
}
