# SPDX-License-Identifier: Apache-2.0
"""A user's project on a machine without a network: what the page says, with a directory of wheels, line by line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.offline.wheels import needed, pack

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "how-to"
INSTALLED = ("pypto-build", "tox", "pytest")
PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"


def shown(page: str, tag: str) -> str:
    """The text of the first block of a page that begins so."""
    text = (PAGES / page).read_text(encoding="utf-8")
    found = re.search(rf"^```{re.escape(tag)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of wheels: our own, and those of everything that is needed to install and test with it."""
    directory = tmp_path_factory.mktemp("filled") / "wheels"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    ours = [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(directory), str(ROOT)]
    subprocess.run(ours, check=True)
    others = {one.metadata["Name"]: one for one in (*needed(INSTALLED), *map(distribution, INSTALLED[1:]))}
    for one in others.values():
        pack(one, directory)
    return directory


@pytest.fixture(scope="module")
def project(wheels: Path) -> Path:
    """The project of the page about tox: two lines of configuration, a test, an example and two pipelines."""
    root = wheels.parent
    (root / "tox.ini").write_text(shown("test-every-pipeline.md", "text"))
    (root / "test_kernels.py").write_text(shown("test-every-pipeline.md", "python test_kernels.py"))
    for name in ("softmax.py", "softmax_golden.py"):
        shutil.copy(ROOT / "examples" / name, root)
    (root / "configs").mkdir()
    (root / "configs" / "default.yaml").write_text("schema: 1\nextends: default\n")
    (root / "configs" / "no_reuse.yaml").write_text("schema: 1\nextends: default\nedit: [{remove: memory_reuse}]\n")
    return root


def run(project: Path, *lines: str) -> str:
    """What a shell prints that runs these lines in the project, with a home and a cache of its own."""
    home = project / "home"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(home), "PIP_CONFIG_FILE": os.devnull, "https_proxy": "http://127.0.0.1:9"}
    script = "set -e\n" + "\n".join(lines)
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_of_the_page_install_and_test_every_pipeline_from_the_wheels(project: Path):
    lines = [line.removeprefix("$ ") for line in shown("work-offline.md", "console").splitlines()]
    printed = run(project, *lines)
    assert f"{PYTHON}-default: OK" in printed
    assert f"{PYTHON}-no_reuse: OK" in printed
    first = project / ".tox" / f"{PYTHON}-default" / "lib"
    assert list(first.glob("python*/site-packages/pypto_build-*.dist-info"))
    explained = run(project, ".venv/bin/pypto-build explain softmax.ptobj --store .tox/pypto-build-store --json")
    statuses = {(entry["pass"], entry["status"]) for entry in json.loads(explained)}
    assert ("simplify", "reused") in statuses  # by the second pipeline, from what the first one left in the store
    assert ("convert_to_ssa", "ran") not in statuses


def test_a_plugin_is_built_and_installed_beside_it_without_a_network(project: Path):
    offline = f"export PIP_NO_INDEX=1 PIP_FIND_LINKS={project}/wheels"
    made = f"{sys.executable} -m pip wheel --no-deps --no-build-isolation --wheel-dir wheels ./drop_zeros"
    lines = [".venv/bin/pypto-build new pass drop_zeros", made, ".venv/bin/pip install pypto-drop-zeros"]
    assert "drop_zeros" in run(project, offline, *lines, ".venv/bin/pypto-build plugins")
