# SPDX-License-Identifier: Apache-2.0
"""Picking elements: by index, by column pattern, by comparison, in blocks of 32 bytes, rows of a paged pool.

Indices outside of the valid region are not looked at. An index of a tile counts through the whole source, row by row.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_build.ir import MemorySpace
from pypto_simulators.functional.numbers import Array, convert, numpy_type, unwritten
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.selection import comparison
from pypto_simulators.functional.semantics.tables import operand, scalar_operand, tensors, tiles, twins
from pypto_simulators.functional.semantics.transfer import aligned, read_window
from pypto_simulators.functional.values import Block, Value, region, window

# Pattern number -> the first marked column, and one column in how many is marked.
PATTERNS: Final = {1: (0, 2), 2: (1, 2), 3: (0, 4), 4: (1, 4), 5: (2, 4), 6: (3, 4), 7: (0, 1)}
_BLOCK_BYTES: Final = 32
_UNDEFINED, _CLAMP, _WRAP, _ZERO = range(4)
_ELEMENTS: Final = 1  # the coalesce mode that picks elements, not rows


def marked_columns(op: Operation) -> slice:
    """The columns that the mask pattern marks."""
    first, stride = PATTERNS[op.integer("mask_pattern", 7)]
    return slice(first, None, stride)


def indices_of(block: Block) -> Array:
    """The indices in a tensor or tile; 0 where they are not valid."""
    made = np.zeros(block.shape, np.int64)
    made[region(block.valid)] = block.valid_data()
    return made


def _by_flat_index(op: Operation) -> Value:
    source, indices = op.block(0).known().reshape(-1), indices_of(op.block(1))
    op.check_index(indices, source.size, "elements")
    return op.made(source[indices])


def _along_axis(op: Operation) -> Value:
    """One element per index; on the other axes the index may cover only the first part of the source."""
    source, indices = op.block(0).known(), indices_of(op.block(1))
    axis = op.integer("dim", -1) % source.ndim
    others = tuple(slice(None) if i == axis else slice(0, extent) for i, extent in enumerate(indices.shape))
    op.check_index(indices, source.shape[axis], "elements")
    return op.made(np.take_along_axis(source[others], indices, axis))


def _by_mask(op: Operation) -> Value:
    picked = np.ascontiguousarray(op.block(0).known()[..., marked_columns(op)])
    return op.made(picked.view(numpy_type(op.result_type.dtype)))


def _by_comparison(op: Operation) -> Value:
    """The columns of each row where the comparison holds, in order, and how many there are."""
    source = op.block(0)
    hits: Any = np.zeros(source.shape, np.bool_)
    value = scalar_operand(op.number(1), source.dtype)
    hits[region(source.valid)] = comparison(op, "cmp_mode")(operand(op, 0, source.dtype), value)[region(source.valid)]
    width = op.integer("out_cols")
    columns, filled = _first_hits(hits, width)
    found = unwritten((len(hits), width), op.call.type.types[0].dtype)  # type: ignore[attr-defined]  # two results
    found[:, : columns.shape[1]][filled] = (columns + op.integer("offset"))[filled]
    return op.tuple_of(found, hits.sum(axis=1).reshape(1, -1))


def _first_hits(hits: Array, width: int) -> tuple[Array, Array]:
    """The columns of the first hits of each row, and which of them really are hits."""
    columns = np.argsort(~hits, axis=1, kind="stable")[:, :width]
    return columns, np.take_along_axis(hits, columns, 1)


def _blocks(op: Operation) -> Value:
    """32 bytes of the source for each byte offset."""
    data = np.ascontiguousarray(op.block(0).full()).view(np.uint8).reshape(-1)
    offsets = indices_of(op.block(1))
    op.check_index(offsets, data.size - _BLOCK_BYTES + 1, "places of a block")
    picked = data[offsets[..., None] + np.arange(_BLOCK_BYTES)].reshape(offsets.shape[0], -1)
    return op.made(picked.view(numpy_type(op.result_type.dtype)))


def _from_memory(op: Operation) -> Value:
    """Rows or elements of a tensor in global memory."""
    memory, index = op.block(0).known(), indices_of(op.block(1))
    elements = op.integer("coalesce") == _ELEMENTS
    table = memory.reshape(-1, 1) if elements else memory.reshape(-1, memory.shape[-1])
    where, inside = _within(op, index if elements else index.reshape(-1), len(table))
    picked = np.where(inside[..., None], table[where], np.zeros((), memory.dtype))
    picked = picked.reshape(index.shape) if elements else picked
    op.frame.machine.moved["read"] += picked.nbytes
    if elements and op.kwargs.get("target_memory") is MemorySpace.Mat and op.is_block(2):
        scratch = op.block(2).data
        scratch[np.unravel_index(np.arange(picked.size), scratch.shape)] = picked.reshape(-1)
    return op.made(picked)


def _within(op: Operation, index: Array, limit: int) -> tuple[Array, Array]:
    """Indices within a limit, and which of them count; a negative one is a very large one."""
    mode = op.integer("gather_oob")
    unsigned = index & 0xFFFFFFFF
    if mode == _UNDEFINED:
        op.check_index(index, limit, "entries")
    if mode == _WRAP:
        return unsigned % limit, np.ones(index.shape, np.bool_)
    inside = unsigned < limit if mode == _ZERO else np.ones(index.shape, np.bool_)
    return np.minimum(unsigned, limit - 1), inside


def _rows_into(op: Operation) -> Value:
    """A window of a tensor, rows as columns if asked, put into a copy of the destination."""
    target, source = op.block(0), op.block(1)
    at, start, shape = op.extents(2), op.extents(3), op.extents(4)
    extents = op.extents(5) if op.has(5) else shape
    part = read_window(op, source, offsets=start, extents=extents, shape=extents)
    part = aligned(np.swapaxes(part, -1, -2) if op.flag("transpose") else part, len(at))
    op.check_window(at, part.shape, target.shape, verb="writes")
    data: Any = target.full().copy()
    data[window(at, part.shape)] = convert(part, target.dtype)
    return op.made(data)


def _through_page_table(op: Operation) -> Value:
    """Row i is the row of the pool that the page table gives for index i."""
    pool, table = op.block(0).known(), op.block(2).full().reshape(-1).astype(np.int64)
    wanted = op.block(1).full().reshape(-1).astype(np.int64)[: op.integer("max_indices")]
    size, block, first = op.integer("size"), op.integer("block_size"), op.integer("col_off")
    op.check_index(wanted // block, len(table), "pages")
    rows = table[wanted // block] * block + wanted % block
    op.check_index(rows, len(pool), "rows")
    made = unwritten((op.integer("max_indices"), size), op.block(0).dtype)
    made[: len(rows)] = pool[rows, first : first + size]
    op.frame.machine.moved["read"] += len(rows) * size * pool.dtype.itemsize
    return op.made(made.T if op.flag("is_trans") else made)


TABLE: Final[dict[str, Semantics]] = {
    **tiles({"gather": _by_flat_index, "gatherb": _blocks, "mgather": _from_memory}),
    **twins({"gather_mask": _by_mask, "gather_compare": _by_comparison, "gather_row": _rows_into}),
    **tensors({"gather": _along_axis, "paged_gather": _through_page_table}),
}
