# SPDX-License-Identifier: Apache-2.0
"""Windows, shapes, transposition and reinterpretation: the same elements, and for tensors the same memory."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.errors import UserError
from pypto_build.ir import DataType, MemorySpace, TensorLayout
from tests.simulators.arrays import matrices
from tests.simulators.running import Part, result, run_op

X = np.arange(24, dtype=np.float32).reshape(4, 6)


@given(matrices((np.float32,)), st.data())
def test_a_window_is_a_view(source: Any, data: Any) -> None:
    row, column = (data.draw(st.integers(0, extent - 1)) for extent in source.shape)
    shape = (source.shape[0] - row, source.shape[1] - column)
    for level in ("tile", "tensor"):
        made = run_op(f"{level}.slice", source, shape, (row, column))
        assert np.array_equal(made.data, source[row:, column:])
        assert np.shares_memory(made.data, source)


def test_unit_axes_may_be_dropped() -> None:
    source = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    found = result("tensor.slice", source, (1, 3, 1), (1, 0, 2), (1, 3, 1), (0,))
    assert np.array_equal(found, source[1, :, 2:3])


def test_a_tile_keeps_two_axes() -> None:
    found = result("tile.slice", X, (1, 6), (2, 0), (1, 6), (0,))
    assert found.shape == (1, 6)
    assert np.array_equal(found[0], X[2])


def test_a_window_beyond_the_end_is_cut_and_says_so() -> None:
    made = run_op("tensor.slice", X, (3, 6), (2, 0), clamp=True)
    assert made.shape == (3, 6)
    assert made.valid == (2, 6)
    assert np.isnan(made.full()[2]).all()


@pytest.mark.parametrize("level", ["tile", "tensor"])
def test_a_reshape_is_a_view_in_row_order(level: str) -> None:
    made = run_op(f"{level}.reshape", X, (6, 4))
    assert np.array_equal(made.data, X.reshape(6, 4))
    assert np.shares_memory(made.data, X)


def test_writing_through_a_reshape_that_is_no_view_is_an_error() -> None:
    columns = Part(X, (4, 6))
    columns.data = X[:, :4]
    columns.valid = (4, 4)
    reshaped = run_op("tensor.reshape", columns, (2, 8))
    assert not reshaped.data.flags.writeable


def test_transposing_a_tensor_is_a_view_and_a_tile_a_copy() -> None:
    tensor, tile = run_op("tensor.transpose", X, 0, 1), run_op("tile.transpose", X, 0, 1)
    assert np.array_equal(tensor.data, X.T)
    assert np.array_equal(tile.data, X.T)
    assert np.shares_memory(tensor.data, X)
    assert not np.shares_memory(tile.data, X)


def test_the_valid_region_is_transposed_too() -> None:
    assert run_op("tile.transpose", Part(X, (3, 2)), 0, 1).valid == (2, 3)
    assert run_op("tensor.transpose", Part(X, (3, 2)), 0, 1).valid == (2, 3)


def test_another_layout_swaps_the_last_two_axes() -> None:
    assert np.array_equal(result("tensor.view", X, layout=TensorLayout.DN), X.T)
    assert np.array_equal(result("tensor.view", X, (2, 12)), X.reshape(2, 12))


@pytest.mark.parametrize("level", ["tile", "tensor"])
def test_bytes_are_read_as_another_type(level: str) -> None:
    found = result(f"{level}.reinterpret_view", X, dtype=DataType.UINT16)
    assert np.array_equal(found, X.view(np.uint16))
    assert np.array_equal(result(f"{level}.reinterpret_view", X, dtype=DataType.INT32), X.view(np.int32))


def test_a_valid_region_may_be_stated() -> None:
    made = run_op("tile.set_validshape", X, 2, 5)
    assert made.valid == (2, 5)
    assert made.data is X


def test_moving_and_extracting_copy() -> None:
    moved = run_op("tile.move", X, target_memory=MemorySpace.Mat)
    assert np.array_equal(moved.data, X)
    assert not np.shares_memory(moved.data, X)
    assert np.array_equal(result("tile.extract", X, 1, 2, (2, 3), target_memory=MemorySpace.Vec), X[1:3, 2:5])


@given(matrices((np.float32, ml_dtypes.bfloat16), (3, 4)), st.integers(1, 4))
def test_the_second_tile_follows_the_valid_columns_of_the_first(values: Any, columns: int) -> None:
    made = run_op("tile.concat", Part(values, (3, columns)), values)
    assert made.valid == (3, columns + 4)
    wanted = np.concatenate((values[:, :columns], values), axis=1).astype(np.float32)
    assert np.array_equal(made.data[:, : columns + 4].astype(np.float32), wanted)


def test_extents_are_read() -> None:
    assert run_op("tensor.dim", X, 1) == 6


def test_a_window_that_is_not_there_is_an_error() -> None:
    with pytest.raises((UserError, ValueError), match="reads past the end"):
        run_op("tensor.slice", X, (2, 6), (3, 0))
