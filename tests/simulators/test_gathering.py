# SPDX-License-Identifier: Apache-2.0
"""Picking elements by index, pattern and comparison, each against a loop over the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.errors import UserError
from pypto_build.ir import DataType
from tests.simulators.arrays import matrices, shapes
from tests.simulators.running import InTensor, Part, Scalar, result, run_op

SEEDS = st.integers(0, 1 << 16)


def indices(seed: int, limit: int, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(seed).integers(0, limit, shape).astype(np.int32)


@given(matrices((np.float32,)), shapes(), SEEDS)
def test_an_index_of_a_tile_counts_through_the_whole_source(source: Any, shape: Any, seed: int) -> None:
    index = indices(seed, source.size, shape)
    found = result("tile.gather", source, index, np.zeros_like(index))
    wanted = [[source[i // source.shape[1], i % source.shape[1]] for i in row] for row in index]
    assert np.array_equal(found, wanted)


@given(matrices((np.float32,), shape=(4, 6)), SEEDS, st.sampled_from([0, 1, -1]))
def test_a_tensor_is_gathered_along_an_axis(source: Any, seed: int, dim: int) -> None:
    shape = (3, 6) if dim == 0 else (4, 5)
    index = indices(seed, 4 if dim == 0 else 6, shape)
    found = result("tensor.gather", source, index, dim=dim)
    for place, i in np.ndenumerate(index):
        assert found[place] == (source[i, place[1]] if dim == 0 else source[place[0], i])


@pytest.mark.parametrize(("pattern", "first", "stride"), [(1, 0, 2), (2, 1, 2), (3, 0, 4), (5, 2, 4), (7, 0, 1)])
def test_a_pattern_marks_columns(pattern: int, first: int, stride: int) -> None:
    source = np.arange(32, dtype=np.float32).reshape(2, 16)
    assert np.array_equal(result("tile.gather_mask", source, mask_pattern=pattern), source[:, first::stride])


def test_marked_columns_may_be_read_as_another_type() -> None:
    source = np.array([[1.0, 2.0, 3.0, 4.0]], np.float32)
    found = result("tile.gather_mask", source, mask_pattern=2, output_dtype=DataType.UINT32)
    assert found.tolist() == [[0x40000000, 0x40800000]]


@given(matrices((np.int32, np.float32), shape=(5, 12), low=-1, high=1), st.sampled_from([0, 2, 5]))
def test_columns_where_a_comparison_holds_come_first_and_are_counted(source: Any, mode: int) -> None:
    dtype = DataType.INT32 if source.dtype == np.int32 else DataType.FP32
    scratch = np.zeros((5, 48), np.uint8)
    where, count = run_op(
        "tile.gather_compare", source, Scalar(0, dtype), scratch, cmp_mode=mode, out_cols=4, offset=10
    )
    holds = {0: source == 0, 2: source < 0, 5: source >= 0}[mode]
    assert count.data.tolist() == [holds.sum(axis=1).tolist()]
    for found, row in zip(where.data, holds, strict=True):
        hits = np.flatnonzero(row)[:4] + 10
        assert found[: len(hits)].tolist() == hits.tolist()


def test_blocks_of_32_bytes_are_picked_by_byte_offset() -> None:
    source = np.arange(64, dtype=np.int16).reshape(1, 64)
    offsets = np.array([[96, 0, 32, 64, 0, 0, 0, 96]], np.uint32)
    found = result("tile.gatherb", source, offsets)
    assert np.array_equal(found.reshape(8, 16), source.reshape(4, 16)[[3, 0, 1, 2, 0, 0, 0, 3]])


@pytest.mark.parametrize(("mode", "rows"), [(1, [5, 5, 2, 0]), (2, [3, 0, 2, 0]), (3, [None, None, 2, 0])])
def test_an_index_beyond_the_table_is_clamped_wrapped_or_zero(mode: int, rows: list[Any]) -> None:
    table = np.arange(1, 25, dtype=np.float32).reshape(6, 4)
    index = np.array([[-1, 6, 2, 0]], np.int32)  # -1 is 0xFFFFFFFF, which is 3 modulo 6
    found = result("tile.mgather", InTensor(table), index, gather_oob=mode)
    wanted = [np.zeros(4) if row is None else table[row] for row in rows]
    assert np.array_equal(found, wanted)


def test_elements_of_a_tensor_are_picked_one_by_one() -> None:
    table = np.arange(24, dtype=np.float32)
    index = np.array([[3, 0], [23, 7]], np.int32)
    assert result("tile.mgather", InTensor(table), index, coalesce=1).tolist() == [[3, 0], [23, 7]]


def test_an_index_beyond_the_source_is_an_error() -> None:
    index = np.array([[0, 4]], np.int32)
    with pytest.raises(UserError, match=r"tile\.gather is given index 4 for 4 elements"):
        result("tile.gather", np.ones((2, 2), np.float32), index, index)


def test_an_index_outside_of_the_valid_region_is_not_looked_at() -> None:
    index = Part(np.array([[1, 99]], np.int32), (1, 1))
    made = run_op("tile.gather", np.array([[5.0, 7.0]], np.float32), index, np.zeros((1, 2), np.int32))
    assert made.data[0, 0] == 7
    assert np.isnan(made.data[0, 1])


@pytest.mark.parametrize("transpose", [False, True])
def test_a_window_of_a_tensor_is_copied_into_a_tile(transpose: bool) -> None:
    target, source = np.zeros((4, 4), np.float32), np.arange(40, dtype=np.float32).reshape(5, 8)
    args = InTensor(source), (0, 1), (2, 3), (1, 3), (1, 3)
    found = result("tile.gather_row", target, *args, transpose=transpose)
    wanted = target.copy()
    if transpose:
        wanted[0:3, 1] = source[2, 3:6]
    else:
        wanted[0, 1:4] = source[2, 3:6]
    assert np.array_equal(found, wanted)


def test_rows_of_a_paged_pool_are_found_through_the_table() -> None:
    pool = np.repeat(np.arange(12, dtype=np.float32)[:, None], 6, axis=1)
    table, wanted = np.array([2, 0, 1], np.int32), np.array([0, 5, 11], np.int32)
    found = result("tensor.paged_gather", pool, wanted, table, block_size=4, size=4, col_off=1, max_indices=4)
    assert found[:3, 0].tolist() == [8, 1, 7]
    assert np.isnan(found[3]).all()
