# SPDX-License-Identifier: Apache-2.0
"""Two builds of one tree: the second waits for the first, and never for one that is gone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .conftest import Tree

HOLD = """
import sys
from pypto_build.scons.tree_lock import hold_tree
hold_tree({root!r}, print)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(tree: Tree) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the tree until it is killed."""
    command = [sys.executable, "-c", HOLD.format(root=str(tree.root))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_build_says_whom_it_waits_for_and_goes_on_when_that_one_dies(tree: Tree) -> None:
    command = [sys.executable, "-m", "SCons", "-Q", "build/first.ptobj"]
    with holder(tree) as first:
        second = subprocess.Popen(command, cwd=tree.root, stdout=-1, stderr=-1, text=True)
        assert second.stderr is not None
        assert second.stderr.readline() == f"scons: waiting for process {first.pid} (-c), which builds {tree.root}\n"
        first.kill()
        assert second.communicate()[0] == "PTO       build/first.ptobj\n"
    assert second.returncode == 0


def test_two_builds_at_once_build_everything_once(tree: Tree) -> None:
    command = [sys.executable, "-m", "SCons", "-Q"]
    both = [subprocess.Popen(command, cwd=tree.root, stdout=-1, stderr=-1, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(text.count("PTO ") for text in said) == [0, 2]


def test_a_dead_holder_blocks_nobody(tree: Tree) -> None:
    with holder(tree):
        pass
    assert tree.scons("build/first.ptobj").err == ""


def test_a_run_that_builds_nothing_does_not_wait(tree: Tree) -> None:
    with holder(tree):
        assert tree.scons("-n").status == 0
        assert tree.scons("-h").status == 0


def test_a_build_inside_of_a_build_of_the_same_tree_is_refused(tree: Tree) -> None:
    inner = f'env.Command("inner", [], "{sys.executable} -m SCons -Q build/first.ptobj")\n'
    tree.write("SConstruct", (tree.root / "SConstruct").read_text() + inner)
    done = tree.scons("inner")
    assert done.status == 2
    assert f"builds {tree.root} and started this build, which must wait" in done.out + done.err
