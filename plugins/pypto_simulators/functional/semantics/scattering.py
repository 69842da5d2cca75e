# SPDX-License-Identifier: Apache-2.0
"""Putting elements where an index or a column pattern says; what is not named keeps its value, the last write wins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_simulators.functional.numbers import Array, convert
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.gathering import marked_columns
from pypto_simulators.functional.semantics.tables import tensors, tiles
from pypto_simulators.functional.semantics.transfer import check_writable, rewritten
from pypto_simulators.functional.values import Block, Value


def _valid_pairs(op: Operation, source: int, index: int) -> tuple[Array, Array]:
    """The valid elements and their indices, both as one row."""
    values, indices = op.block(source), op.block(index)
    extents = tuple(map(min, values.valid, indices.valid))
    box = tuple(slice(0, extent) for extent in extents)
    return values.full()[box].reshape(-1), indices.full()[box].reshape(-1).astype(np.int64)


def _by_flat_index(op: Operation) -> Value:
    """An index counts through the whole destination, row by row."""
    target = op.block(0).full().copy()
    values, indices = _valid_pairs(op, 1, 2)
    op.check_index(indices, target.size, "elements")
    target.reshape(-1)[indices] = values
    return op.made(target)


def _by_column(op: Operation) -> Value:
    """An index is a column of its own row."""
    target: Any = op.block(0).full().copy()
    source, index = op.block(2), op.block(1)
    columns = index.valid_data().astype(np.int64)
    op.check_index(columns, target.shape[-1], "columns")
    rows = np.arange(len(columns))[:, None]
    target[rows, columns] = source.full()[: columns.shape[0], : columns.shape[1]]
    return op.made(target)


def _whole_rows(op: Operation) -> Value:
    """An index is a row, all axes but the last counted as one."""
    target = op.block(0).full().copy()
    width = target.shape[-1]
    index, source = op.block(1), op.block(2)
    rows = index.valid_data().reshape(-1).astype(np.int64)
    op.check_index(rows, target.size // width, "rows")
    target.reshape(-1, width)[rows] = source.full().reshape(-1, width)[: len(rows)]
    return op.made(target)


def _marked(op: Operation, target: Block, source: Block) -> Value:
    made: Any = target.full().copy()
    part = source.valid_data()
    columns = range(made.shape[-1])[marked_columns(op)][: part.shape[-1]]
    made[: len(part), columns] = part
    return op.made(made)


def _tile_by_mask(op: Operation) -> Value:
    return _marked(op, op.block(0), op.block(1))


def _tensor_by_mask(op: Operation) -> Value:
    return _marked(op, op.block(1), op.block(0))


def _to_memory(op: Operation) -> Value:
    """Elements of a tile written to a tensor; an index counts through the whole tensor."""
    target = op.block(2)
    values, indices = _valid_pairs(op, 0, 1)
    op.check_index(indices, target.data.size, "elements")
    check_writable(op, target)
    target.data[np.unravel_index(indices, target.data.shape)] = convert(values, target.dtype)
    op.frame.machine.moved["written"] += values.nbytes
    return rewritten(op, target)


TABLE: Final[dict[str, Semantics]] = {
    **tiles({"scatter": _by_flat_index, "scatter_update": _whole_rows, "scatter_mask": _tile_by_mask}),
    **tiles({"mscatter": _to_memory}),
    **tensors({"scatter": _by_column, "scatter_update": _whole_rows, "scatter_mask": _tensor_by_mask}),
}
