# SPDX-License-Identifier: Apache-2.0
"""Where things may lie: in variant directories, with the sources copied or not, and under names of any characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import GOLDEN, KERNEL, PIPELINE, Tree

VARIANTS = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOPIPELINE="base.yaml", PTOSTORE={store!r})
for name in ("plain", "copied"):
    SConscript("src/SConscript", exports="env", variant_dir="build/" + name, duplicate=name == "copied")
"""
SOURCES = """
Import("env")
built = env.PtoObject("first.py")
env.PtoSimulate("first", [built, "first_golden.py"])
"""
ODD = "odd dir \N{GREEK SMALL LETTER PI}'s"
KERNEL_NAME = "er\N{LATIN SMALL LETTER SHARP S}t kernel"
ODD_SCONSTRUCT = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOPIPELINE="{name}.yaml", PTOPATH=["."], PTOSTORE={store!r})
built = env.PtoObject("out put/{name}.ptobj", "{name}.py")
env.PtoSimulate("out put/{name}", [built, "{name} golden.py"])
env.PtoReport("out put/report", built)
"""


@pytest.fixture
def variants(tmp_path: Path) -> Tree:
    """One directory of sources, built into two others."""
    made = Tree(tmp_path / "tree", tmp_path / "store")
    made.write("SConstruct", VARIANTS.format(store=str(made.store)))
    made.write("base.yaml", PIPELINE)
    made.write("src/SConscript", SOURCES)
    made.write("src/shared/__init__.py", "")
    made.write("src/shared/sizes.py", "SIZE = 32\n")
    made.write("src/first.py", KERNEL.format(name="First"))
    made.write("src/first_golden.py", GOLDEN)
    return made


@pytest.fixture
def odd(tmp_path: Path) -> Tree:
    """A tree, a store and files whose names have blanks, quotes and letters of three alphabets."""
    made = Tree(tmp_path / ODD / "tree", tmp_path / ODD / "store")
    made.write("SConstruct", ODD_SCONSTRUCT.format(name=KERNEL_NAME, store=str(made.store)))
    made.write(f"{KERNEL_NAME}.yaml", PIPELINE)
    made.write("shared/__init__.py", "")
    made.write("shared/sizes.py", "SIZE = 32\n")
    made.write(f"{KERNEL_NAME}.py", KERNEL.format(name="First"))
    made.write(f"{KERNEL_NAME} golden.py", GOLDEN)
    return made


def test_variant_directories_get_the_same_object(variants: Tree) -> None:
    done = variants.scons()
    assert done.status == 0, done.err
    assert variants.bytes("build/plain/first.ptobj") == variants.bytes("build/copied/first.ptobj")
    assert variants.scons().built == []


def test_an_edit_of_an_import_reaches_every_variant(variants: Tree) -> None:
    variants.scons()
    variants.write("src/shared/sizes.py", "SIZE = 16\n")
    variants.edit("src/first_golden.py", "(32, 32)", "(16, 16)")
    done = variants.scons()
    assert (done.status, len(done.built)) == (0, 4), done.err
    assert variants.bytes("build/plain/first.ptobj") == variants.bytes("build/copied/first.ptobj")


def test_a_mistake_in_a_variant_is_shown_in_the_source_itself(variants: Tree) -> None:
    variants.edit("src/first.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    assert variants.scons("-k").err.count(f"{variants.root}/src/first.py:17:26: error") == 2


def test_names_may_have_blanks_quotes_and_any_letters(odd: Tree) -> None:
    done = odd.scons()
    assert done.status == 0, done.err
    object_ = odd.bytes(f"out put/{KERNEL_NAME}.ptobj")
    assert KERNEL_NAME in odd.bytes("out put/report.json").decode("unicode_escape")
    (odd.root / f"out put/{KERNEL_NAME}.ptobj").unlink()
    assert odd.scons(f"out put/{KERNEL_NAME}.ptobj", "--pto-explain").out.splitlines()[-1].endswith("passes reused")
    assert odd.bytes(f"out put/{KERNEL_NAME}.ptobj") == object_


def test_an_object_of_any_name_can_be_explained(odd: Tree) -> None:
    odd.scons()
    assert {row["status"] for row in odd.explained(f"out put/{KERNEL_NAME}.ptobj")} == {"ran"}


def test_a_mistake_in_a_file_of_any_name_has_its_line(odd: Tree) -> None:
    odd.edit(f"{KERNEL_NAME}.py", "tile_b = pl.load(b", "tile_b = pl.load(missing")
    assert f"{KERNEL_NAME}.py:17:26: error" in odd.scons().err
