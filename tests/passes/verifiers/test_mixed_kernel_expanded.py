# SPDX-License-Identifier: Apache-2.0
"""MixedKernelExpanded: pipes are set up before they are used, tiles land where they can be read, slots come back."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.verifiers.mixed_kernel_expanded import verify_mixed_kernel_expanded

from pypto_build.passes import PassContext
from tests.passes import programs

SETUP = """
ring = pl.system.reserve_buffer(name="ring", size=2048)
pl.system.aiv_initialize_pipe(ring, 0, dir_mask=1, slot_size=1024, slot_num=2)
"""
POP = "v: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)\n"
FREE = "pl.system.tfree_to_aic(v)\n"


def problems(text: str, kind: str = "AIV") -> list[str]:
    """What is wrong with a kernel."""
    header = f"@pl.function(type=pl.FunctionType.{kind})\ndef kernel(self, n: pl.Scalar[pl.INDEX]):\n"
    made = programs.program(header + indent(dedent(text).strip("\n"), "    "))
    return [found.message for found in verify_mixed_kernel_expanded(made, PassContext())]


def test_a_kernel_with_a_pipe_that_gives_its_slots_back_is_fine():
    assert problems(SETUP + POP + FREE) == []


@pytest.mark.parametrize("text", [POP + FREE, POP + FREE + SETUP])
def test_a_pipe_is_set_up_before_it_is_used(text: str):
    wanted = "Function 'kernel' uses cross-core tile ops but has no 'system.aiv_initialize_pipe' call before them"
    assert problems(text) == [wanted]


@pytest.mark.parametrize(("name", "mask"), [("reserve_buffer", 1), ("import_peer_buffer", 2)])
def test_each_direction_of_a_pipe_has_its_buffer(name: str, mask: int):
    text = f"pl.system.aiv_initialize_pipe(0, 0, dir_mask={mask}, slot_size=1024)"
    wanted = f"Function 'kernel' has fewer 'system.{name}' calls than initialized pipe directions require"
    assert problems(text) == [wanted]


@pytest.mark.parametrize(
    ("kind", "op", "space", "other"), [("AIC", "tpop_from_aiv", "Mat", "Left"), ("AIV", "tpop_from_aic", "Vec", "Mat")]
)
def test_a_popped_tile_lands_where_its_core_can_read_it(kind: str, op: str, space: str, other: str):
    text = f"v: pl.Tile[[16, 16], pl.FP32, pl.Mem.{other}] = pl.tile.{op}(split=0)"
    wanted = f"{kind} function 'kernel' wants the tile.{op} result in MemorySpace::{space}"
    assert wanted in problems(text, kind)


def test_a_popped_tile_has_a_size_that_is_known():
    text = SETUP + POP.replace("[16, 16]", "[n, 16]") + FREE
    assert problems(text) == ["tile.tpop_from_aic of 'kernel' takes a tile whose size is not known at compile time"]


def test_a_slot_that_is_never_given_back_is_reported():
    wanted = "Function 'kernel' uses tile.tpop_from_aic but has no matching 'system.tfree_to_aic' call"
    assert problems(SETUP + POP) == [wanted]
    assert problems(f"{SETUP}{POP}if n > 0:\n    {FREE}") == [wanted]


def test_a_slot_that_is_given_back_twice_is_reported():
    wanted = "Function 'kernel' has 'system.tfree_to_aic' without a matching outstanding tpop on the same tile value"
    assert problems(SETUP + POP + FREE + FREE) == [wanted]


def test_every_branch_may_give_the_slot_back():
    assert problems(f"{SETUP}{POP}if n > 0:\n    {FREE}else:\n    {FREE}") == []


def test_another_name_of_a_tile_gives_its_slot_back():
    assert problems(f"{SETUP}{POP}w = v\n{FREE.replace('v)', 'w)')}") == []
