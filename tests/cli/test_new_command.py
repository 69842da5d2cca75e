# SPDX-License-Identifier: Apache-2.0
"""`pypto-build new`: what it writes passes its own tests, can be built and installed, and is used by name."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conftest import Run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KINDS = ("pass", "target", "simulator", "op")


def python(*arguments: str | Path, path: Path, cwd: Path) -> str:
    """What a fresh Python prints that finds modules in `path` as well; it must end without an error."""
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_package_passes_its_own_tests(kind: str, run: Run, tmp_path: Path):
    assert run("new", kind, f"my_{kind}").status == 0
    package = tmp_path / f"my_{kind}"
    assert "passed" in python("-m", "pytest", "-p", "no:cacheprovider", path=package, cwd=package)


@pytest.fixture
def site(run: Run, tmp_path: Path) -> Path:
    """A directory that a pass called `drop_zeros` is installed in, built by its own project file."""
    run("new", "pass", "drop_zeros")
    package, place = tmp_path / "drop_zeros", tmp_path / "site"
    pip = ("-m", "pip", "--disable-pip-version-check", "--no-input")
    python(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", "wheels", package, path=place, cwd=tmp_path)
    (wheel,) = (tmp_path / "wheels").iterdir()
    python(*pip, "install", "--no-deps", "--no-index", "--target", place, wheel, path=place, cwd=tmp_path)
    return place


def test_an_installed_pass_is_known_and_named_by_a_pipeline(site: Path, tmp_path: Path):
    build = partial(python, "-m", "pypto_build", path=site, cwd=tmp_path)
    assert "drop_zeros" in build("plugins")
    assert "drop_zeros" in build("pipeline", "show", tmp_path / "drop_zeros" / "pipeline.yaml")


def test_a_pass_that_takes_the_place_of_another_runs_with_those_behind_it_and_no_other(site: Path, tmp_path: Path):
    build = partial(python, "-m", "pypto_build", path=site, cwd=tmp_path)
    shutil.copy(EXAMPLES / "softmax.py", tmp_path)
    edit = "edit: [{replace: memory_reuse, with: {use: drop_zeros}}]"
    (tmp_path / "mine.yaml").write_text(f"schema: 1\nname: mine\nextends: default\n{edit}\n")
    for pipeline in ("default", "mine.yaml"):
        build("compile", "softmax.py", "--pipeline", pipeline, "--store", "store")
    entries = json.loads(build("explain", "softmax.ptobj", "--store", "store", "--json"))
    ids = list(dict.fromkeys(entry["pass"] for entry in entries))
    ran = {entry["pass"] for entry in entries if entry["status"] == "ran"}
    assert "memory_reuse" in ran  # the id stays that of the place
    assert ran <= set(ids[ids.index("memory_reuse") :])


@pytest.mark.parametrize("name", ["Fold", "2d", "class", "a-b", "", "../up"])
def test_a_name_that_is_no_name_is_refused(name: str, run: Run):
    outcome = run("new", "pass", name)
    assert (outcome.status, "error[NEW001]" in outcome.err) == (2, True)


def test_nothing_is_overwritten(run: Run, tmp_path: Path):
    (tmp_path / "fold").mkdir()
    outcome = run("new", "pass", "fold")
    assert (outcome.status, "exists already" in outcome.err) == (2, True)
    assert list((tmp_path / "fold").iterdir()) == []
