# SPDX-License-Identifier: Apache-2.0
"""What a second build does: nothing when nothing that matters changed, and only what an edit reaches otherwise."""

from __future__ import annotations

import shutil

from .conftest import PIPELINE, Tree

ALL = [
    "PTO build/first.ptobj",
    "SIMULATE build/first.ptosim.json",
    "PTO build/second.ptobj",
    "SIMULATE build/second.ptosim.json",
]


def test_a_first_build_makes_objects_maps_and_reports(tree: Tree) -> None:
    assert sorted(tree.scons().built) == sorted(ALL)
    names = {path.name for path in (tree.root / "build").iterdir()}
    assert names >= {"first.ptobj", "first.ptomap", "first.ptosim.json", "second.ptobj"}


def test_a_second_build_does_nothing(built: Tree) -> None:
    again = built.scons()
    assert (again.status, again.built) == (0, [])
    assert "is up to date" in again.out


def test_a_comment_changes_no_object_and_runs_no_simulation(built: Tree) -> None:
    before = built.bytes("build/first.ptobj")
    built.edit("first.py", "        tile_a =", "        # a remark\n        tile_a =")
    assert built.scons().built == ["PTO build/first.ptobj"]
    assert built.bytes("build/first.ptobj") == before


def test_the_map_follows_a_moved_line(built: Tree) -> None:
    before = built.bytes("build/first.ptomap")
    built.edit("first.py", "        tile_a =", "        # a remark\n        tile_a =")
    built.scons()
    assert built.bytes("build/first.ptomap") != before


def test_an_edit_rebuilds_its_source_only(built: Tree) -> None:
    built.edit("second.py", "2.0", "3.0")
    built.edit("second_golden.py", "2 *", "3 *")
    assert built.scons().built == ["PTO build/second.ptobj", "SIMULATE build/second.ptosim.json"]


def test_an_edit_of_one_function_leaves_the_others_reused(built: Tree) -> None:
    built.edit("first.py", "2.0", "4.0")
    built.edit("first_golden.py", "2 *", "4 *")
    built.scons()
    statuses = {(row["function"], row["status"]) for row in built.explained("build/first.ptobj")}
    assert {status for function, status in statuses if function == "add"} == {"reused"}
    assert ("double", "ran") in statuses


def test_an_edited_import_rebuilds_all_who_import_it(built: Tree) -> None:
    built.write("shared/sizes.py", "SIZE = 16\n")
    for name in ("first_golden.py", "second_golden.py"):
        built.edit(name, "(32, 32)", "(16, 16)")
    assert sorted(built.scons().built) == sorted(ALL)


def test_an_import_that_means_the_same_changes_no_object(built: Tree) -> None:
    built.write("shared/sizes.py", "# thirty-two\nSIZE = 16 + 16\n")
    assert built.scons().built == ["PTO build/first.ptobj", "PTO build/second.ptobj"]


def test_a_comment_in_the_pipeline_reuses_every_pass(built: Tree) -> None:
    built.write("base.yaml", PIPELINE + "# the end\n")
    again = built.scons("--pto-explain")
    assert again.built == ["PTO build/first.ptobj", "PTO build/second.ptobj"]
    assert "passes reused" in again.out
    assert "ran:" not in again.out


def test_a_removed_pass_reruns_only_what_comes_after_it(built: Tree) -> None:
    built.write("base.yaml", PIPELINE.replace("  - normalize_return_order\n", ""))
    built.scons()
    ran = {row["pass"] for row in built.explained("build/first.ptobj") if row["status"] == "ran"}
    assert ran
    assert ran <= {"canonicalize_io_order", "init_mem_ref", "allocate_memory_addr", "derive_call_directions", "pto"}


def test_a_deleted_object_comes_back_from_the_store(built: Tree) -> None:
    before = built.bytes("build/first.ptobj")
    (built.root / "build/first.ptobj").unlink()
    assert built.scons("--pto-explain").built == ["PTO build/first.ptobj"]
    assert built.bytes("build/first.ptobj") == before


def test_the_bytes_are_the_same_without_a_store_and_with_more_jobs(built: Tree) -> None:
    before = built.bytes("build/first.ptobj")
    built.scons("-c")
    built.scons("-j2", "--pto-store=off")
    assert built.bytes("build/first.ptobj") == before


def test_a_moved_tree_gives_the_same_bytes(built: Tree) -> None:
    before = built.bytes("build/first.ptobj")
    moved = Tree(built.root.with_name("elsewhere"), built.store)
    shutil.copytree(built.root, moved.root, ignore=shutil.ignore_patterns("build", ".sconsign*"))
    assert moved.scons("--pto-store=off").status == 0
    assert moved.bytes("build/first.ptobj") == before


def test_cleaning_removes_what_was_built(built: Tree) -> None:
    built.scons("-c")
    assert not list((built.root / "build").glob("*.pto*"))
