# SPDX-License-Identifier: Apache-2.0
"""Golden files: how they are read and how outputs are compared with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pypto_build.driver.golden import Golden, compare, load_golden
from pypto_build.errors import UserError


def golden(rtol: float = 1e-5, atol: float = 1e-6) -> Golden:
    return Golden("golden.py", lambda _: {}, lambda _: {}, rtol, atol)


def test_equal_outputs_have_no_error() -> None:
    (only,) = compare(golden(), {"out": np.ones(3)}, {"out": np.ones(3)})
    assert (only.max_error, only.ok) == (0.0, True)


def test_an_error_within_the_relative_tolerance_is_ok() -> None:
    (only,) = compare(golden(rtol=1e-3), {"out": [1000.0]}, {"out": [1000.5]})
    assert only.ok


def test_an_error_beyond_it_is_not() -> None:
    (only,) = compare(golden(), {"out": [1000.0]}, {"out": [1000.5]})
    assert not only.ok
    assert only.max_error == 0.5


def test_a_missing_number_where_one_is_expected_is_an_error_without_bound() -> None:
    (only,) = compare(golden(), {"out": [1.0]}, {"out": [np.nan]})
    assert not only.ok


def test_numbers_that_are_missing_on_both_sides_are_equal() -> None:
    (only,) = compare(golden(), {"out": [np.nan, np.inf]}, {"out": [np.nan, np.inf]})
    assert only.ok


def test_infinities_of_other_sign_differ() -> None:
    (only,) = compare(golden(), {"out": [np.inf]}, {"out": [-np.inf]})
    assert not only.ok


def test_an_output_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(UserError, match="no output 'sum'") as caught:
        compare(golden(), {"sum": [1.0]}, {"out": [1.0]})
    assert caught.value.help == "outputs: out"


def test_another_shape_is_reported() -> None:
    with pytest.raises(UserError, match=r"'out' has shape \(2,\), the golden one \(3,\)"):
        compare(golden(), {"out": np.ones(3)}, {"out": np.ones(2)})


def test_expecting_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="nothing to compare"):
        compare(golden(), {}, {"out": np.ones(2)})


def test_tolerances_of_the_file_are_used(tmp_path: Path) -> None:
    path = tmp_path / "golden.py"
    path.write_text("RTOL = 0.5\ndef inputs(rng):\n    return {}\ndef expected(inputs):\n    return {}\n")
    assert load_golden(str(path)).rtol == 0.5


def test_a_file_without_a_function_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "golden.py"
    path.write_text("def inputs(rng):\n    return {}\n")
    with pytest.raises(UserError, match="no function 'expected'"):
        load_golden(str(path))


def test_a_file_that_raises_is_reported_as_such(tmp_path: Path) -> None:
    path = tmp_path / "golden.py"
    path.write_text("1 / 0\n")
    with pytest.raises(UserError, match="ZeroDivisionError in golden file"):
        load_golden(str(path))
