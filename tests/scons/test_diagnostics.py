# SPDX-License-Identifier: Apache-2.0
"""Warnings and hints of a build: said once, switched off by a variable; dumps of the passes."""

from __future__ import annotations

from tests.scons.conftest import Tree

QUIET = "diagnostics: {disable: [PH001]}\n"
HINTS = "perf_hint[PH001]"


def loud(tree: Tree, *more: str) -> None:
    """Let the hints of the first kernel through, and say more about the environment."""
    tree.edit("base.yaml", QUIET, "")
    tree.edit("SConstruct", '("first", "second")', '("first",)')
    tree.edit("SConstruct", 'PTOPATH=["."]', ", ".join(('PTOPATH=["."]', *more)))


def test_a_hint_is_said_with_its_place_and_again_from_the_store(tree: Tree) -> None:
    loud(tree)
    first = tree.scons("build/first.ptobj").err
    assert f"{tree.root}/first.py:16:18: {HINTS}" in first
    (tree.root / "build/first.ptobj").unlink()
    assert tree.scons("build/first.ptobj").err == first


def test_what_two_objects_of_one_source_say_is_said_once(tree: Tree) -> None:
    loud(tree)
    one = tree.scons("build/first.ptobj").err.count(HINTS)
    tree.write("again.yaml", "schema: 1\nextends: base.yaml\n")
    tree.edit(
        "SConstruct", "for name", 'env.PtoObject("build/again.ptobj", "first.py", PTOPIPELINE="again.yaml")\nfor name'
    )
    tree.edit("shared/sizes.py", "32", "16")
    assert tree.scons("build/first.ptobj", "build/again.ptobj").err.count(HINTS) == one


def test_a_variable_switches_hints_off(tree: Tree) -> None:
    loud(tree, 'PTODISABLE=["PH001", "unused_variable"]')
    assert tree.scons("build/first.ptobj").err == ""


def test_a_variable_asks_for_the_program_after_each_pass_of_each_object(tree: Tree) -> None:
    built = tree.scons("build/first.ptobj").built
    tree.edit("SConstruct", 'PTOPATH=["."]', 'PTOPATH=["."], PTODUMP="dumps"')
    assert tree.scons("build/first.ptobj").built == built == ["PTO build/first.ptobj"]
    written = {path.name for path in (tree.root / "dumps/first.ptobj").iterdir()}
    assert {"00_frontend.py", "01_after_ConvertToSSA.py", "index.html"} <= written
