# SPDX-License-Identifier: Apache-2.0
"""Matrix products, against sums of products in double precision or in Python integers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.errors import UserError
from pypto_build.ir import ConstBool, DataType, MemorySpace
from tests.simulators.arrays import FLOATS, matrices, parts
from tests.simulators.running import InSpace, Part, result, run_op

LEFT, RIGHT, ACC, BIAS = MemorySpace.Left, MemorySpace.Right, MemorySpace.Acc, MemorySpace.Bias
SCALES = MemorySpace.LeftScale, MemorySpace.RightScale


@st.composite
def factors(draw: st.DrawFn, kinds: Any = FLOATS) -> tuple[Any, Any]:
    m, k, n = (draw(st.integers(1, 9)) for _ in range(3))
    kind = draw(st.sampled_from(kinds))
    return draw(matrices((kind,), (m, k), -2, 2)), draw(matrices((kind,), (k, n), -2, 2))


def exact(left: Any, right: Any) -> Any:
    return left.astype(np.float64) @ right.astype(np.float64)


def tiles(pair: Any) -> tuple[InSpace, InSpace]:
    return InSpace(pair[0], LEFT), InSpace(pair[1], RIGHT)


@given(factors())
def test_floats_are_summed_in_fp32(pair: Any) -> None:
    found = result("tile.matmul", *tiles(pair))
    assert found.dtype == np.float32
    assert np.allclose(found, exact(*pair), rtol=1e-6, atol=1e-5)


@given(factors((np.int8,)))
def test_int8_products_are_summed_in_int32(pair: Any) -> None:
    pair = pair[0] * np.int8(60), pair[1] * np.int8(60)
    found = result("tile.matmul", *tiles(pair))
    assert found.dtype == np.int32
    assert np.array_equal(found, pair[0].astype(np.int64) @ pair[1].astype(np.int64))


@given(factors((np.float32,)), st.sampled_from([None, False, True]))
def test_a_product_is_added_unless_it_is_the_first(pair: Any, first: bool | None) -> None:
    product = exact(*pair)
    acc = np.ones(product.shape, np.float32)
    condition = [] if first is None else [ConstBool(first)]
    found = result("tile.matmul_acc", InSpace(acc, ACC), *tiles(pair), *condition)
    assert np.allclose(found, product + (0 if first else 1), rtol=1e-6, atol=1e-5)


@given(factors((np.float32,)))
def test_a_bias_row_is_added_to_every_row(pair: Any) -> None:
    bias = np.arange(pair[1].shape[1], dtype=np.float32).reshape(1, -1)
    found = result("tile.matmul_bias", *tiles(pair), InSpace(bias, BIAS))
    assert np.allclose(found, exact(*pair) + bias, rtol=1e-6, atol=1e-5)


@given(factors((np.float32,)), st.data())
def test_the_inner_extent_is_the_valid_one_of_the_left_factor(pair: Any, data: Any) -> None:
    left, right = pair
    valid = data.draw(parts(left))
    made = run_op("tile.matmul", InSpace(Part(left, valid), LEFT), InSpace(right, RIGHT))
    wanted = exact(left[: valid[0], : valid[1]], right[: valid[1]])
    assert made.valid == (valid[0], right.shape[1])
    assert np.allclose(made.data[: valid[0]], wanted, rtol=1e-6, atol=1e-5)


def test_a_batch_is_multiplied_matrix_by_matrix() -> None:
    left = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    right = np.arange(20, dtype=np.float32).reshape(1, 4, 5)
    assert np.array_equal(result("tile.batch_matmul", *tiles((left, right))), np.einsum("bmk,xkn->bmn", left, right))


def test_a_row_times_a_matrix_is_valid_in_one_row_of_sixteen() -> None:
    row, matrix = np.arange(4, dtype=np.float32).reshape(1, 4), np.arange(32, dtype=np.float32).reshape(4, 8)
    made = run_op("tile.gemv", *tiles((row, matrix)))
    assert made.valid == (1, 8)
    assert made.data.shape == (16, 8)
    assert np.array_equal(made.data[:1], row @ matrix)


@given(factors((np.float32,)), st.booleans(), st.booleans())
def test_tensors_may_be_transposed_first(pair: Any, left: bool, right: bool) -> None:
    given_left = np.ascontiguousarray(pair[0].T) if left else pair[0]
    given_right = np.ascontiguousarray(pair[1].T) if right else pair[1]
    found = result("tensor.matmul", given_left, given_right, a_trans=left, b_trans=right)
    assert np.allclose(found, exact(*pair), rtol=1e-6, atol=1e-5)


@given(factors((ml_dtypes.bfloat16,)))
def test_a_tensor_product_has_the_type_that_is_asked_for(pair: Any) -> None:
    wide = result("tensor.matmul", *pair, out_dtype=DataType.FP32)
    narrow = result("tensor.matmul", *pair)
    assert wide.dtype == np.float32
    assert narrow.dtype == ml_dtypes.bfloat16
    assert np.array_equal(narrow, wide.astype(ml_dtypes.bfloat16))


def test_vectors_stand_for_a_row_and_a_column() -> None:
    vector, matrix = np.arange(3, dtype=np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.array_equal(result("tensor.matmul", vector, matrix), vector @ matrix)


def test_each_group_of_32_has_a_scale() -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(-4, 4, (16, 64)).astype(ml_dtypes.float8_e4m3fn)
    right = rng.integers(-4, 4, (64, 32)).astype(ml_dtypes.float8_e4m3fn)
    rows = np.array([[2.0, 0.5]] * 16, np.float32).astype(ml_dtypes.float8_e8m0fnu)
    columns = np.array([[4.0] * 32, [1.0] * 32], np.float32).astype(ml_dtypes.float8_e8m0fnu)
    args = InSpace(left, LEFT), InSpace(rows, SCALES[0]), InSpace(right, RIGHT), InSpace(columns, SCALES[1])
    wanted = exact(left[:, :32], right[:32]) * 8 + exact(left[:, 32:], right[32:]) / 2
    assert np.array_equal(result("tile.matmul_mx", *args), wanted)


def test_factors_that_do_not_fit_at_run_time_are_an_error() -> None:
    with pytest.raises((UserError, ValueError), match="inner"):
        result("tensor.matmul", np.ones((2, 3), np.float32), np.ones((4, 2), np.float32))
