# SPDX-License-Identifier: Apache-2.0
"""Comparing outputs of two stages: tolerances by element type, and results that become parameters."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pypto_build.driver.answers import Answer
from pypto_build.errors import UserError
from pypto_build.host import SimulationResult

ONES = np.ones(4, np.float32)


def result(returned: tuple[str, ...] = (), **outputs: Any) -> SimulationResult:
    return SimulationResult(outputs, {"returned": list(returned)})


def ok(wanted: SimulationResult, found: SimulationResult, **inputs: Any) -> bool:
    return all(c.ok for c in Answer(wanted, inputs, golden=None, rtol=None).compare(found))


@pytest.mark.parametrize(
    ("kind", "small", "large"),
    [(np.float32, 1e-6, 1e-4), (np.float16, 2e-3, 0.02), (ml_dtypes.bfloat16, 0.01, 0.2)],
)
def test_what_an_element_type_can_hold_is_the_tolerance(kind: Any, small: float, large: float) -> None:
    values = np.array([1.0, 2.0], np.float32)
    assert ok(result(out=values.astype(kind)), result(out=(values + small).astype(kind)))
    assert not ok(result(out=values.astype(kind)), result(out=(values + large).astype(kind)))


def test_a_small_element_beside_a_large_one_may_be_off_by_what_the_large_one_may() -> None:
    assert ok(result(out=np.array([1e3, 1e-4], np.float32)), result(out=np.array([1e3, 2e-4], np.float32)))


def test_integers_must_be_equal() -> None:
    assert not ok(result(out=np.array([100])), result(out=np.array([101])))


def test_never_written_elements_are_equal_to_never_written_ones_only() -> None:
    holes = np.array([1, np.nan], np.float32)
    assert ok(result(out=holes), result(out=holes.copy()))
    assert not ok(result(out=holes), result(out=np.ones(2, np.float32)))
    assert not ok(result(out=np.ones(2, np.float32)), result(out=holes))


def test_a_result_may_become_a_parameter() -> None:
    wanted, found = result(("result",), result=ONES), result(("out",), out=ONES)
    assert ok(wanted, found)
    assert not ok(wanted, result(("out",), out=ONES * 2))


def test_a_parameter_that_is_newly_written_must_be_as_it_was() -> None:
    assert ok(result(), result(x=ONES), x=np.ones(4))
    assert not ok(result(), result(x=ONES), x=np.zeros(4))


def test_another_number_of_results_is_an_error() -> None:
    with pytest.raises(UserError, match="1 values are returned, before 0"):
        ok(result(), result(("result",), result=ONES))


def test_another_shape_is_an_error() -> None:
    with pytest.raises(UserError, match=r"output 'out' has shape \[2\], before \[4\]"):
        ok(result(out=ONES), result(out=ONES[:2]))
