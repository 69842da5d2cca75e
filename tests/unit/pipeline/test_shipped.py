# SPDX-License-Identifier: Apache-2.0
"""The pipelines that come with the project: found by name, explained, and what each changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pypto_build.pipeline.config import load_config
from pypto_build.pipeline.locate import shipped_pipelines
from pypto_build.pipeline.problems import Problems

SHIPPED = sorted(shipped_pipelines())


def config(name):
    problems = Problems()
    found = load_config(name, problems)
    problems.raise_all()
    return found


def passes(name):
    return [entry.id for entry in config(name).passes]


def left_out(name):
    return [one for one in passes("default") if one not in passes(name)]


def test_the_shipped_pipelines_are_found_by_name():
    assert {"default", "debug_tile_optimization", "ascend950", "no_reuse", "unpipelined"} <= set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_pipeline_says_who_wants_it_and_has_its_files_name(name):
    path = shipped_pipelines()[name]
    completion, comment = path.read_text(encoding="utf-8").splitlines()[:2]
    assert completion == "# yaml-language-server: $schema=schema.json"
    assert comment.startswith("# ")
    assert " for " in comment.lower()
    assert config(name).name == path.stem


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_pipeline_compiles_verifies_and_can_simulate(name):
    found = config(name)
    assert found.targets
    assert (found.simulator.use.value, found.verify.value) == ("functional", "basic")


def test_what_a_pipeline_leaves_out_is_what_it_is_for():
    scopes = ["outline_hierarchy_scopes", "outline_incore_scopes", "outline_cluster_scopes"]
    assert left_out("debug_tile_optimization") == [*scopes, "convert_tensor_to_tile_ops"]
    assert left_out("no_reuse") == ["memory_reuse"]
    assert left_out("unpipelined") == ["lower_pipeline_loops"]
    assert left_out("ascend950") == []


def test_a_pipeline_may_be_for_another_chip():
    assert (config("default").hardware.value, config("ascend950").hardware.value) == ("ascend910b", "ascend950")


def test_shipped_pipelines_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert [Path(file).name for file in config("no_reuse").files] == ["no_reuse.yaml", "default.yaml"]


def test_importing_the_room_imports_no_parser_and_no_ir():
    code = "import sys, pypto_build.pipeline; print({'yaml', 'pydantic', 'numpy', 'pypto_build.ir'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "set()\n"
