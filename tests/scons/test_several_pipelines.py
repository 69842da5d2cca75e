# SPDX-License-Identifier: Apache-2.0
"""Several pipelines in one build: each object has its own history, and what the pipelines share is done once."""

from __future__ import annotations

import json

import pytest

from .conftest import Tree

SCONSTRUCT = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOPATH=["."], PTOSTORE={store!r})
for pipeline in ("base", "short"):
    env.PtoObject(f"build/{{pipeline}}.ptobj", "first.py", PTOPIPELINE=f"{{pipeline}}.yaml")
"""
SHORT = "schema: 1\nname: short\nextends: base.yaml\nedit: [{remove: normalize_return_order}]\n"
BOTH = ["PTO build/base.ptobj", "PTO build/short.ptobj"]
AFTER = {"canonicalize_io_order", "init_mem_ref", "allocate_memory_addr", "derive_call_directions", "pto"}


@pytest.fixture
def two(tree: Tree) -> Tree:
    """One source and two pipelines, of which one leaves out a pass of the other."""
    tree.write("SConstruct", SCONSTRUCT.format(store=str(tree.store)))
    tree.write("short.yaml", SHORT)
    return tree


def ran(tree: Tree, name: str) -> set[str]:
    """The passes that ran for an object."""
    return {row["pass"] for row in tree.explained(f"build/{name}.ptobj") if row["status"] == "ran"}


def programs(tree: Tree, name: str) -> set[str]:
    """The passes of an object."""
    return {row["pass"] for row in tree.explained(f"build/{name}.ptobj")}


def test_both_objects_are_built_and_each_is_explained_by_its_own_passes(two: Tree) -> None:
    assert sorted(two.scons("-j2").built) == BOTH
    assert two.bytes("build/base.ptobj") != two.bytes("build/short.ptobj")
    assert programs(two, "base") - programs(two, "short") == {"normalize_return_order"}


def test_the_second_pipeline_runs_only_what_comes_after_the_difference(two: Tree) -> None:
    two.scons("-j1")
    assert ran(two, "short") <= AFTER
    assert "convert_to_ssa" in ran(two, "base")


def test_after_a_build_with_both_at_once_an_edit_runs_nothing_of_the_other_functions(two: Tree) -> None:
    two.scons("-j2")
    two.edit("first.py", "2.0", "4.0")
    two.scons("-j2")
    for name in ("base", "short"):
        functions = {row["function"] for row in two.explained(f"build/{name}.ptobj") if row["status"] == "ran"}
        assert "add" not in functions


def test_an_edit_of_one_pipeline_leaves_the_object_of_the_other(two: Tree) -> None:
    two.scons()
    two.edit("short.yaml", "normalize_return_order", "derive_call_directions")
    assert two.scons().built == ["PTO build/short.ptobj"]
    assert ran(two, "short") <= {"pto"}


def test_a_report_tells_both_apart(two: Tree) -> None:
    text = 'env.PtoReport("build/report", [f"build/{name}.ptobj" for name in ("base", "short")])\n'
    two.write("SConstruct", (two.root / "SConstruct").read_text() + text)
    two.scons()
    two.scons()
    base, short = json.loads(two.bytes("build/report.json"))["objects"]
    assert len(base["passes"]) - len(short["passes"]) == 3
