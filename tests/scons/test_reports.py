# SPDX-License-Identifier: Apache-2.0
"""`PtoReport`: what each pass of each object did in this build, as JSON and as a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Tree

REPORT = """
report = env.PtoReport("build/report", [env.File(f"build/{name}.ptobj") for name in ("first", "second")])
env.PtoReport("build/simulated", [f"build/{name}.ptosim.json" for name in ("first", "second")])
"""


@pytest.fixture
def reported(tree: Tree) -> Tree:
    """A tree with reports, built once."""
    tree.write("SConstruct", (tree.root / "SConstruct").read_text() + REPORT)
    first = tree.scons()
    assert first.status == 0, first.out + first.err
    return tree


def objects(tree: Tree) -> dict[str, dict[str, Any]]:
    """What the report says about each object."""
    return {one["object"]: one for one in json.loads(tree.bytes("build/report.json"))["objects"]}


def test_a_first_build_ran_every_pass_and_says_why(reported: Tree) -> None:
    first = objects(reported)["build/first.ptobj"]
    assert (first["outcome"], first["reused"], first["saved_ms"]) == ("built", 0, 0)
    assert {(one["status"], one["why"]) for one in first["passes"]} == {("ran", "no earlier run is on record")}
    assert first["passes"][0]["pass"] == "convert_to_ssa"


def test_objects_that_nothing_ran_for_saved_what_they_had_cost(reported: Tree) -> None:
    cost = objects(reported)["build/first.ptobj"]["spent_ms"]
    reported.scons()
    again = objects(reported)["build/first.ptobj"]
    assert (again["outcome"], again["ran"], again["saved_ms"]) == ("up to date", 0, cost)


def test_an_object_from_the_store_is_said_to_be(reported: Tree) -> None:
    (reported.root / "build/first.ptobj").unlink()
    reported.scons()
    outcomes = {name: one["outcome"] for name, one in objects(reported).items()}
    assert outcomes == {"build/first.ptobj": "found whole in the store", "build/second.ptobj": "up to date"}


def test_an_edit_shows_which_passes_ran_on_which_function(reported: Tree) -> None:
    reported.edit("first.py", "2.0", "4.0")
    reported.scons("build/report.json")
    passes = objects(reported)["build/first.ptobj"]["passes"]
    assert {one["function"] for one in passes if one["status"] == "ran"} >= {"double"}
    assert {one["status"] for one in passes if one["function"] == "add"} == {"reused"}
    assert any("function changed" in one["why"] for one in passes)


def test_without_a_store_the_passes_are_reported_too(reported: Tree) -> None:
    reported.edit("first.py", "2.0", "4.0")
    reported.scons("build/report.json", "--pto-store=off")
    passes = objects(reported)["build/first.ptobj"]["passes"]
    assert {(one["status"], one["why"]) for one in passes} == {("ran", "nothing was looked up")}


def test_the_page_has_every_object_and_every_pass(reported: Tree) -> None:
    page = reported.bytes("build/report.html").decode()
    assert page.count("<details open>") == 2
    assert "build/second.ptobj" in page
    assert page.count("<td>allocate_memory_addr</td>") == 6


def test_a_report_on_simulations_alone_is_made_when_one_of_them_is_new(reported: Tree) -> None:
    assert "REPORT build/simulated.json" not in reported.scons().built
    assert [one["name"] for one in json.loads(reported.bytes("build/simulated.json"))["simulations"]] == [
        "first",
        "second",
    ]
    assert "Simulated against NumPy" in reported.bytes("build/simulated.html").decode()


def test_the_silent_option_silences_the_table(reported: Tree) -> None:
    assert reported.scons("-s").out == ""


def test_cleaning_removes_both_files(reported: Tree) -> None:
    reported.scons("-c")
    assert not list((reported.root / "build").glob("report.*"))
