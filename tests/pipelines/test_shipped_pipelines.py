# SPDX-License-Identifier: Apache-2.0
"""Every example computes the same with every shipped pipeline, or is refused for the documented reason."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import takewhile
from pathlib import Path, PurePosixPath

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, SimulateRequest
from pypto_build.driver.simulate import simulate_object
from pypto_build.errors import UserError
from pypto_build.pipeline import load_pipeline
from pypto_build.pipeline.locate import shipped_pipelines

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem.removesuffix("_golden") for path in EXAMPLES.glob("*_golden.py"))
ARGUMENTS = json.loads((EXAMPLES / "arguments.json").read_text(encoding="utf-8"))
ONE = os.environ.get("PYPTO_BUILD_PIPELINE")  # in the environment of one pipeline: `configs/no_reuse.yaml`
PIPELINES = sorted(shipped_pipelines()) if ONE is None else [PurePosixPath(ONE).stem]
STORE = os.environ.get("PYPTO_BUILD_STORE", "")

# What a pipeline says in its head that it does not do: the code of the error with which it refuses an example.
REFUSED = {("no_reuse", "scalar_chain"): "MEM006", ("no_reuse", "vector_add"): "MEM006"}
ACCEPTED = [(pipeline, name) for pipeline in PIPELINES for name in NAMES if (pipeline, name) not in REFUSED]


def compiled(pipeline: str, name: str, directory: Path) -> Path:
    """The object of an example."""
    target = directory / f"{name}.ptobj"
    compile_source(request(name, target, pipeline=pipeline, store=STORE))
    return target


def request(name: str, target: Path, *, pipeline: str, store: str) -> CompileRequest:
    """What to ask for an example; with a store results are reused."""
    return CompileRequest(
        str(EXAMPLES / f"{name}.py"),
        str(target),
        pipeline=pipeline,
        arguments=tuple(ARGUMENTS.get(name, ())),
        store=store,
        store_mode="write" if store else "off",
    )


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
    assert len(PIPELINES) >= (2 if ONE is None else 1)
    assert len(NAMES) >= 14


def steps_of(function: str, pipeline: str, store: Path) -> tuple[list[str], list[str]]:
    """The passes that a function of softmax goes through, and those of them whose results were found."""
    asked = request("softmax", store.parent / "softmax.ptobj", pipeline=pipeline, store=str(store))
    rows = [row for row in compile_source(replace(asked, report_passes=True)).passes if row[1] == function]
    ids = [one.id for one in load_pipeline(pipeline).passes]
    steps = [(step, status) for step, _, status, *_ in rows if step in ids]
    return [step for step, _ in steps], [step for step, status in steps if status == "reused"]


@pytest.mark.parametrize("function", ["softmax", "main"])
def test_the_hits_of_a_second_pipeline_are_those_of_the_common_prefix(function: str, tmp_path: Path):
    assert steps_of(function, "default", tmp_path / "store")[1] == []
    default, second = ([one.id for one in load_pipeline(name).passes] for name in ("default", "no_reuse"))
    common = [one for one, other in takewhile(lambda pair: pair[0] == pair[1], zip(default, second, strict=False))]
    assert len(common) == default.index("memory_reuse")
    steps, hits = steps_of(function, "no_reuse", tmp_path / "store")
    changed = (
        function == "softmax"
    )  # its tiles lie elsewhere without the pass, which does nothing to the other function
    assert hits == ([step for step in steps if step in common] if changed else steps)


def test_a_pass_that_does_nothing_may_be_left_out_for_nothing(tmp_path: Path):
    target, store = tmp_path / "matmul.ptobj", str(tmp_path / "store")
    for pipeline, runs in (("default", True), ("no_reuse", False)):
        assert bool(compile_source(request("matmul", target, pipeline=pipeline, store=store)).passes_run) is runs
