# SPDX-License-Identifier: Apache-2.0
"""Comparisons into masks and choosing by them, against NumPy's comparisons bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.ir import DataType
from tests.simulators.arrays import matrices, shapes
from tests.simulators.running import DTYPES, Part, Scalar, result, run_op

FUNCTIONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    shape = draw(shapes(5, 40))
    kind = draw(st.sampled_from((np.float32, np.int32)))
    return draw(matrices((kind,), shape, low=-1, high=1)), draw(matrices((kind,), shape, low=-1, high=1))


def bits(mask: Any, columns: int) -> Any:
    return (mask[:, np.arange(columns) // 8] >> (np.arange(columns) % 8)) & 1


@pytest.mark.parametrize("mode", range(6))
@given(pairs())
def test_a_comparison_sets_the_bit_of_each_element_that_holds(mode: int, pair: Any) -> None:
    left, right = pair
    mask = result("tile.cmp", left, right, cmp_type=mode)
    assert mask.shape == (left.shape[0], 32)
    assert np.array_equal(bits(mask, left.shape[1]), FUNCTIONS[mode](left, right))


@given(pairs(), st.integers(-2, 2))
def test_a_comparison_with_a_scalar(pair: Any, number: int) -> None:
    values = pair[0]
    mask = result("tile.cmps", values, Scalar(number, DTYPES[values.dtype]), cmp_type=4)
    assert np.array_equal(bits(mask, values.shape[1]), values > number)


@given(pairs())
def test_tensors_are_compared_into_ones_and_zeros(pair: Any) -> None:
    left, right = pair
    assert np.array_equal(result("tensor.cmp", left, right, cmp_type=2), (left < right).astype(left.dtype))


@given(pairs())
def test_choosing_by_a_mask(pair: Any) -> None:
    left, right = pair
    mask = result("tile.cmp", left, right, cmp_type=5)
    scratch = np.zeros((1, 32), np.uint8)
    assert np.array_equal(result("tile.sel", mask, left, right, scratch), np.where(left >= right, left, right))
    scalar = Scalar(-9, DTYPES[left.dtype])
    assert np.array_equal(result("tile.sels", mask, left, scratch, scalar), np.where(left >= right, left, -9))


def test_a_mask_is_valid_as_far_as_bytes_hold_valid_bits() -> None:
    part = Part(np.ones((4, 40), np.float32), (3, 17))
    made = run_op("tile.cmps", part, Scalar(1, DataType.FP32), cmp_type=0)
    assert made.valid == (3, 3)
