# SPDX-License-Identifier: Apache-2.0
"""An operation of a plugin with two results, through the whole shipped pipeline: found, checked, emitted like ours."""

from pathlib import Path

import pytest

from tests.unit.driver.operation_tree import emitted, write_tree

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


def instruction(tree: Path, *, used: str = "first", plugin: str = PLUGIN) -> str:
    """The instruction of the operation, where one of its results is stored."""
    lines = f"first, second = pl.tile.both(tile)\nreturn pl.store({used}, [0, 0], out)"
    write_tree(tree, plugin=plugin, lines=lines)
    (found,) = [line.strip() for line in emitted(tree).splitlines() if "pto.tboth" in line]
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
