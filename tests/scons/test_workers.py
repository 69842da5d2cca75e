# SPDX-License-Identifier: Apache-2.0
"""Workers that crash, are killed or hang fail their own target with one error, and nothing that is finished is lost."""

from __future__ import annotations

import os
import signal

import pytest

from .conftest import Tree

ODD = """
import os, signal, time
from dataclasses import dataclass
from typing import ClassVar
from pypto_build.host import hookimpl
from pypto_build.passes import FunctionPass

PYPTO_BUILD_API = 1


@dataclass(frozen=True, slots=True)
class Odd(FunctionPass):
    name: ClassVar[str] = "Odd"

    def run(self, function, callees, context):
        if function.name == "twice" and os.path.exists({trigger!r}):
            {end}
        return function


@hookimpl
def pypto_register_passes():
    return {{"odd": ":Odd"}}
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
ENDS = {"os.abort()": "SIGABRT", KILLED: "SIGKILL"}
SECOND = ["PTO build/second.ptobj", "SIMULATE build/second.ptosim.json"]


def trap(tree: Tree, end: str, *, source: str = "first.py") -> None:
    """Let a pass of one source end its worker, while the trap is set."""
    trigger = str(tree.root.parent / "trap")
    tree.write(trigger, "")
    tree.write("odd.py", ODD.format(trigger=trigger, end=end))
    tree.edit(
        "base.yaml", "passes:\n  - convert_to_ssa\n", "plugins: [./odd.py]\npasses:\n  - convert_to_ssa\n  - odd\n"
    )
    tree.edit(source, "double", "twice")


def disarm(tree: Tree) -> None:
    """The pass behaves from now on; its code is the same."""
    os.unlink(tree.root.parent / "trap")


@pytest.mark.parametrize("end", ENDS)
def test_a_crash_fails_its_target_names_source_and_pass_and_lets_others_go_on(tree: Tree, end: str) -> None:
    trap(tree, end)
    done = tree.scons("-k", "-j2")
    error = f"{tree.root}/first.py: the worker process was ended by {ENDS[end]} in pass odd of function twice"
    assert (done.status, done.err.count("***"), done.err.count(error)) == (2, 1, 1)
    assert set(SECOND) <= set(done.built)
    assert not (tree.root / "build/first.ptobj").exists()


def test_after_a_crash_what_finished_is_up_to_date_and_the_rest_is_built(tree: Tree) -> None:
    trap(tree, "os.abort()")
    tree.scons("-k")
    disarm(tree)
    assert tree.scons().built == ["PTO build/first.ptobj", "SIMULATE build/first.ptosim.json"]


def test_a_worker_that_hangs_fails_its_target_after_the_time_limit(tree: Tree) -> None:
    trap(tree, "time.sleep(10_000)")
    tree.edit("SConstruct", 'f"{name}.py")', 'f"{name}.py", PTOTIMEOUT=8 if name == "first" else 600)')
    done = tree.scons("-k")
    assert (done.status, done.err.count("***")) == (2, 1)
    assert f"{tree.root}/first.py: the worker process did not answer within 8 s" in done.err
    assert done.built[-2:] == SECOND


def test_a_time_limit_that_is_none_is_refused(tree: Tree) -> None:
    tree.edit("SConstruct", 'PTOPATH=["."]', 'PTOPATH=["."], PTOTIMEOUT="soon"')
    done = tree.scons("build/first.ptobj")
    assert done.status == 2
    assert "error[SCONS001]: PTOTIMEOUT is 'soon', which is no time" in done.out + done.err


def test_after_the_build_itself_was_killed_everything_that_finished_is_found(tree: Tree) -> None:
    trap(tree, f"os.kill(os.getppid(), signal.SIGKILL); {KILLED}", source="second.py")
    assert tree.scons("-j1").status == -signal.SIGKILL
    disarm(tree)
    before = tree.bytes("build/first.ptobj")
    again = tree.scons("--pto-explain", "build/first.ptobj")
    assert again.out.splitlines()[-1] == "build/first.ptobj: 12/12 passes reused"
    assert tree.bytes("build/first.ptobj") == before
    assert tree.scons().built == ["SIMULATE build/first.ptosim.json", *SECOND]
