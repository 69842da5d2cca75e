# SPDX-License-Identifier: Apache-2.0
"""`pypto-build check`: a table of passes, what is wrong, and how to see it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.unit.driver.test_check import PLUGIN, SOURCE


@pytest.fixture
def source(run: Run) -> str:
    """A source, and pipelines that keep and change what it computes."""
    del run  # it has changed to a directory of the test
    head = "schema: 1\nhardware: ascend910b\nplugins: [./wrong.py]\nsimulator: functional\n"
    Path("two.py").write_text(SOURCE, encoding="utf-8")
    Path("wrong.py").write_text(PLUGIN, encoding="utf-8")
    Path("right.yaml").write_text(head + "passes: [harmless, convert_to_ssa]\n", encoding="utf-8")
    Path("wrong.yaml").write_text(head + "passes: [harmless, slightly_wrong]\n", encoding="utf-8")
    return "two.py"


def test_passes_that_keep_the_answer_end_with_status_0(run: Run, source: str) -> None:
    outcome = run("check", source, "--pipeline", "right.yaml")
    assert outcome.status == 0
    assert "no pass changes the answer" in outcome.out
    assert "random inputs, seed 0" in outcome.out


def test_a_wrong_pass_ends_with_status_1_and_is_named(run: Run, source: str) -> None:
    outcome = run("check", source, "--pipeline", "wrong.yaml", "--seed", "3")
    assert outcome.status == 1
    assert "slightly_wrong changes the answer: output 'out' is off by" in outcome.out
    assert "function second: alone changes it" in outcome.out
    again = "pypto-build check two.py --pipeline wrong.yaml --seed 3 --until slightly_wrong"
    assert again in outcome.out


def test_both_programs_can_be_written(run: Run, source: str) -> None:
    run("check", source, "--pipeline", "wrong.yaml", "--dump", "seen")
    before, after = (Path("seen", name).read_text(encoding="utf-8") for name in ("before.py", "after.py"))
    assert "2.5" in after
    assert "2.5" not in before


def test_the_result_can_be_had_as_json(run: Run, source: str) -> None:
    found = json.loads(run("check", source, "--pipeline", "wrong.yaml", "--json").out)
    assert found["first_change"] == "slightly_wrong"
    assert found["functions"] == ["second"]
    assert [entry["ok"] for entry in found["passes"]] == [True, False]


def test_a_golden_file_beside_the_source_is_used(run: Run, source: str) -> None:
    golden = "import numpy as np\ndef inputs(rng):\n    return {'x': np.ones((4, 8)), 'n': 0}\n"
    golden += "def expected(inputs):\n    return {'out': (inputs['x'] + 1) * 2}\n"
    Path("two_golden.py").write_text(golden, encoding="utf-8")
    assert "inputs of two_golden.py" in run("check", source, "--pipeline", "right.yaml").out
    assert "random inputs" in run("check", source, "--pipeline", "right.yaml", "--random").out


def test_a_value_that_is_no_integer_is_refused(run: Run, source: str) -> None:
    outcome = run("check", source, "--pipeline", "right.yaml", "--set", "n=many")
    assert outcome.status == 2
    assert "--set wants an integer, not 'many'" in outcome.err
