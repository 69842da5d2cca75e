# SPDX-License-Identifier: Apache-2.0
"""Reductions, against NumPy in double precision on the valid region alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulators.arrays import close, matrices, parts
from tests.simulators.running import Part, result, run_op

WIDE = np.float64
FOLDS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
INDICES = {"argmax": np.argmax, "argmin": np.argmin}


@pytest.mark.parametrize("name", FOLDS)
@given(matrices((np.float32,), low=-2, high=2), st.data())
def test_a_row_reduction_folds_the_valid_columns(name: str, values: Any, data: Any) -> None:
    valid = data.draw(parts(values))
    made = run_op(f"tile.row_{name}", Part(values, valid), np.zeros_like(values))
    wanted = FOLDS[name](values[: valid[0], : valid[1]].astype(WIDE), axis=1, keepdims=True)
    assert made.valid == (valid[0], 1)
    assert close(made.data[: valid[0]], wanted)
    assert np.isnan(made.data[valid[0] :]).all()


@pytest.mark.parametrize("name", FOLDS)
@given(matrices((np.float32,), low=-2, high=2), st.data())
def test_a_column_reduction_folds_the_valid_rows(name: str, values: Any, data: Any) -> None:
    valid = data.draw(parts(values))
    made = run_op(f"tile.col_{name}", Part(values, valid))
    wanted = FOLDS[name](values[: valid[0], : valid[1]].astype(WIDE), axis=0, keepdims=True)
    assert made.valid == (1, valid[1])
    assert close(made.data[:, : valid[1]], wanted)


@pytest.mark.parametrize("name", INDICES)
@given(matrices((np.float32, np.int32)))
def test_an_arg_reduction_yields_the_first_index(name: str, values: Any) -> None:
    row = result(f"tile.row_{name}", values, np.zeros_like(values))
    column = result(f"tensor.col_{name}", values)
    assert row.dtype == column.dtype == np.int32
    assert np.array_equal(row, INDICES[name](values, axis=1, keepdims=True))
    assert np.array_equal(column, INDICES[name](values, axis=0, keepdims=True))


@pytest.mark.parametrize("name", FOLDS)
@given(matrices(low=-1, high=1))
def test_tensors_may_lose_the_folded_axis(name: str, values: Any) -> None:
    found = result(f"tensor.row_{name}", values.astype(np.float32), keep_dim=False)
    assert close(found, FOLDS[name](values.astype(WIDE), axis=1))


def test_a_tensor_folds_the_axis_that_it_names() -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert np.array_equal(result("tensor.row_sum", values, axis=0), values.sum(axis=0, keepdims=True))
    assert np.array_equal(result("tensor.col_max", values), values.max(axis=1, keepdims=True))


def test_a_tensor_that_is_folded_to_nothing_is_a_scalar() -> None:
    assert run_op("tensor.row_sum", np.array([1, 2, 4], np.float32), keep_dim=False) == 7.0


def test_narrow_floats_are_summed_in_fp32() -> None:
    values = np.full((1, 4096), 0.1, np.float16)
    assert close(result("tensor.row_sum", values), values.astype(WIDE).sum(axis=1, keepdims=True))


def test_integers_wrap_around_in_their_own_width() -> None:
    values = np.array([[100, 100, 100]], np.int8)
    assert result("tensor.row_sum", values).tolist() == [[44]]
