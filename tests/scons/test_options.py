# SPDX-License-Identifier: Apache-2.0
"""The options of SCons: -n builds nothing, -s says nothing, -j and -k change no result, --debug=explain reads well."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Tree


def store_files(tree: Tree) -> list[Path]:
    """The results in the store."""
    return sorted(path for path in tree.store.glob("v1/*/*/*") if path.is_file() and "index" not in path.parts)


def test_a_dry_run_says_what_it_would_build_and_builds_nothing(tree: Tree) -> None:
    done = tree.scons("-n")
    assert (done.status, len(done.built), done.err) == (0, 4, "")
    assert not (tree.root / "build").exists()
    assert store_files(tree) == []


def test_a_dry_run_after_an_edit_leaves_everything_as_it_is(built: Tree) -> None:
    before = built.bytes("build/first.ptobj"), store_files(built)
    built.edit("first.py", "2.0", "3.0")
    assert "PTO build/first.ptobj" in built.scons("-n").built
    assert (built.bytes("build/first.ptobj"), store_files(built)) == before
    built.edit("first_golden.py", "2 *", "3 *")
    assert built.scons("build/first.ptosim.json").status == 0


def test_a_silent_build_says_nothing_and_builds(tree: Tree) -> None:
    done = tree.scons("-s")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert (tree.root / "build/second.ptosim.json").exists()


def test_what_a_silent_build_has_to_say_about_mistakes_is_said(tree: Tree) -> None:
    tree.edit("first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    done = tree.scons("-s")
    assert (done.status, done.out) == (2, "")
    assert "first.py:17:26: error" in done.err


def test_more_jobs_make_the_same_bytes_and_keep_going_the_rest(tree: Tree) -> None:
    tree.edit("first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    one = tree.scons("-k")
    object_ = tree.bytes("build/second.ptobj")
    tree.scons("-c")
    two = tree.scons("-k", "-j3", "--pto-store=off")
    assert (one.status, two.status) == (2, 2)
    assert tree.bytes("build/second.ptobj") == object_


def test_cleaning_one_target_leaves_the_others_and_the_store(built: Tree) -> None:
    before = store_files(built)
    built.scons("-c", "build/first.ptobj")
    assert {path.name for path in (built.root / "build").glob("*.pt*")} >= {"second.ptobj", "first.ptosim.json"}
    assert not list((built.root / "build").glob("first.ptobj"))
    assert not list((built.root / "build").glob("first.ptomap"))
    assert store_files(built) == before


def test_an_explanation_names_the_file_that_changed(built: Tree) -> None:
    built.write("shared/sizes.py", "SIZE = 16 + 16\n")
    said = built.scons("--debug=explain", "build/first.ptobj").out
    assert said == (
        "scons: rebuilding `build/first.ptobj' because `shared/sizes.py' changed\nPTO       build/first.ptobj\n"
    )


def test_an_explanation_shows_the_old_and_the_new_value_of_a_variable(built: Tree) -> None:
    built.edit("SConstruct", 'PTOPATH=["."]', 'PTOPATH=["."], PTOLOCATIONS="none"')
    lines = built.scons("--debug=explain", "build/first.ptobj").out.splitlines()
    assert lines[0] == "scons: rebuilding `build/first.ptobj' because the build action changed:"
    assert lines[1].split()[0] == "old:"
    assert lines[1].endswith(" PTOLOCATIONS=map PTOPIPELINE=base.yaml")
    assert lines[2].endswith(" PTOLOCATIONS=none PTOPIPELINE=base.yaml")
    assert lines[3:] == ["PTO       build/first.ptobj"]


def test_a_simulator_can_be_chosen_for_a_build_and_the_choice_is_part_of_the_target(built: Tree) -> None:
    built.edit("SConstruct", 'PTOPATH=["."]', 'PTOPATH=["."], PTOSIMULATOR="emitted"')
    assert built.scons().built == ["SIMULATE build/first.ptosim.json", "SIMULATE build/second.ptosim.json"]
    report = json.loads(built.bytes("build/first.ptosim.json"))
    assert (report["simulator"], report["facts"]["operations_by_name"]["pto.tadd"]) == ("emitted", 1)
