# SPDX-License-Identifier: Apache-2.0
"""An operation of a plugin is like one of ours: read, typed, simulated, given memory, emitted, and part of the keys."""

import zipfile
from pathlib import Path

import pytest

from pypto_build.driver.check import CheckRequest, check_source
from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest
from pypto_build.errors import UserError

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

KERNEL = """
import pypto.language as pl


@pl.program
class Squares:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        tile = pl.load(x, [0, 0], [16, 16])
        return pl.store(pl.tile.halved_square(tile), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = self.kernel(x, out)
        return out
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
    (tmp_path / "squares.py").write_text(KERNEL)
    (tmp_path / "squares_golden.py").write_text(GOLDEN)
    (tmp_path / "my_ops.py").write_text(PLUGIN)
    (tmp_path / "squares.yaml").write_text("schema: 1\nname: squares\nextends: default\nplugins: [./my_ops.py]\n")
    return tmp_path


def compiled(tree: Path, pipeline: str) -> str:
    output = tree / "squares.ptobj"
    compile_source(CompileRequest(str(tree / "squares.py"), str(output), pipeline=pipeline))
    with zipfile.ZipFile(output) as archive:
        return archive.read("kernels/kernel.pto").decode()


def test_the_instruction_is_the_one_that_the_definition_states(tree: Path):
    assert "pto.thalvedsquare ins(" in compiled(tree, str(tree / "squares.yaml"))


def test_the_program_computes_the_reference_after_every_pass(tree: Path):
    request = CheckRequest(
        str(tree / "squares.py"), pipeline=str(tree / "squares.yaml"), golden=str(tree / "squares_golden.py")
    )
    assert check_source(request).ok


def test_without_the_plugin_the_operation_is_unknown(tree: Path):
    with pytest.raises(UserError, match="halved_square"):
        compiled(tree, "default")


def test_reading_with_a_plugin_leaves_nothing_behind(tree: Path):
    compiled(tree, str(tree / "squares.yaml"))
    with pytest.raises(UserError, match="halved_square"):
        compiled(tree, "default")
