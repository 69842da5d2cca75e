# SPDX-License-Identifier: Apache-2.0
"""`pypto-build simulate`: an object against its golden file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.unit.driver.test_check import SOURCE

GOLDEN = """
import numpy as np
def inputs(rng):
    return {"x": rng.standard_normal((4, 8)).astype(np.float32), "n": 1}
def expected(inputs):
    return {"out": (inputs["x"] + 2) * FACTOR}
"""


@pytest.fixture
def built(run: Run) -> str:
    """An object of a source, and golden files that it agrees and does not agree with."""
    Path("two.py").write_text(SOURCE, encoding="utf-8")
    Path("right.py").write_text(GOLDEN.replace("FACTOR", "2"), encoding="utf-8")
    Path("wrong.py").write_text(GOLDEN.replace("FACTOR", "3"), encoding="utf-8")
    pipeline = "{schema: 1, name: short, hardware: ascend910b, passes: [convert_to_ssa]}"
    outcome = run("compile", "two.py", "--pipeline", pipeline, "--store-mode", "off")
    assert outcome.status == 0, outcome.err
    return "two.ptobj"


def test_an_object_that_agrees_ends_with_status_0_and_its_facts(run: Run, built: str) -> None:
    outcome = run("simulate", built, "--golden", "right.py")
    assert outcome.status == 0
    assert "within tolerance (functional)" in outcome.out
    assert "bytes read from global memory: 384" in outcome.out


def test_an_output_out_of_tolerance_is_an_error(run: Run, built: str) -> None:
    outcome = run("simulate", built, "--golden", "wrong.py", "-o", "report.json")
    assert outcome.status == 2
    assert "output 'out' is off by up to" in outcome.err
    assert not Path("report.json").exists()


def test_the_report_can_be_kept_and_printed(run: Run, built: str) -> None:
    outcome = run("simulate", built, "--golden", "right.py", "-o", "report.json", "--json", "--seed", "4")
    assert json.loads(outcome.out) == json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert json.loads(outcome.out)["seed"] == 4


def test_an_object_that_is_not_there_is_named(run: Run) -> None:
    outcome = run("simulate", "gone.ptobj", "--golden", "right.py")
    assert outcome.status == 2
    assert "there is no object gone.ptobj" in outcome.err
