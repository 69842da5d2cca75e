# SPDX-License-Identifier: Apache-2.0
"""`pypto-build new`: what it writes passes its own tests, can be built and installed, and is used by name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.kernels import write_kernel

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


def test_a_new_pass_can_be_built_installed_and_named_by_a_pipeline(run: Run, tmp_path: Path):
    run("new", "pass", "drop_zeros")
    package, site = tmp_path / "drop_zeros", tmp_path / "site"
    write_kernel()
    pip = ("-m", "pip", "--disable-pip-version-check", "--no-input")
    python(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", "wheels", package, path=site, cwd=tmp_path)
    (wheel,) = (tmp_path / "wheels").iterdir()
    python(*pip, "install", "--no-deps", "--no-index", "--target", site, wheel, path=site, cwd=tmp_path)
    assert "drop_zeros" in python("-m", "pypto_build", "plugins", path=site, cwd=tmp_path)
    shown = python("-m", "pypto_build", "pipeline", "show", package / "pipeline.yaml", path=site, cwd=tmp_path)
    assert "drop_zeros" in shown
    compiling = ("compile", "first.py", "--pipeline", package / "pipeline.yaml", "--store-mode", "off", "--explain")
    assert "drop_zeros" in python("-m", "pypto_build", *compiling, path=site, cwd=tmp_path)


@pytest.mark.parametrize("name", ["Fold", "2d", "class", "a-b", "", "../up"])
def test_a_name_that_is_no_name_is_refused(name: str, run: Run):
    outcome = run("new", "pass", name)
    assert (outcome.status, "error[NEW001]" in outcome.err) == (2, True)


def test_nothing_is_overwritten(run: Run, tmp_path: Path):
    (tmp_path / "fold").mkdir()
    outcome = run("new", "pass", "fold")
    assert (outcome.status, "exists already" in outcome.err) == (2, True)
    assert list((tmp_path / "fold").iterdir()) == []
