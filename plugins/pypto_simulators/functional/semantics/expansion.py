# SPDX-License-Identifier: Apache-2.0
"""Repeating one value per row, one per column, or one for all, alone or combined with a tensor or tile."""

from __future__ import annotations

from typing import Final

import numpy as np

from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.elementwise import divide
from pypto_simulators.functional.semantics.tables import Function, operand, tensors, twins
from pypto_simulators.functional.semantics.transfer import rewritten, write_window
from pypto_simulators.functional.values import Value


def _vector(op: Operation, *, rows: bool) -> Array:
    """One value per row (the first of each row of the argument) or per column."""
    values = operand(op, 1, op.result_type.dtype)
    return values[..., :1] if rows else values[..., :1, :]


def _combined(function: Function, *, rows: bool) -> Semantics:
    def semantics(op: Operation) -> Value:
        return op.made(function(operand(op, 0, op.result_type.dtype), _vector(op, rows=rows)))

    return semantics


def _repeated(*, rows: bool) -> Semantics:
    def semantics(op: Operation) -> Value:
        return op.made(np.broadcast_to(_vector(op, rows=rows), op.block(0).shape))

    return semantics


def _exponential_of_difference(values: Array, subtracted: Array) -> Array:
    return np.exp(values - subtracted)


def _scalar(op: Operation) -> Value:
    return op.made(np.broadcast_to(operand(op, 1, op.result_type.dtype), op.block(0).shape))


def _cloned(op: Operation) -> Value:
    """The target is what the repeated tensor is stored to."""
    target = op.block(1)
    data = np.broadcast_to(op.block(0).known(), target.shape)
    write_window(op, target, data, offsets=(0,) * data.ndim, add=False)
    return rewritten(op, target)


_COMBINATIONS: Final[dict[str, Function]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "max": np.maximum,
    "min": np.minimum,
    "expdif": _exponential_of_difference,
}

TABLE: Final[dict[str, Semantics]] = {
    **twins({f"row_expand_{name}": _combined(function, rows=True) for name, function in _COMBINATIONS.items()}),
    **twins({f"col_expand_{name}": _combined(function, rows=False) for name, function in _COMBINATIONS.items()}),
    **twins({"row_expand": _repeated(rows=True), "col_expand": _repeated(rows=False), "expands": _scalar}),
    **tensors({"expand_clone": _cloned}),
}
