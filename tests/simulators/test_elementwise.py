# SPDX-License-Identifier: Apache-2.0
"""Arithmetic element by element, against NumPy in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.ir import DataType
from tests.simulators.arrays import FLOATS, INTS, close, matrices, parts, shapes
from tests.simulators.running import DTYPES, Part, Scalar, result, run_op

WIDE = np.float64
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
BITS = {"and": np.bitwise_and, "or": np.bitwise_or}


@st.composite
def pairs(draw: st.DrawFn, kinds: Any = FLOATS) -> tuple[Any, Any]:
    shape = draw(shapes())
    kind = draw(st.sampled_from(kinds))
    return draw(matrices((kind,), shape)), draw(matrices((kind,), shape))


@pytest.mark.parametrize("level", ["tile", "tensor"])
@pytest.mark.parametrize("name", BINARY)
@given(pairs())
def test_arithmetic_on_floats_is_that_of_numpy(name: str, level: str, pair: Any) -> None:
    left, right = pair
    wanted = BINARY[name](left.astype(WIDE), right.astype(WIDE))
    assert close(result(f"{level}.{name}", left, right), wanted)


@pytest.mark.parametrize("name", BINARY)
@given(pairs(INTS))
def test_arithmetic_on_integers_wraps_around(name: str, pair: Any) -> None:
    left, right = (part * part.dtype.type(31) for part in pair)
    with np.errstate(over="ignore"):
        wanted = BINARY[name](left, right)
    assert np.array_equal(result(f"tile.{name}", left, right), wanted)


@pytest.mark.parametrize("name", ["adds", "subs", "muls", "maximums", "minimums"])
@given(matrices(), st.integers(-6, 6))
def test_a_scalar_takes_the_type_of_the_tile(name: str, values: Any, number: int) -> None:
    scalar = Scalar(number / 2, DTYPES[values.dtype])
    wanted = BINARY[name.removesuffix("s")](values.astype(WIDE), number / 2)
    assert close(result(f"tile.{name}", values, scalar), wanted)


@given(matrices((np.float32, np.float16)), st.sampled_from(["tile", "tensor"]))
def test_division_of_floats_gives_infinity_for_zero(values: Any, level: str) -> None:
    divisor = np.zeros_like(values)
    with np.errstate(all="ignore"):
        wanted = values.astype(WIDE) / divisor.astype(WIDE)
    assert close(result(f"{level}.div", values, divisor), wanted)


@given(pairs((np.int32, np.int16)))
def test_division_of_integers_truncates_towards_zero(pair: Any) -> None:
    left, right = pair[0], np.where(pair[1] == 0, 3, pair[1]).astype(pair[1].dtype)
    wanted = np.trunc(left.astype(WIDE) / right.astype(WIDE))
    assert close(result("tile.div", left, right), wanted)


@given(pairs((np.float32, np.int32)))
def test_fmod_has_the_sign_of_the_dividend_and_rem_of_the_divisor(pair: Any) -> None:
    left, right = pair[0], np.where(pair[1] == 0, 3, pair[1]).astype(pair[1].dtype)
    scratch = np.zeros_like(left)
    exact = left.astype(WIDE), right.astype(WIDE)
    assert close(result("tile.fmod", left, right), exact[0] - exact[1] * np.trunc(exact[0] / exact[1]))
    assert close(result("tile.rem", left, right, scratch), exact[0] - exact[1] * np.floor(exact[0] / exact[1]))


@pytest.mark.parametrize("name", BITS)
@given(pairs(INTS))
def test_bits_combine(name: str, pair: Any) -> None:
    assert np.array_equal(result(f"tile.{name}", *pair), BITS[name](*pair))
    assert np.array_equal(result(f"tensor.{name}", *pair), BITS[name](*pair))


@given(pairs(INTS), st.integers(0, 7))
def test_shifts_and_exclusive_or_are_those_of_the_type(pair: Any, count: int) -> None:
    left, right = pair
    amounts = np.full_like(left, count)
    assert np.array_equal(result("tile.shl", left, amounts), left << amounts)
    assert np.array_equal(result("tile.shrs", left, Scalar(count, DataType.INT32)), left >> amounts)
    assert np.array_equal(result("tile.xor", left, right, right), left ^ right)


def test_a_shift_to_the_right_of_a_negative_number_keeps_the_sign_and_of_an_unsigned_one_does_not() -> None:
    signed, unsigned = np.array([[-8, 8]], np.int16), np.array([[0xFFF8, 8]], np.uint16)
    assert result("tile.shrs", signed, Scalar(2, DataType.INT16)).tolist() == [[-2, 2]]
    assert result("tile.shrs", unsigned, Scalar(2, DataType.INT16)).tolist() == [[0x3FFE, 2]]


@pytest.mark.parametrize(
    ("name", "function"),
    [("abs", np.abs), ("neg", np.negative), ("exp", np.exp), ("sqrt", lambda x: np.sqrt(np.abs(x)))],
)
@given(matrices())
def test_unary_operations_are_those_of_numpy(name: str, function: Any, values: Any) -> None:
    source = np.abs(values) if name == "sqrt" else values
    assert close(result(f"tile.{name}", source), function(values.astype(WIDE)), values.dtype)


@given(matrices((np.float32,), low=1))
def test_roots_logarithm_and_circular_functions_of_fp32(values: Any) -> None:
    exact = values.astype(WIDE)
    table = {"rsqrt": 1 / np.sqrt(exact), "recip": 1 / exact, "log": np.log(exact), "sin": np.sin(exact)}
    for name, wanted in {**table, "cos": np.cos(exact)}.items():
        assert close(result(f"tile.{name}", values), wanted), name


@given(matrices())
def test_activations(values: Any) -> None:
    exact, slope = values.astype(WIDE), Scalar(0.5, DTYPES[values.dtype])
    assert close(result("tile.relu", values), np.maximum(exact, 0))
    assert close(result("tile.lrelu", values, slope), np.where(exact < 0, exact / 2, exact))


def test_not_inverts_every_bit() -> None:
    assert result("tile.not", np.array([[0, -1, 5]], np.int16)).tolist() == [[-1, 0, -6]]


@given(pairs((np.float32,)), st.data())
def test_elements_outside_of_the_valid_region_are_not_written(pair: Any, data: Any) -> None:
    left, right = pair
    valid = data.draw(parts(left))
    made = run_op("tile.add", Part(left, valid), Part(right, valid))
    box = tuple(slice(0, extent) for extent in valid)
    assert made.valid == valid
    assert np.array_equal(made.data[box], (left + right)[box])
    assert np.isnan(made.data).sum() == left.size - np.prod(valid)


@given(pairs((np.float32,)), st.data())
def test_a_part_operation_takes_the_one_that_is_valid(pair: Any, data: Any) -> None:
    left, right = pair
    valid = data.draw(parts(left))
    wanted = left.copy()
    box = tuple(slice(0, extent) for extent in valid)
    wanted[box] = left[box] * right[box]
    assert np.array_equal(result("tile.part_mul", left, Part(right, valid)), wanted)


@given(pairs((np.float32,)), st.integers(-6, 6))
def test_three_operands_are_added_in_order(pair: Any, number: int) -> None:
    left, right = pair
    scalar = Scalar(number, DataType.FP32)
    assert np.array_equal(result("tile.addc", left, right, left), left + right + left)
    assert np.array_equal(result("tile.subc", left, right, left), left - right + left)
    assert np.array_equal(result("tile.addsc", left, scalar, right), left + number + right)
    assert np.array_equal(result("tile.subsc", left, scalar, right), left - number + right)


@given(shapes(), st.sampled_from(["add", "sub"]))
def test_operands_broadcast_along_extents_of_one(shape: tuple[int, int], name: str) -> None:
    left = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    right = np.arange(shape[1], dtype=np.float32).reshape(1, -1)
    assert np.array_equal(result(f"tensor.{name}", left, right), BINARY[name](left, right))


def test_integers_become_fp32_where_a_tensor_operation_yields_floats() -> None:
    found = result("tensor.exp", np.array([[0, 1]], np.int32))
    assert found.dtype == np.float32
    assert close(found, np.exp(np.array([[0.0, 1.0]])))
