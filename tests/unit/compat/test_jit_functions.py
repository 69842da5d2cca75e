# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: RET504  # kernels are read, never run: their forms are the subject
"""`kernel.lower(...)` of the public interface: the program for sample arguments, after the standard passes."""

from __future__ import annotations

from collections.abc import Generator

import ml_dtypes
import numpy as np
import pytest

import pypto_build.dsl.language as pl
from pypto_build.compat import install
from pypto_build.ir import Program


@pytest.fixture(autouse=True)
def _public() -> Generator[None]:
    with install():
        yield


@pl.jit.incore
def copy_tile(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    rows, columns = a.shape
    out = pl.store(pl.load(a, [0, 0], [rows, columns]), [0, 0], out)
    return out


@pl.jit
def copy(a: pl.Tensor, times: pl.INDEX, out: pl.Out[pl.Tensor]):
    for _ in pl.range(times):
        out = copy_tile(a, out)
    return out


def test_samples_are_arrays_and_numbers() -> None:
    array = np.zeros((16, 32), ml_dtypes.bfloat16)
    made = copy.lower(array, 3, out=array)
    assert isinstance(made, Program)
    assert "a__ssa_v0: pl.Tensor[[16, 32], pl.BF16" in str(made)
    assert "pl.range(3, init_values" in str(made)


def test_a_number_may_be_left_to_the_run() -> None:
    array = np.zeros((16, 32), np.float32)
    assert "pl.range(times" in str(copy.lower(array, pl.RUNTIME, array))


def test_a_sample_without_an_element_type_is_refused() -> None:
    with pytest.raises(TypeError, match="'times' is neither a tensor of a known element type nor a number"):
        copy.lower(np.zeros((4, 4), np.float32), "three", None)


def test_samples_fit_the_signature() -> None:
    with pytest.raises(TypeError, match="too many positional arguments"):
        copy.lower(1, 2, 3, 4)
