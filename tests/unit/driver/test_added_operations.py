# SPDX-License-Identifier: Apache-2.0
"""An operation of a plugin is like one of ours: read, typed, simulated, given memory, emitted, and part of the keys."""

from pathlib import Path

import pytest

from pypto_build.driver.check import CheckRequest, check_source
from pypto_build.errors import UserError
from tests.unit.driver.operation_tree import emitted, write_tree

PLUGIN = """
from pypto_build.host import hookimpl
from pypto_build.ir import MemorySpace
from pypto_build.ops import ArgDef, MemorySpec, OpDef
from pypto_build.ops.families.tile_unary import unary


def halved_square(values, *, scale=1):
    return values * values * 0.5 * scale


HALVED_SQUARE = OpDef(
    name="tile.halved_square",
    category="TileOp",
    args=(ArgDef("tile"),),
    deduce=unary,
    memory=MemorySpec(inputs=((MemorySpace.Vec,),), output=MemorySpace.Vec),
    no_arg_writes=True,
    reference=halved_square,
    mnemonic="pto.thalvedsquare",
)


@hookimpl
def pypto_register_ops():
    return {"tile.halved_square": ":HALVED_SQUARE"}
"""

GOLDEN = """
import numpy as np



def inputs(rng):
    return {"x": rng.standard_normal((16, 16), dtype=np.float32)}


def expected(inputs):
    return {"out": inputs["x"] * inputs["x"] * 0.5}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_tree(tmp_path, plugin=PLUGIN, lines="return pl.store(pl.tile.halved_square(tile), [0, 0], out)")
    (tmp_path / "golden.py").write_text(GOLDEN)
    return tmp_path


def test_the_instruction_is_the_one_that_the_definition_states(tree: Path):
    assert "pto.thalvedsquare ins(" in emitted(tree)


def test_the_program_computes_the_reference_after_every_pass(tree: Path):
    source, pipeline, golden = (str(tree / name) for name in ("kernel.py", "plugged.yaml", "golden.py"))
    assert check_source(CheckRequest(source, pipeline=pipeline, golden=golden)).ok


def test_without_the_plugin_the_operation_is_unknown(tree: Path):
    with pytest.raises(UserError, match="halved_square"):
        emitted(tree, pipeline="default")


def test_reading_with_a_plugin_leaves_nothing_behind(tree: Path):
    emitted(tree)
    with pytest.raises(UserError, match="halved_square"):
        emitted(tree, pipeline="default")
