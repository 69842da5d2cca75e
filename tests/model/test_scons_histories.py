# SPDX-License-Identifier: Apache-2.0
"""A random history of a tree that SCons builds, with builds that are killed: what is built in the end is right."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from random import Random

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest

from .project import EDITS, Project

SCONSTRUCT = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOSTORE={store!r})
for name in ("model", "variant"):
    env.PtoObject(f"build/{{name}}.ptobj", "kernel.py", PTOPIPELINE=f"{{name}}.yaml")
"""
STEPS = 4
NO_MISTAKES = sorted(EDITS.keys() - {"mistake", "another pipeline"})


def scons(place: Path) -> subprocess.Popen[str]:
    """Start a build."""
    return subprocess.Popen([sys.executable, "-m", "SCons", "-Q", "-j2"], cwd=place, stdout=-1, stderr=-1, text=True)


def killed(place: Path, random: Random) -> None:
    """A build that dies when it has said something, or before, wherever it may be then."""
    build = scons(place)
    assert build.stdout is not None
    if random.random() < 0.7:
        build.stdout.readline()
    build.send_signal(signal.SIGKILL)
    build.communicate()


def clean(place: Path, pipeline: str) -> tuple[bytes, bytes]:
    """The object and the source map that are made without a store."""
    output = place / "clean.ptobj"
    request = CompileRequest(str(place / "kernel.py"), str(output), str(place / f"{pipeline}.yaml"))
    compile_source(request)
    return output.read_bytes(), Path(request.map_output).read_bytes()


def test_after_each_edit_and_each_kill_scons_builds_what_a_clean_build_makes(tmp_path: Path) -> None:
    random, project = Random(11), Project()
    (tmp_path / "SConstruct").write_text(SCONSTRUCT.format(store=str(tmp_path / "store")))
    for step in range(STEPS):
        for name, text in project.files().items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        if step % 2:
            killed(tmp_path, random)
        build = scons(tmp_path)
        said = build.communicate()
        assert build.returncode == 0, said
        for name in ("model", "variant"):
            built = tmp_path / "build" / f"{name}.ptobj"
            assert (built.read_bytes(), built.with_suffix(".ptomap").read_bytes()) == clean(tmp_path, name)
        for name in random.sample(NO_MISTAKES, 3):
            project = EDITS[name](project, random)
