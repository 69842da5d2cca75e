# SPDX-License-Identifier: Apache-2.0
"""`pypto-build init`: a directory that `scons` builds, also where the project is installed from a wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
FILES = ["SConstruct", "scale_and_add.py", "scale_and_add_golden.py", "site_scons/site_tools/pypto.py"]
BUILT = [
    "PTO       build/scale_and_add.ptobj",
    "SIMULATE  build/scale_and_add.ptosim.json",
    "REPORT    build/report.json",
]


def files(directory: Path) -> list[str]:
    """The files below a directory."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def done(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a command prints that ends well; it sees nothing of the checkout."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**known, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment with the wheel of this project; what it depends on is that of the tests."""
    place = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
    done(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", "wheels", ROOT, cwd=place)
    (wheel,) = (place / "wheels").iterdir()
    venv.create(place / "venv", symlinks=True)
    programs = place / "venv" / "bin"
    done(*pip, "--python", programs / "python", "install", "--no-deps", "--no-index", "--no-compile", wheel, cwd=place)
    (site,) = (place / "venv").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def test_a_kernel_its_reference_and_what_scons_needs_are_written(run: Run, tmp_path: Path) -> None:
    outcome = run("init", "kernels")
    assert (outcome.status, files(tmp_path / "kernels")) == (0, FILES)
    assert outcome.out.splitlines()[-1] == "Next: cd kernels && scons"


def test_the_file_for_scons_has_one_line(run: Run, tmp_path: Path) -> None:
    assert run("init").out.splitlines()[-1] == "Next: scons"
    tool = (tmp_path / "site_scons/site_tools/pypto.py").read_text()
    assert tool == "from pypto_build.scons import exists, generate\n"


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_overwritten_and_then_nothing_is_written(name: str, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "kernels" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    outcome = run("init", "kernels")
    assert (outcome.status, f"error[INIT001]: kernels/{name} exists already" in outcome.err) == (2, True)
    assert (files(tmp_path / "kernels"), file.read_text()) == ([name], "mine")


def test_a_place_that_cannot_be_written_is_named_and_left_as_it_was(run: Run, tmp_path: Path) -> None:
    (tmp_path / "site_scons").write_text("a file where a directory should be")
    before = files(tmp_path)
    outcome = run("init")
    assert (outcome.status, "error[INIT002]: cannot write into ." in outcome.err) == (2, True)
    assert files(tmp_path) == before


def test_from_a_wheel_scons_builds_it_and_then_has_nothing_to_do(installed: Path, tmp_path: Path) -> None:
    done(installed / "pypto-build", "init", "kernels", cwd=tmp_path)
    scons = (installed / "python", "-m", "SCons", "-Q")
    tree, store = tmp_path / "kernels", str(tmp_path / "store")
    said = done(*scons, cwd=tree, PYPTO_BUILD_STORE=store).splitlines()
    assert [line for line in said if line in BUILT] == BUILT
    assert done(*scons, cwd=tree, PYPTO_BUILD_STORE=store) == "scons: `.' is up to date.\n"
    place = done(installed / "python", "-c", "import pypto_build; print(pypto_build.__file__)", cwd=tree)
    assert Path(place).is_relative_to(installed.parent)
