# SPDX-License-Identifier: Apache-2.0
"""Wrong input: one message at the line of the author, exit status 2, and no half-written file."""

from __future__ import annotations

from .conftest import Tree


def test_a_wrong_source_is_reported_at_its_line(tree: Tree) -> None:
    tree.edit("first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    done = tree.scons()
    assert done.status == 2
    assert "first.py:17:26: error" in done.err
    assert "missing" in done.err


def test_a_wrong_source_leaves_no_object(tree: Tree) -> None:
    tree.edit("first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    tree.scons()
    assert not (tree.root / "build/first.ptobj").exists()


def test_a_failed_build_keeps_nothing_of_an_older_one_as_new(built: Tree) -> None:
    built.edit("first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    built.scons()
    built.edit("first.py", "missing", "b")
    assert built.scons().status == 0


def test_other_sources_are_built_with_keep_going(tree: Tree) -> None:
    tree.edit("first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    done = tree.scons("-k")
    assert done.status == 2
    assert (tree.root / "build/second.ptosim.json").exists()


def test_a_result_out_of_tolerance_fails_and_leaves_no_report(tree: Tree) -> None:
    tree.edit("first_golden.py", "2 *", "2.1 *")
    done = tree.scons()
    assert done.status == 2
    assert "output 'out' is off by" in done.err
    assert not (tree.root / "build/first.ptosim.json").exists()


def test_a_missing_pipeline_is_named(tree: Tree) -> None:
    tree.edit("SConstruct", "base.yaml", "absent.yaml")
    done = tree.scons()
    assert done.status == 2
    assert "absent.yaml" in done.out + done.err


def test_an_unknown_pass_is_reported_at_the_yaml_line(tree: Tree) -> None:
    tree.edit("base.yaml", "  - init_mem_ref", "  - init_memory")
    done = tree.scons()
    assert done.status == 2
    assert "base.yaml:13:5" in done.err
    assert "init_mem_ref" in done.err


def test_too_much_memory_names_need_limit_and_tiles(tree: Tree) -> None:
    tree.write("shared/sizes.py", "SIZE = 160\n")
    done = tree.scons()
    assert done.status == 2
    assert "Vec buffer usage (307200 bytes) exceeds platform limit (188416 bytes)" in done.err
    assert "'tile_a' takes 102400 bytes" in done.err


def test_a_rate_that_is_no_number_is_refused(tree: Tree) -> None:
    tree.edit("SConstruct", 'PTOPATH=["."]', 'PTOPATH=["."], PTOVERIFYRATE="often"')
    done = tree.scons("build/first.ptobj")
    assert done.status == 2
    assert "'often' is no rate of checks" in done.out + done.err
