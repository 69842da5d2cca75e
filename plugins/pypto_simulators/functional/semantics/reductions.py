# SPDX-License-Identifier: Apache-2.0
"""Reductions along rows (the last axis) or columns; only valid elements take part.

Source: tiles fold the first axis for columns, tensors the axis before the last. Narrow floats are summed in FP32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pypto_build.ir import ScalarType
from pypto_simulators.functional.numbers import Array, as_number, working_type
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import tensors, tiles
from pypto_simulators.functional.values import Value, region

Fold = Callable[[Array, int], Array]


def _sum(values: Array, axis: int) -> Array:
    return np.sum(values, axis=axis, keepdims=True, dtype=values.dtype)


def _product(values: Array, axis: int) -> Array:
    return np.prod(values, axis=axis, keepdims=True, dtype=values.dtype)


def _largest(values: Array, axis: int) -> Array:
    return np.max(values, axis=axis, keepdims=True)


def _smallest(values: Array, axis: int) -> Array:
    return np.min(values, axis=axis, keepdims=True)


def _where_largest(values: Array, axis: int) -> Array:
    return np.argmax(values, axis=axis, keepdims=True)


def _where_smallest(values: Array, axis: int) -> Array:
    return np.argmin(values, axis=axis, keepdims=True)


_FOLDS: Final[dict[str, Fold]] = {
    "sum": _sum,
    "prod": _product,
    "max": _largest,
    "min": _smallest,
    "argmax": _where_largest,
    "argmin": _where_smallest,
}


def _folded(op: Operation, fold: Fold, axis: int) -> Array:
    """The result with an extent of 1 on the folded axis; what belongs to invalid rows or columns is 0 here."""
    source = op.block(0)
    if not source.valid[axis]:
        raise op.error("has nothing to fold: no element is valid on the axis")
    values = fold(source.valid_data().astype(working_type(source.dtype), copy=False), axis)
    if source.whole:
        return values
    shape = list(source.shape)
    shape[axis] = 1
    made: Any = np.zeros(shape, values.dtype)
    made[region(values.shape)] = values
    return made


def _of_tile(fold: Fold, axis: int) -> Semantics:
    def semantics(op: Operation) -> Value:
        return op.made(_folded(op, fold, axis))

    return semantics


def _of_tensor(fold: Fold, default: int) -> Semantics:
    def semantics(op: Operation) -> Value:
        axis = op.integer("axis", default)
        values = _folded(op, fold, axis)
        if not op.kwargs.get("keep_dim", True):
            values = np.squeeze(values, axis)
        if isinstance(op.call.type, ScalarType):
            return as_number(values.item(), op.call.type.dtype)
        return op.made(values)

    return semantics


TABLE: Final[dict[str, Semantics]] = {
    **tiles({f"row_{name}": _of_tile(fold, -1) for name, fold in _FOLDS.items()}),
    **tiles({f"col_{name}": _of_tile(fold, 0) for name, fold in _FOLDS.items()}),
    **tensors({f"row_{name}": _of_tensor(fold, -1) for name, fold in _FOLDS.items()}),
    **tensors({f"col_{name}": _of_tensor(fold, -2) for name, fold in _FOLDS.items()}),
}
