# SPDX-License-Identifier: Apache-2.0
"""The environments that tox offers: one for each pipeline and variant of a project."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pypto_build
from pypto_build.tox_pipelines import environments

PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"
CONFIG = """
[tox]
env_list = other
[testenv]
package = skip
skip_install = true
[testenv:pipeline]
commands = python -c "import os; print('runs', os.environ['PYPTO_BUILD_PIPELINE'], os.environ['PYPTO_BUILD_STORE'])"
"""
LINES = {"tox.ini": "[tox]\nrequires = pypto-build\n", "tox.toml": 'requires = ["pypto-build"]\n'}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tox.ini").write_text(CONFIG)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "default.yaml").write_text("schema: 1\nvariants:\n  fast: {verify: none}\n")
    (tmp_path / "configs" / "no_reuse.yaml").write_text("schema: 1\n")
    return tmp_path


def tox(project: Path, *arguments: str) -> str:
    """What tox prints, run in the project."""
    names = ("TOX_", "PYPTO_BUILD_", "COV_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    command = [sys.executable, "-m", "tox", *arguments]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_pipeline_and_variant_has_an_environment(project: Path):
    assert environments(project) == {
        f"{PYTHON}-default": "configs/default.yaml",
        f"{PYTHON}-default-fast": "configs/default.yaml@fast",
        f"{PYTHON}-no_reuse": "configs/no_reuse.yaml",
    }


def test_a_file_that_cannot_be_read_has_an_environment_that_will_say_so(project: Path):
    (project / "configs" / "no_reuse.yaml").write_text("variants: [")
    assert f"{PYTHON}-no_reuse" in environments(project)


def test_tox_lists_them_beside_those_of_the_project(project: Path):
    listed = tox(project, "list")
    assert "other" in listed
    assert all(name in listed for name in environments(project))


def test_the_label_runs_all_of_them_with_one_store(project: Path):
    lines = [line.split() for line in tox(project, "-q", "-m", "pipelines").splitlines() if line.startswith("runs ")]
    assert [line[1] for line in lines] == list(environments(project).values())
    assert len({line[2] for line in lines}) == 1


@pytest.mark.parametrize("name", ["tox.ini", "tox.toml"])
def test_three_lines_are_enough(project: Path, name: str):
    (project / "tox.ini").unlink()
    (project / name).write_text(LINES[name])
    assert len(LINES[name].splitlines()) <= 3
    assert all(environment in tox(project, "list") for environment in environments(project))
    shown = tox(project, "config", "-e", f"{PYTHON}-no_reuse", "-k", "commands", "deps", "set_env", "--", "-k", "fast")
    assert "commands = pytest -k fast\n" in shown
    assert f"pypto-build=={pypto_build.__version__}\n" in shown
    assert "PYPTO_BUILD_PIPELINE=configs/no_reuse.yaml" in shown


def test_a_project_in_toml_says_what_its_environments_run(project: Path):
    (project / "tox.ini").unlink()
    (project / "tox.toml").write_text('[env.pipeline]\ncommands = [["python", "-c", "print(1)"]]\n')
    shown = tox(project, "config", "-e", f"{PYTHON}-default", "-k", "commands", "deps")
    assert [line.rstrip() for line in shown.splitlines()[1:3]] == ["commands = python -c 'print(1)'", "deps ="]


def test_a_pipeline_is_chosen_by_its_name(project: Path):
    printed = tox(project, "-q", "-f", "no_reuse")
    assert [line.split()[1] for line in printed.splitlines() if line.startswith("runs ")] == ["configs/no_reuse.yaml"]
