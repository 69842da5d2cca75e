# SPDX-License-Identifier: Apache-2.0
"""Which element types hold every number of another, against all numbers of the small ones."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pypto_build.analysis.exact_types import holds_all
from pypto_build.ir import DataType as D

ARRAYS = {
    D.INT8: np.arange(-128, 128),
    D.UINT8: np.arange(256),
    D.INT16: np.arange(-(2**15), 2**15),
    D.UINT16: np.arange(2**16),
    D.FP16: np.arange(2**16, dtype=np.uint16).view(np.float16),
    D.BF16: np.arange(2**16, dtype=np.uint16).view(ml_dtypes.bfloat16),
    D.FP8E4M3FN: np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn),
    D.FP8E5M2: np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e5m2),
    D.FP4: np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn),
}


@pytest.mark.parametrize("narrow", ARRAYS, ids=str)
@pytest.mark.parametrize("wide", ARRAYS, ids=str)
def test_a_type_holds_another_if_every_number_of_it_is_there(wide: D, narrow: D) -> None:
    assert holds_all(wide, narrow) == (_numbers(narrow) <= _numbers(wide))


def _numbers(dtype: D) -> set[float]:
    with np.errstate(invalid="ignore"):  # some of the bit patterns are no numbers
        return {float(x) for x in ARRAYS[dtype].astype(np.float64) if np.isfinite(x)}


@pytest.mark.parametrize(
    ("wide", "narrow", "holds"),
    [
        (D.FP32, D.HF8, True),
        (D.FP16, D.HF8, True),
        (D.BF16, D.HF8, True),
        (D.FP32, D.INT16, True),
        (D.FP32, D.INT32, False),
        (D.INT64, D.UINT32, True),
        (D.INT32, D.UINT32, False),
        (D.FP32, D.BOOL, False),
    ],
)
def test_types_that_are_too_large_to_list_follow_the_same_rule(wide: D, narrow: D, holds: bool) -> None:
    assert holds_all(wide, narrow) is holds
