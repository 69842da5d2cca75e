# SPDX-License-Identifier: Apache-2.0
"""A build that has nothing to run: no worker, and nothing heavy is imported to find that out."""

from __future__ import annotations

import pytest

from .conftest import Tree

SPY = """
import atexit, sys
from pypto_build.scons import build_run

HEAVY = ("torch", "numpy", "pydantic", "rich", "pypto_build.ir", "pypto_build.dsl", "pypto_passes", "pypto_targets")


def tell():
    loaded = [name for name in HEAVY if name in sys.modules]
    workers = sum(run.pool.started for run in build_run._runs.values())
    print("loaded", loaded, "workers", workers)


atexit.register(tell)
"""
QUIET = "loaded [] workers 0"


@pytest.fixture
def watched(tree: Tree) -> Tree:
    """A tree whose builds tell in the end what they had loaded and started; built once."""
    tree.write("SConstruct", SPY + (tree.root / "SConstruct").read_text())
    assert "workers 1" in tree.scons().out
    return tree


def test_when_nothing_changed_nothing_is_started_and_nothing_heavy_is_loaded(watched: Tree) -> None:
    assert watched.scons().out.splitlines() == ["scons: `.' is up to date.", QUIET]


def test_when_the_store_has_everything_it_is_the_same(watched: Tree) -> None:
    for path in (watched.root / "build").glob("*.pto[bm]*"):
        path.unlink()
    done = watched.scons("build/first.ptobj", "build/second.ptobj")
    assert done.out.splitlines() == ["PTO       build/first.ptobj", "PTO       build/second.ptobj", QUIET]


def test_many_objects_need_one_worker_for_each_job_at_most(watched: Tree) -> None:
    watched.write("shared/sizes.py", "SIZE = 16\n")
    assert watched.scons("-j2", "build/first.ptobj", "build/second.ptobj").out.splitlines()[-1][-1] in "12"
