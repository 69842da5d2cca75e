# SPDX-License-Identifier: Apache-2.0
"""Work that begins in the middle of a pipeline: nothing slow is done again, and all places are those of the text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, CompileResult

from .conftest import SOURCE

SLOW = """
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pypto_build.host import hookimpl
from pypto_build.ir import rebuilt
from pypto_build.passes import FunctionPass

PYPTO_BUILD_API = 1


@dataclass(frozen=True, slots=True)
class Slow(FunctionPass):
    name: ClassVar[str] = "Slow"

    def run(self, function, callees, context):
        time.sleep(0.2)
        with Path(%r).open("a") as file:
            file.write("slow\\n")
        return rebuilt(function, {"attrs": {"slowly": True}})


@hookimpl
def pypto_register_passes():
    return {"slow": "slow:Slow"}
"""
PIPELINE = """schema: 1
name: slow
hardware: ascend910b
assumes: [TileOps2D, SplitIncoreOrch, IncoreTileOps]
diagnostics: {disable: [PH001]}
plugins: [./slow.py]
passes:
  - convert_to_ssa
  - simplify
  - normalize_stmt_structure
  - flatten_call_expr
  - slow
  - infer_tile_memory_space
  - expand_mixed_kernel
  - normalize_return_order
  - canonicalize_io_order
  - init_mem_ref
  - allocate_memory_addr
  - derive_call_directions
targets: [pto]
"""


@dataclass(frozen=True)
class SlowTree:
    """A source and a pipeline whose first pass is slow."""

    root: Path

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        text = (self.root / name).read_text()
        assert old in text
        (self.root / name).write_text(text.replace(old, new))

    def build(self, mode: str = "write") -> CompileResult:
        """Compile."""
        return compile_source(
            CompileRequest(
                source=str(self.root / "double.py"),
                output=str(self.root / "double.ptobj"),
                pipeline=str(self.root / "slow.yaml"),
                store=str(self.root / "store"),
                store_mode=mode,
                verify_rate=0,
            )
        )

    def products(self) -> tuple[bytes, bytes]:
        """Object and source map."""
        return (self.root / "double.ptobj").read_bytes(), (self.root / "double.ptomap").read_bytes()

    def runs(self) -> int:
        """How often the slow pass was called."""
        return len((self.root / "runs").read_text().splitlines())

    def as_from_nothing(self) -> bool:
        """Whether the products are those of a build without a store."""
        found = self.products()
        self.build("off")
        return self.products() == found


@pytest.fixture
def tree(tmp_path: Path) -> SlowTree:
    """The tree after a first build."""
    (tmp_path / "double.py").write_text(SOURCE)
    (tmp_path / "slow.py").write_text(SLOW % str(tmp_path / "runs"))
    (tmp_path / "slow.yaml").write_text(PIPELINE)
    made = SlowTree(tmp_path)
    made.build()
    return made


def test_a_pass_behind_a_slow_one_starts_from_its_stored_result(tree: SlowTree) -> None:
    tree.edit("slow.yaml", "  - init_mem_ref\n", "  - {id: again, use: simplify}\n  - init_mem_ref\n")
    assert tree.build().ran == ("again",)
    tree.edit("slow.yaml", "hardware: ascend910b", "hardware: ascend950")
    assert "init_mem_ref" in tree.build().ran
    assert tree.runs() == 1
    assert tree.as_from_nothing()


def test_a_target_that_runs_again_writes_the_same_source_map(tree: SlowTree) -> None:
    before = tree.products()[1]
    tree.edit("slow.yaml", "hardware: ascend910b", "hardware: ascend950")
    assert "pto" in tree.build().ran
    assert tree.products()[1] == before
    assert tree.runs() == 1
    assert tree.as_from_nothing()


def test_stored_places_follow_a_comment(tree: SlowTree) -> None:
    tree.edit("double.py", "@pl.program", "# a remark\n@pl.program")
    tree.edit("slow.yaml", "hardware: ascend910b", "hardware: ascend950")
    tree.build()
    assert tree.runs() == 1
    assert tree.as_from_nothing()


def test_what_becomes_equal_on_the_way_has_the_places_of_its_own_text(tree: SlowTree) -> None:
    before = tree.products()[1]
    tree.edit("double.py", "        return pl.store(", "        unused = 1 + 2\n        return pl.store(")
    again = tree.build()
    assert set(again.ran) <= {"convert_to_ssa", "simplify"}
    assert tree.products()[1] != before
    assert tree.as_from_nothing()
