# SPDX-License-Identifier: Apache-2.0
"""`PtoAssemble`: an external program is run on each kernel, and only when the object or the program changed."""

from __future__ import annotations

import io
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from .conftest import Tree

# It turns `add.pto` into `add.cpp`, as ptoas does; a product with 4.0 is too much for it.
FAKE = f"""#!{sys.executable}
import sys
from pathlib import Path
source, option, result, *flags = sys.argv[1:]
assert option == "-o"
lines = Path(source).read_text().splitlines()
for number, line in enumerate(lines, start=1):
    if "pto.tmuls" in line and any("4.0" in line for line in lines):
        sys.exit(f"{{source}}:{{number}}:7: error: cannot multiply by four")
Path(result).write_text("// " + " ".join([source, *flags, str(len(lines))]) + "\\n")
"""
SCONSTRUCT = """
for name in ("first", "second"):
    env.PtoAssemble(f"build/{name}", f"build/{name}.ptobj", PTOAS=File("an assembler").abspath)
"""
BOTH = ["ASSEMBLE build/first.ptasm", "ASSEMBLE build/second.ptasm"]
TARGETS = ("build/first.ptasm", "build/second.ptasm")


@pytest.fixture
def assembler(tree: Tree) -> Path:
    """A program beside the tree's `SConstruct`, which assembles both objects with it."""
    tree.write("SConstruct", (tree.root / "SConstruct").read_text() + SCONSTRUCT)
    program = tree.root / "an assembler"
    tree.write(program.name, FAKE)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def members(tree: Tree, name: str) -> dict[str, str]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(tree.bytes(name))) as archive:
        return {info.filename: archive.read(info).decode() for info in archive.infolist()}


@pytest.mark.usefixtures("assembler")
def test_every_kernel_is_assembled_with_the_flags(tree: Tree) -> None:
    done = tree.scons(*TARGETS)
    assert [line for line in done.built if line in BOTH] == BOTH, done.err
    found = members(tree, "build/first.ptasm")
    assert list(found) == ["kernels/add.cpp", "kernels/double.cpp"]
    assert found["kernels/add.cpp"].startswith("// add.pto --enable-insert-sync --pto-level=level3 ")


def test_it_runs_again_for_another_object_other_flags_or_another_program(tree: Tree, assembler: Path) -> None:
    tree.scons(*TARGETS)
    assert tree.scons(*TARGETS).built == []
    tree.edit("first.py", "        tile_a =", "        # a remark\n        tile_a =")
    assert tree.scons(*TARGETS).built == ["PTO build/first.ptobj"]
    tree.edit("first.py", "2.0", "3.0")
    assert tree.scons(*TARGETS).built == ["PTO build/first.ptobj", BOTH[0]]
    tree.edit("SConstruct", "PTOAS=", 'PTOASFLAGS=["--quick"], PTOAS=')
    assert tree.scons(*TARGETS).built == BOTH
    tree.edit(assembler.name, "assert", "# another version\nassert")
    assert tree.scons(*TARGETS).built == BOTH


@pytest.mark.usefixtures("assembler")
def test_what_it_complains_about_is_shown_at_the_line_of_the_author(tree: Tree) -> None:
    tree.edit("first.py", "2.0", "4.0")
    done = tree.scons("-k", *TARGETS)
    assert done.status == 2
    assert (
        "an assembler failed on kernel double with status 1:\nfirst.py:24:25: error: cannot multiply by four"
        in done.err
    )
    assert not (tree.root / "build/first.ptasm").exists()
    assert members(tree, "build/second.ptasm")


def test_a_program_that_writes_nothing_fails(tree: Tree, assembler: Path) -> None:
    tree.edit(assembler.name, "Path(result)", "Path('elsewhere')")
    done = tree.scons(TARGETS[0])
    assert (done.status, "error[ASM003]" in done.err, "wrote nothing for kernel add" in done.err) == (2, True, True)


def test_a_program_that_is_not_there_is_named_and_the_object_is_built(tree: Tree, assembler: Path) -> None:
    assembler.unlink()
    done = tree.scons(TARGETS[0])
    assert (done.status, "error[ASM005]: cannot run" in done.err) == (2, True)
    assert tree.bytes("build/first.ptobj")
