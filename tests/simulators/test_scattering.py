# SPDX-License-Identifier: Apache-2.0
"""Putting elements where an index or pattern says, against a loop over the definition; the last write wins."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.errors import UserError
from tests.simulators.running import InTensor, Part, result, run_op

SEEDS = st.integers(0, 1 << 16)


def numbers(shape: tuple[int, ...], kind: Any = np.float32) -> Any:
    return np.arange(1, np.prod(shape) + 1).reshape(shape).astype(kind)


@given(SEEDS)
def test_an_index_of_a_tile_counts_through_the_whole_destination(seed: int) -> None:
    index = np.random.default_rng(seed).integers(0, 24, (3, 4)).astype(np.int32)
    target, source = -numbers((4, 6)), numbers((3, 4))
    wanted = target.copy().reshape(-1)
    for place, i in np.ndenumerate(index):
        wanted[i] = source[place]
    assert np.array_equal(result("tile.scatter", target, source, index), wanted.reshape(4, 6))


@given(SEEDS, st.sampled_from([np.float16, ml_dtypes.bfloat16, np.int16]))
def test_an_index_of_a_tensor_is_a_column(seed: int, kind: Any) -> None:
    index = np.random.default_rng(seed).integers(0, 6, (3, 4)).astype(np.int16)
    target, source = -numbers((4, 6), kind), numbers((3, 4), kind)
    wanted = target.copy()
    for (row, column), i in np.ndenumerate(index):
        wanted[row, i] = source[row, column]
    found = result("tensor.scatter", target, index, source)
    assert np.array_equal(found.astype(float), wanted.astype(float))


@pytest.mark.parametrize("level", ["tile", "tensor"])
def test_whole_rows_are_replaced(level: str) -> None:
    target, source = -numbers((6, 4)), numbers((4, 4))
    index = np.array([[5, 0], [2, 3]], np.int32)
    wanted = target.copy()
    wanted[[5, 0, 2, 3]] = source
    assert np.array_equal(result(f"{level}.scatter_update", target, index, source), wanted)


def test_rows_of_four_dimensions_are_counted_as_one() -> None:
    target, source = -numbers((2, 3, 1, 4)), numbers((1, 2, 1, 4))
    wanted = target.copy()
    wanted[1, 1], wanted[0, 2] = source[0, 0], source[0, 1]
    assert np.array_equal(result("tensor.scatter_update", target, np.array([[4, 2]], np.int32), source), wanted)


@pytest.mark.parametrize(("pattern", "first", "stride"), [(1, 0, 2), (2, 1, 2), (6, 3, 4), (7, 0, 1)])
def test_columns_go_where_a_pattern_marks_them(pattern: int, first: int, stride: int) -> None:
    source, target = numbers((2, 4)), -numbers((2, 4 * stride))
    wanted = target.copy()
    wanted[:, first::stride] = source
    assert np.array_equal(result("tile.scatter_mask", target, source, mask_pattern=pattern), wanted)
    assert np.array_equal(result("tensor.scatter_mask", source, target, mask_pattern=pattern), wanted)


def test_a_tile_is_scattered_to_global_memory_in_place() -> None:
    target = np.zeros((2, 5), np.float32)
    index = Part(np.array([[9, 0, 99], [3, 4, 99]], np.int32), (2, 2))
    run_op("tile.mscatter", Part(numbers((2, 3)), (2, 2)), index, InTensor(target))
    assert target.tolist() == [[2, 0, 0, 4, 5], [0, 0, 0, 0, 1]]


def test_an_index_beyond_the_destination_is_an_error() -> None:
    with pytest.raises(UserError, match=r"tensor\.scatter is given index 6 for 6 columns"):
        result("tensor.scatter", numbers((1, 6)), np.array([[6]], np.int32), numbers((1, 1)))
