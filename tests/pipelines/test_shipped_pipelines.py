# SPDX-License-Identifier: Apache-2.0
"""Every example computes the same with every shipped pipeline, or is refused for the documented reason."""

from __future__ import annotations

import json
import os
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


def test_a_pipeline_reuses_what_another_one_did_before_it(tmp_path: Path):
    target, store = tmp_path / "softmax.ptobj", str(tmp_path / "store")
    first = compile_source(request("softmax", target, pipeline="default", store=store))
    second = compile_source(request("softmax", target, pipeline="no_reuse", store=store))
    assert first.passes_run == first.passes_total
    ids = [one.id for one in load_pipeline("no_reuse").passes]
    behind = ids[ids.index("materialize_semantic_aliases") + 1 :]  # what stands behind the pass that is left out
    assert 0 < second.passes_run <= len(behind) + len(load_pipeline("no_reuse").targets)
