# SPDX-License-Identifier: Apache-2.0
"""Conversions: each rounding mode against its definition, on values that lie between two numbers of the target."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.ir import DataType
from tests.simulators.running import result

NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD = range(7)
HALVES = np.array([[-2.5, -1.5, -0.75, -0.25, 0.25, 0.5, 1.5, 2.5]], np.float32)
TO_INTEGER = {
    RINT: [-2, -2, -1, 0, 0, 0, 2, 2],
    ROUND: [-3, -2, -1, 0, 0, 1, 2, 3],
    FLOOR: [-3, -2, -1, -1, 0, 0, 1, 2],
    CEIL: [-2, -1, 0, 0, 1, 1, 2, 3],
    TRUNC: [-2, -1, 0, 0, 0, 0, 1, 2],
    ODD: [-3, -1, -1, -1, 1, 1, 1, 3],
}


def cast(values: Any, dtype: DataType, mode: int = RINT) -> Any:
    return result("tile.cast", values, target_type=dtype, mode=mode)


@pytest.mark.parametrize("mode", TO_INTEGER)
def test_a_float_becomes_an_integer_as_the_mode_says(mode: int) -> None:
    assert cast(HALVES, DataType.INT32, mode).tolist() == [TO_INTEGER[mode]]


@pytest.mark.parametrize("dtype", [DataType.INT8, DataType.INT16, DataType.INT32, DataType.UINT8, DataType.INT4])
def test_a_float_beyond_the_range_becomes_the_end_of_it(dtype: DataType) -> None:
    low, high = (0, 255) if dtype is DataType.UINT8 else (-(1 << dtype.get_bit() - 1), (1 << dtype.get_bit() - 1) - 1)
    found = cast(np.array([[-1e30, 1e30, np.nan]], np.float32), dtype)
    assert [int(value) for value in found[0]] == [low, high, 0]


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (DataType.BF16, ml_dtypes.bfloat16),
        (DataType.FP16, np.float16),
        (DataType.FP8E5M2, ml_dtypes.float8_e5m2),
        (DataType.FP8E4M3FN, ml_dtypes.float8_e4m3fn),
    ],
)
@given(st.lists(st.floats(-200, 200, width=32).map(lambda x: x if abs(x) > 0.1 else 1.1), min_size=1, max_size=6))
def test_a_narrowing_cast_rounds_to_a_neighbour_on_the_right_side(dtype: Any, kind: Any, numbers: list[float]) -> None:
    values = np.array([numbers], np.float32)
    modes = {mode: cast(values, dtype, mode).astype(np.float64) for mode in (RINT, FLOOR, CEIL, TRUNC)}
    assert np.array_equal(modes[RINT], values.astype(kind).astype(np.float64))
    assert (modes[FLOOR] <= values).all()
    assert (modes[CEIL] >= values).all()
    assert (np.abs(modes[TRUNC]) <= np.abs(values)).all()
    exact = modes[FLOOR] == modes[CEIL]
    assert np.array_equal(exact, values.astype(np.float64) == modes[RINT])
    assert np.array_equal(np.where(values < 0, modes[CEIL], modes[FLOOR]), modes[TRUNC])


def test_half_way_between_two_bf16_numbers() -> None:
    value = np.array([[1 + 2**-8, -1 - 2**-8, 1 + 3 * 2**-8]], np.float32)  # neighbours are 2**-7 apart
    assert cast(value, DataType.BF16, RINT).astype(float).tolist() == [[1, -1, 1 + 2**-6]]
    assert cast(value, DataType.BF16, ROUND).astype(float).tolist() == [[1 + 2**-7, -1 - 2**-7, 1 + 2**-6]]
    assert cast(value, DataType.BF16, ODD).astype(float).tolist() == [[1 + 2**-7, -1 - 2**-7, 1 + 2**-7]]


def test_the_smallest_numbers_around_zero() -> None:
    value = np.array([[1e-10, -1e-10]], np.float32)
    tiny = 2.0**-24
    assert cast(value, DataType.FP16, CEIL).astype(float).tolist() == [[tiny, 0.0]]
    assert cast(value, DataType.FP16, FLOOR).astype(float).tolist() == [[0.0, -tiny]]


@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=1, max_size=6))
def test_an_integer_keeps_its_low_bits(numbers: list[int]) -> None:
    values = np.array([numbers], np.int32)
    assert [int(x) for x in cast(values, DataType.INT16)[0]] == [((n + 0x8000) & 0xFFFF) - 0x8000 for n in numbers]
    assert [int(x) for x in cast(values, DataType.UINT8)[0]] == [n & 0xFF for n in numbers]


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        (ml_dtypes.int4, DataType.FP16),
        (np.int8, DataType.FP16),
        (ml_dtypes.float4_e2m1fn, DataType.BF16),
        (ml_dtypes.float8_e4m3fn, DataType.FP32),
        (ml_dtypes.bfloat16, DataType.FP32),
    ],
)
def test_widening_is_exact(kind: Any, dtype: DataType) -> None:
    values = np.array([[-2, -1, 0, 1, 2, 3]]).astype(np.float32).astype(kind)
    assert cast(values, dtype, NONE).astype(float).tolist() == [[-2, -1, 0, 1, 2, 3]]
