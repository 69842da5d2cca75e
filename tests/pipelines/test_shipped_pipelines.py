# SPDX-License-Identifier: Apache-2.0
"""Every example computes the same with every shipped pipeline, or is refused for the documented reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, SimulateRequest
from pypto_build.driver.simulate import simulate_object
from pypto_build.errors import UserError
from pypto_build.pipeline.locate import shipped_pipelines

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem.removesuffix("_golden") for path in EXAMPLES.glob("*_golden.py"))
ARGUMENTS = json.loads((EXAMPLES / "arguments.json").read_text(encoding="utf-8"))
PIPELINES = sorted(shipped_pipelines())

# What a pipeline says in its head that it does not do: the code of the error with which it refuses an example.
REFUSED = {("no_reuse", "scalar_chain"): "MEM006", ("no_reuse", "vector_add"): "MEM006"}
ACCEPTED = [(pipeline, name) for pipeline in PIPELINES for name in NAMES if (pipeline, name) not in REFUSED]


def compiled(pipeline: str, name: str, directory: Path) -> Path:
    """The object of an example."""
    target = directory / f"{name}.ptobj"
    arguments = tuple(ARGUMENTS.get(name, ()))
    compile_source(CompileRequest(str(EXAMPLES / f"{name}.py"), str(target), pipeline=pipeline, arguments=arguments))
    return target


@pytest.mark.parametrize(("pipeline", "name"), ACCEPTED)
def test_an_example_computes_what_numpy_computes(pipeline: str, name: str, tmp_path: Path):
    built = compiled(pipeline, name, tmp_path)
    golden, report = EXAMPLES / f"{name}_golden.py", tmp_path / "report.json"
    result = simulate_object(SimulateRequest(str(built), str(golden), str(report)))
    assert (result.status, result.error) == (0, "")


@pytest.mark.parametrize(("pipeline", "name"), sorted(REFUSED))
def test_an_example_is_refused_for_the_documented_reason(pipeline: str, name: str, tmp_path: Path):
    with pytest.raises(UserError) as refusal:
        compiled(pipeline, name, tmp_path)
    assert refusal.value.code == REFUSED[pipeline, name]


def test_there_are_several_pipelines_and_examples():
    assert len(PIPELINES) >= 2
    assert len(NAMES) >= 14
