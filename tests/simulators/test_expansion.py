# SPDX-License-Identifier: Apache-2.0
"""One value per row or column repeated over a tile, against NumPy's broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.ir import DataType
from tests.simulators.arrays import close, matrices, parts
from tests.simulators.running import Part, Scalar, result, run_op

WIDE = np.float64
COMBINATIONS = {
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "expdif": lambda values, other: np.exp(values - other),
}


@pytest.mark.parametrize("level", ["tile", "tensor"])
@pytest.mark.parametrize("name", COMBINATIONS)
@given(matrices((np.float32,), low=-2, high=2))
def test_a_value_per_row_meets_every_element_of_the_row(name: str, level: str, values: Any) -> None:
    vector = values[:, :1] + 1
    wanted = COMBINATIONS[name](values.astype(WIDE), vector.astype(WIDE))
    assert close(result(f"{level}.row_expand_{name}", values, vector), wanted)


@pytest.mark.parametrize("level", ["tile", "tensor"])
@pytest.mark.parametrize("name", [*COMBINATIONS, "add"])
@given(matrices((np.float32,), low=-2, high=2))
def test_a_value_per_column_meets_every_element_of_the_column(name: str, level: str, values: Any) -> None:
    vector = values[:1, :] + 1
    function = np.add if name == "add" else COMBINATIONS[name]
    wanted = function(values.astype(WIDE), vector.astype(WIDE))
    assert close(result(f"{level}.col_expand_{name}", values, vector), wanted)


@given(matrices((np.float32,), low=1))
def test_division_by_a_value_per_row_or_column(values: Any) -> None:
    row, column = values[:, :1], values[:1, :]
    assert close(result("tile.row_expand_div", values, row), values.astype(WIDE) / row)
    assert close(result("tile.col_expand_div", values, column), values.astype(WIDE) / column)


@given(matrices((np.float32,)))
def test_a_sum_takes_the_first_element_of_a_packed_row(values: Any) -> None:
    packed = np.repeat(values[:, :1], 8, axis=1)
    packed[:, 1:] = np.nan
    assert np.array_equal(result("tile.row_expand_add", values, packed), values + values[:, :1])


@given(matrices((np.float32,)))
def test_a_vector_alone_is_repeated_over_the_shape_of_the_target(values: Any) -> None:
    target = np.full_like(values, np.nan)
    assert np.array_equal(
        result("tile.row_expand", target, values[:, :1]), np.repeat(values[:, :1], values.shape[1], 1)
    )
    assert np.array_equal(result("tile.col_expand", target, values[:1]), np.repeat(values[:1], values.shape[0], 0))
    assert np.array_equal(result("tensor.expand_clone", values[:1], target), np.repeat(values[:1], values.shape[0], 0))


@given(matrices((np.float32,)), st.data())
def test_a_scalar_fills_the_valid_region(values: Any, data: Any) -> None:
    valid = data.draw(parts(values))
    made = run_op("tile.expands", Part(values, valid), Scalar(2.5, DataType.FP32))
    assert (made.data[: valid[0], : valid[1]] == 2.5).all()
    assert np.isnan(made.data).sum() == values.size - np.prod(valid)
