# SPDX-License-Identifier: Apache-2.0
"""Sorting rows: results hold pairs of value and index bits side by side, the largest value first.

Source: 32 elements form a block; equal values keep their order; an index keeps its bits in an element of the value's
width. Merging copies bits, because an index may look like any number.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_simulators.functional.numbers import Array, poison
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import tensors, tiles, twins
from pypto_simulators.functional.values import Value

BLOCK: Final = 32


def _descending(values: Array) -> Array:
    """The order that puts the largest first, NaN last, equal ones as they are; along the last axis."""
    return np.argsort(-values.astype(np.float64), axis=-1, kind="stable")


def _sorted_blocks(op: Operation) -> Value:
    values, index = op.block(0).known(), op.block(1).full()
    bits: Any = np.dtype(f"uint{8 * values.dtype.itemsize}")
    index = np.broadcast_to(index, values.shape).astype(np.int64).astype(bits).view(values.dtype)
    pairs = np.empty((*values.shape, 2), values.dtype)
    for start in range(0, values.shape[-1], BLOCK):
        part = slice(start, start + BLOCK)
        order = _descending(values[..., part])
        pairs[..., part, 0] = np.take_along_axis(values[..., part], order, -1)
        pairs[..., part, 1] = np.take_along_axis(index[..., part], order, -1)
    return op.made(pairs.reshape(*values.shape[:-1], -1))


def _pairs(data: Array) -> Array:
    return data.reshape(*data.shape[:-1], -1, 2)


def _merged(pairs: Array) -> Array:
    order = _descending(pairs[..., 0])
    return np.take_along_axis(pairs, order[..., None], -2)


def _merged_runs(op: Operation) -> Value:
    """Four runs of `block_len` elements (half as many pairs) at a time."""
    pairs = _pairs(op.block(0).known()).copy()
    group = 2 * int(op.number(1))
    for start in range(0, pairs.shape[-2], group):
        part = slice(start, start + group)
        pairs[..., part, :] = _merged(pairs[..., part, :])
    return op.made(pairs.reshape(op.block(0).shape))


def _merged_lists(op: Operation, count: int) -> Value:
    """All pairs of several lists; with `exhausted` only until the first list has no more."""
    lists = [_pairs(op.block(i).known()) for i in range(count)]
    pairs = np.concatenate(lists, axis=-2)
    origin = np.repeat(np.arange(count), [part.shape[-2] for part in lists])
    order = _descending(pairs[..., 0])
    merged = np.take_along_axis(pairs, order[..., None], -2)
    if op.flag("exhausted"):
        merged[_after_the_first_end(origin[order], count)] = poison(op.block(0).dtype)
    return op.made(merged.reshape(*merged.shape[:-2], -1))


def _after_the_first_end(origin: Array, count: int) -> Array:
    """Which places lie behind the last pair of the list that ends first."""
    length = int(origin.shape[-1])
    last = [length - 1 - np.argmax(origin[..., ::-1] == i, axis=-1) for i in range(count)]
    ends: Array = np.min(np.stack(last), axis=0)
    return np.greater(np.arange(length), ends[..., None])


def _merged_tiles(op: Operation) -> Value:
    return _merged_lists(op, len(op.args) - 1)


def _merged_tensors(op: Operation) -> Value:
    return _merged_lists(op, len(op.args))


TABLE: Final[dict[str, Semantics]] = {
    **twins({"sort32": _sorted_blocks, "mrgsort_format1": _merged_runs}),
    **tiles({"mrgsort_format2": _merged_tiles}),
    **tensors({"mrgsort_format2": _merged_tensors}),
}
