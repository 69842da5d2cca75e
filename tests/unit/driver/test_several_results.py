# SPDX-License-Identifier: Apache-2.0
"""An operation of a plugin with two results, through the whole shipped pipeline: found, checked, emitted like ours."""

import zipfile
from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest

PLUGIN = """
from pypto_build.host import hookimpl
from pypto_build.ir import ArgEffect, MemorySpace, TupleType
from pypto_build.ops import ArgDef, MemorySpec, OpDef


def pair(operands):
    return TupleType((operands.args[0].type, operands.args[0].type))


BOTH = OpDef(
    name="tile.both",
    category="TileOp",
    args=(ArgDef("tile"),),
    deduce=pair,
    memory=MemorySpec(inputs=((MemorySpace.Vec,),), output=MemorySpace.Vec),
    output_arity=2,
    effects={0: ArgEffect.Read},
    mnemonic="pto.tboth",
)


@hookimpl
def pypto_register_ops():
    return {"tile.both": ":BOTH"}
"""
KERNEL = """
import pypto.language as pl


@pl.program
class Both:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        first, second = pl.tile.both(pl.load(x, [0, 0], [16, 16]))
        return pl.store(USED, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = self.kernel(x, out)
        return out
"""


def instruction(tree: Path, *, used: str = "first", plugin: str = PLUGIN) -> str:
    """The instruction of the operation, where one of its results is stored."""
    (tree / "both.py").write_text(KERNEL.replace("USED", used))
    (tree / "my_ops.py").write_text(plugin)
    (tree / "both.yaml").write_text("schema: 1\nname: both\nextends: default\nplugins: [./my_ops.py]\n")
    compile_source(CompileRequest(str(tree / "both.py"), str(tree / "both.ptobj"), pipeline=str(tree / "both.yaml")))
    with zipfile.ZipFile(tree / "both.ptobj") as archive:
        lines = archive.read("kernels/kernel.pto").decode().splitlines()
    (found,) = [line.strip() for line in lines if "pto.tboth" in line]
    return found


@pytest.mark.parametrize("used", ["first", "second"])
def test_a_result_that_nobody_uses_is_a_destination_all_the_same(tmp_path: Path, used: str):
    """MO-38 and MO-42: no pass of the pipeline removes it."""
    destinations = instruction(tmp_path, used=used).split(" outs(")[1].split(" : ")[0].split(", ")
    assert len(set(destinations)) == 2


def test_an_operation_of_a_plugin_is_checked_when_it_is_registered(tmp_path: Path):
    """MO-38: nobody says what it does to its argument."""
    with pytest.raises(ValueError, match=r"tile\.both \(argument 0\): no declared effect"):
        instruction(tmp_path, plugin=PLUGIN.replace("    effects={0: ArgEffect.Read},\n", ""))
