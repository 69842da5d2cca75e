# SPDX-License-Identifier: Apache-2.0
"""PTO assembly of an operation with several results: allocations first, then one instruction with all destinations."""

from __future__ import annotations

import re

import pytest
from pypto_targets.pto import kernel as kernel_of_target
from pypto_targets.pto.module import kernel_module

from pypto_build.dsl.text import parse_program
from pypto_build.errors import InternalError, UserError
from pypto_build.host import TargetContext
from pypto_build.ir import Program
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B
from tests.passes.tile_places import TO_ADDRESSES, after, function_of, kernel

HEAD = """
a: Vec16 = LOAD
t: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
"""
CALL = "pl.tile.gather_compare(a, 0.5, t, out_cols=8)"
TWICE = f"i, n = {CALL}\nj, m = {CALL}\n"
BACKWARDS = f"both = {CALL}\nn: pl.Tile[[1, 16], pl.INT32, pl.Mem.Vec] = both[1]\n" + (
    "i: pl.Tile[[16, 8], pl.INT32, pl.Mem.Vec] = both[0]\n"
)


def program(body: str) -> Program:
    return after(TO_ADDRESSES, kernel(f"{HEAD}{body}return out"))


def emitted(made: Program) -> list[str]:
    """The lines of the module, types of buffers cut down to their elements and extents."""
    text, _ = kernel_module([function_of(made)], TargetContext(ASCEND910B, builtin_registry()))
    short = re.sub(r"!pto\.tile_buf<loc=vec, dtype=(\w+), rows=(\d+), cols=(\d+)[^>]*>", r"\1[\2,\3]", text)
    return [line.strip() for line in short.splitlines()]


def events(made: Program) -> list[str]:
    """Allocations by variable, and the instruction."""
    found = (re.match(r"%(\w+) = pto\.alloc_tile|pto\.(tgather)", line) for line in emitted(made))
    return [match[1] or match[2] for match in found if match]


def test_the_instruction_names_its_inputs_and_both_destinations():
    """MO-24."""
    (line,) = [line for line in emitted(program(f"i, n = {CALL}\n")) if line.startswith("pto.tgather")]
    assert line.startswith("pto.tgather ins(%a, %cst, %t : f32[16,16], f32, ui8[16,32]) ")
    assert " outs(%i, %n : i32[16,8], i32[1,16]) " in line


def test_the_destinations_are_in_the_order_of_the_tuple():
    """MO-46: whatever the order in which the elements are taken."""
    (line,) = [line for line in emitted(program(BACKWARDS)) if line.startswith("pto.tgather")]
    assert " outs(%i, %n : i32[16,8], i32[1,16]) " in line


def test_the_buffers_of_all_results_are_allocated_before_the_instruction():
    """MO-25."""
    assert events(program(f"i, n = {CALL}\n")) == ["a", "t", "i", "n", "tgather"]


def test_a_result_that_is_stored_later_is_allocated_once():
    """MO-26: neither the projection nor a use behind it allocates again."""
    used = "k: pl.Tile[[16, 8], pl.INT32, pl.Mem.Vec] = pl.tile.add(i, i)\n"
    assert events(program(f"i, n = {CALL}\n{used}")) == ["a", "t", "i", "n", "tgather", "k"]


def test_as_many_results_as_the_registry_says_need_a_variable():
    """MO-25, MO-42: a hand-written program leaves the second one out."""
    lines = str(program(f"i, n = {CALL}\n")).splitlines()
    dropped = "\n".join(line for line in lines if "_tuple_tmp[1]" not in line)
    with pytest.raises(UserError, match=r"result 1 of tile\.gather_compare is never used"):
        emitted(parse_program(dropped))


def test_a_result_without_a_memory_reference_is_a_broken_invariant():
    """MO-25."""
    reference = r"(?<= n: pl\.Tile\[\[1, 16\], pl\.INT32, )pl\.MemRef\(\w+, pl\.const\(\d+, pl\.INT64\), \d+\), "
    bare, count = re.subn(reference, "", str(program(f"i, n = {CALL}\n")))
    assert count == 1
    with pytest.raises(InternalError, match="tile n has no memory reference"):
        emitted(parse_program(bare))


def test_the_elements_of_a_kernel_are_looked_up_once_however_many_calls_there_are(monkeypatch: pytest.MonkeyPatch):
    """MO-27."""
    searched: list[str] = []
    original = kernel_of_target.collect
    monkeypatch.setattr(
        kernel_of_target, "collect", lambda node, *kinds: (searched.append(node.name), original(node, *kinds))[1]
    )
    assert events(program(TWICE)).count("tgather") == 2
    assert searched == ["main"]
