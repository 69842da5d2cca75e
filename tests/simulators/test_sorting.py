# SPDX-License-Identifier: Apache-2.0
"""Sorting blocks and merging runs of value and index pairs, against Python's sort."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.ir import DataType
from tests.simulators.running import Scalar, result

SEEDS = st.integers(0, 1 << 16)


def random_row(seed: int, count: int) -> tuple[Any, Any]:
    values = np.random.default_rng(seed).integers(-50, 50, (1, count)).astype(np.float32)
    return values, np.arange(count, dtype=np.uint32).reshape(1, count)


def pairs_of(row: Any) -> list[tuple[float, int]]:
    return list(zip(row[0, 0::2].tolist(), row.view(np.uint32)[0, 1::2].tolist(), strict=True))


def descending(pairs: list[tuple[float, int]]) -> list[tuple[float, int]]:
    return sorted(pairs, key=lambda pair: -pair[0])


@given(SEEDS)
def test_blocks_of_32_are_sorted_from_the_largest_down(seed: int) -> None:
    values, index = random_row(seed, 64)
    found = pairs_of(result("tile.sort32", values, index))
    pairs = list(zip(values[0].tolist(), index[0].tolist(), strict=True))
    assert found == descending(pairs[:32]) + descending(pairs[32:])


@given(SEEDS)
def test_four_runs_are_merged_into_one(seed: int) -> None:
    values, index = random_row(seed, 128)
    blocks = result("tile.sort32", values, index)
    found = pairs_of(result("tile.mrgsort_format1", blocks, Scalar(64, DataType.INT32)))
    assert found == descending(pairs_of(blocks))


@given(SEEDS)
def test_lists_are_merged_into_one(seed: int) -> None:
    lists = [result("tensor.sort32", *random_row(seed + i, 32)) for i in range(3)]
    found = pairs_of(result("tensor.mrgsort_format2", *lists))
    assert found == descending([pair for one in lists for pair in pairs_of(one)])


def test_merging_may_stop_when_the_first_list_is_exhausted() -> None:
    high = result("tensor.sort32", np.full((1, 32), 9, np.float32), np.arange(32, dtype=np.uint32).reshape(1, 32))
    low = result("tensor.sort32", np.full((1, 32), 1, np.float32), np.arange(32, dtype=np.uint32).reshape(1, 32))
    found = result("tensor.mrgsort_format2", high, low, exhausted=True)
    assert np.array_equal(found[:, :64], high)
    assert np.isnan(found[:, 64:]).all()
