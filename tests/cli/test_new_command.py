# SPDX-License-Identifier: Apache-2.0
"""`pypto-build new`: what it writes passes its own tests, can be built and installed, and is used by name."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pypto_build.cli.new import make_package
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KINDS = ("pass", "target", "simulator", "op")


Build = Callable[..., str]


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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that a package of each kind is installed in, built by its own project file; all of them beside it."""
    root = tmp_path_factory.mktemp("installed")
    place, wheels = root / "site", root / "wheels"
    pip = ("-m", "pip", "--disable-pip-version-check", "--no-input")
    packages = [make_package(kind, f"my_{kind}", into=root) for kind in KINDS]
    options = ("--no-deps", "--no-build-isolation", "-w", wheels)
    python(*pip, "wheel", *options, *packages, path=place, cwd=root)
    python(*pip, "install", "--no-deps", "--no-index", "--target", place, *wheels.iterdir(), path=place, cwd=root)
    return place


@pytest.fixture
def build(site: Path, tmp_path: Path) -> Build:
    """Run `pypto-build` with these packages in a directory with an example."""
    for name in ("softmax.py", "softmax_golden.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    return partial(python, "-m", "pypto_build", path=site, cwd=tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_an_installed_package_is_listed_and_its_pipeline_compiles_an_example(kind: str, build: Build, site: Path):
    assert f"my_{kind} " in build("plugins")
    pipeline = site.parent / f"my_{kind}" / "pipeline.yaml"
    assert "with_my_" in build("pipeline", "check", pipeline)
    build("compile", "softmax.py", "--pipeline", pipeline)


def test_an_operation_can_be_used_where_its_plugin_is_asked_for(build: Build, site: Path, tmp_path: Path):
    source = (tmp_path / "softmax.py").read_text(encoding="utf-8")
    assert "pl.exp(" in source
    (tmp_path / "squares.py").write_text(source.replace("pl.exp(", "pl.tile.my_op("), encoding="utf-8")
    build("compile", "squares.py", "--pipeline", site.parent / "my_op" / "pipeline.yaml")
    with zipfile.ZipFile(tmp_path / "squares.ptobj") as archive:
        assert any(b"pto.tmyop " in archive.read(name) for name in archive.namelist())


def test_a_target_adds_its_files_to_an_object(build: Build, site: Path, tmp_path: Path):
    build("compile", "softmax.py", "--pipeline", site.parent / "my_target" / "pipeline.yaml")
    with zipfile.ZipFile(tmp_path / "softmax.ptobj") as archive:
        assert any(name.startswith("my_target/") for name in archive.namelist())


def test_a_simulator_runs_an_object_and_adds_to_the_report(build: Build, site: Path):
    pipeline = site.parent / "my_simulator" / "pipeline.yaml"
    build("compile", "softmax.py")
    told = build("simulate", "softmax.ptobj", "--golden", "softmax_golden.py", "--pipeline", pipeline)
    assert "within tolerance (my_simulator)" in told
    assert "  tile.exp: " in told


def test_a_pass_takes_the_place_of_another_by_yaml_alone_and_only_passes_from_there_on_run(
    build: Build, tmp_path: Path
):
    edit = "edit: [{replace: memory_reuse, with: {use: my_pass}}]"
    (tmp_path / "mine.yaml").write_text(f"schema: 1\nname: mine\nextends: default\n{edit}\n")
    for pipeline in ("default", "mine.yaml"):
        build("compile", "softmax.py", "--pipeline", pipeline, "--store", "store")
    entries = json.loads(build("explain", "softmax.ptobj", "--store", "store", "--json"))
    ids = list(dict.fromkeys(entry["pass"] for entry in entries))
    before, after = ids[: ids.index("memory_reuse")], ids[ids.index("memory_reuse") :]
    assert {entry["status"] for entry in entries if entry["pass"] in before} == {"reused"}
    assert {entry["status"] for entry in entries if entry["pass"] == "memory_reuse"} == {"ran"}  # the id stays
    assert {entry["pass"] for entry in entries if entry["status"] == "ran"} <= set(after)


@pytest.mark.parametrize("name", ["Fold", "2d", "class", "a-b", "", "../up"])
def test_a_name_that_is_no_name_is_refused(name: str, run: Run):
    outcome = run("new", "pass", name)
    assert (outcome.status, "error[NEW001]" in outcome.err) == (2, True)


def test_nothing_is_overwritten(run: Run, tmp_path: Path):
    (tmp_path / "fold").mkdir()
    outcome = run("new", "pass", "fold")
    assert (outcome.status, "exists already" in outcome.err) == (2, True)
    assert list((tmp_path / "fold").iterdir()) == []
