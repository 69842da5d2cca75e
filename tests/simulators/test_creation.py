# SPDX-License-Identifier: Apache-2.0
"""Tensors and tiles made of numbers, and padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.ir import DataType, MemorySpace, PadValue
from tests.simulators.arrays import matrices, parts
from tests.simulators.running import Part, Scalar, result, run_op

FP32, INT32 = DataType.FP32, DataType.INT32


def test_what_is_created_reads_as_never_written() -> None:
    assert np.isnan(result("tensor.create", (2, 3), dtype=FP32)).all()
    assert (result("tile.create", (2, 3), dtype=DataType.INT16, target_memory=MemorySpace.Vec) == 0x5A5A).all()
    assert (result("tensor.create", (2, 3), dtype=FP32, init_value=1.5) == 1.5).all()


@pytest.mark.parametrize("level", ["tile", "tensor"])
def test_a_constant_and_a_sequence(level: str) -> None:
    assert (result(f"{level}.full", (2, 3), Scalar(2.5, FP32), dtype=FP32) == 2.5).all()
    assert result(f"{level}.ci", Scalar(5, INT32), (1, 4), dtype=INT32).tolist() == [[5, 6, 7, 8]]
    assert result(f"{level}.ci", Scalar(5, INT32), (1, 4), dtype=INT32, descending=True).tolist() == [[5, 4, 3, 2]]


@given(st.integers(-4, 4), st.booleans())
def test_a_triangle_is_that_of_numpy(diagonal: int, upper: bool) -> None:
    ones = np.ones((4, 6), np.int32)
    wanted = np.triu(ones, diagonal) if upper else np.tril(ones, diagonal)
    assert np.array_equal(result("tile.tri", Scalar(diagonal, INT32), (4, 6), upper=upper), wanted)


PADS = {PadValue.zero: 0, PadValue.max: np.inf, PadValue.min: -np.inf}


@pytest.mark.parametrize("name", ["fillpad", "fillpad_inplace"])
@pytest.mark.parametrize("pad", PADS)
@given(matrices((np.float32,)), st.data())
def test_what_is_not_valid_is_filled(name: str, pad: PadValue, values: Any, data: Any) -> None:
    valid = data.draw(parts(values))
    made = run_op(f"tile.{name}", Part(values, valid), pad_value=pad)
    wanted = np.full_like(values, PADS[pad])
    wanted[: valid[0], : valid[1]] = values[: valid[0], : valid[1]]
    assert made.whole
    assert np.array_equal(made.data, wanted)


def test_integers_are_padded_with_the_ends_of_their_range() -> None:
    part = Part(np.ones((1, 2), np.int16), (1, 1))
    assert result("tile.fillpad", part, pad_value=PadValue.max).tolist() == [[1, 32767]]
    assert result("tensor.fillpad", part, pad_value=PadValue.min).tolist() == [[1, -32768]]


def test_padding_may_enlarge() -> None:
    found = result("tile.fillpad_expand", np.ones((1, 2), np.float32), (2, 3), pad_value=PadValue.zero)
    assert found.tolist() == [[1, 1, 0], [0, 0, 0]]


def test_random_numbers_depend_on_every_word_and_on_nothing_else() -> None:
    def bits(*words: int) -> Any:
        return result("tensor.random", *(Scalar(w, INT32) for w in words), (4, 8)).tolist()

    assert bits(1, 2, 3, 4, 5, 6) == bits(1, 2, 3, 4, 5, 6)
    assert all(bits(*(9 if i == k else i for i in range(6))) != bits(*range(6)) for k in range(6))
