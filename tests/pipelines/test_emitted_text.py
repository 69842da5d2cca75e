# SPDX-License-Identifier: Apache-2.0
"""Every example of every pipeline computes by its PTO assembly what it computes by its IR, and what NumPy does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pypto_build.driver.archive import read_object
from pypto_build.driver.golden import load_golden
from pypto_build.driver.request import SimulateRequest
from pypto_build.driver.simulate import final_program, run_program, simulate_object
from pypto_build.driver.toolchain import toolchain
from pypto_build.errors import UserError
from tests.pipelines.test_shipped_pipelines import ACCEPTED, EXAMPLES, compiled

# Examples that a pipeline leaves without kernels: nothing is emitted for them.
WITHOUT_KERNELS = {("debug_tile_optimization", name) for name in ("dense_layer", "rms_norm", "tensor_scope")}
EMITTED = [one for one in ACCEPTED if one not in WITHOUT_KERNELS]


def golden_of(name: str) -> str:
    """The golden file of an example."""
    return str(EXAMPLES / f"{name}_golden.py")


@pytest.mark.parametrize(("pipeline", "name"), EMITTED)
def test_the_text_of_an_example_computes_what_numpy_computes(pipeline: str, name: str, tmp_path: Path):
    built, report = compiled(pipeline, name, tmp_path), tmp_path / "report.json"
    result = simulate_object(SimulateRequest(str(built), golden_of(name), str(report), simulator="emitted"))
    assert (result.status, result.error) == (0, "")
    facts = json.loads(report.read_text(encoding="utf-8"))["facts"]
    assert any(operation.startswith("pto.t") for operation in facts["operations_by_name"])


@pytest.mark.parametrize(("pipeline", "name"), EMITTED)
def test_the_text_of_an_example_computes_what_its_ir_computes(pipeline: str, name: str, tmp_path: Path):
    """Not a bit differs: the operations are the same, and so is their order."""
    members = read_object(str(compiled(pipeline, name, tmp_path)), code="OBJ001")
    hardware = json.loads(members["manifest.json"])["pipeline"]["hardware"]
    inputs = dict(load_golden(golden_of(name)).inputs(np.random.default_rng(1)))
    program, tools = final_program(members), toolchain(pipeline)
    text, meant = (
        run_program(program, inputs, tools, simulator=simulator, hardware=hardware, members=members).outputs
        for simulator in ("emitted", "functional")
    )
    assert text.keys() == meant.keys()
    for output, wanted in meant.items():
        np.testing.assert_array_equal(text[output], wanted, err_msg=output)


@pytest.mark.parametrize(("pipeline", "name"), sorted(WITHOUT_KERNELS))
def test_an_example_without_kernels_has_no_text_to_run(pipeline: str, name: str, tmp_path: Path):
    built, report = compiled(pipeline, name, tmp_path), tmp_path / "report.json"
    with pytest.raises(UserError, match="there is no PTO assembly to run") as refusal:
        simulate_object(SimulateRequest(str(built), golden_of(name), str(report), simulator="emitted"))
    assert refusal.value.code == "SIM023"
