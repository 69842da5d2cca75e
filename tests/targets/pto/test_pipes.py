# SPDX-License-Identifier: Apache-2.0
"""Pipes between the cores: set-up on both architectures, whole boxes in transport, slots that go back."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from pypto_build.ir import Program
from tests.targets.pto.emitting import ARCHITECTURES, instructions, last, lines, program

X = "x: pl.Tensor[[16, 32], pl.FP32]"
WORKSPACE = "__gm_pipe_buffer: pl.Out[pl.Tensor[[4096], pl.FP32]]"
BUFFERS = """
here = pl.reserve_buffer(name="c2v", size=4096, base=64)
there = pl.import_peer_buffer(name="v2c", peer_func="cube")
"""
POP = "t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)\n"


def vector(body: str, params: str = X) -> Program:
    return program(body, params=params, kind="AIV")


def test_buffers_are_reserved_where_the_other_core_pushes():
    assert instructions(vector(BUFFERS)) == [
        '%here = pto.reserve_buffer {name = "c2v", size = 4096, location = #pto.address_space<vec>, '
        "auto = false, base = 64} -> i32",
        '%there = pto.import_reserved_buffer {name = "v2c", peer_func = @cube} -> i32',
    ]


def test_the_assembler_chooses_the_base_when_it_places_tiles():
    body = 'here = pl.reserve_buffer(name="c2v", size=4096)'
    line = last(vector(body), planner="ptoas")
    assert line.endswith("location = #pto.address_space<vec>, auto = true} -> i32")


def test_what_the_assembler_reads_as_a_name_is_one():
    with pytest.raises(UserError, match="letters, digits and underscores"):
        instructions(vector('here = pl.reserve_buffer(name="c2v-slots", size=4096, base=0)'))


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_pipe_is_set_up_with_what_was_stated(arch: str):
    call = "pl.aiv_initialize_pipe(here, there, dir_mask=3, slot_size=512, slot_num=2)"
    assert last(vector(BUFFERS + call), arch) == (
        "pto.aiv_initialize_pipe {dir_mask = 3, slot_size = 512, slot_num = 2} "
        "(c2v_consumer_buf = %here : i32, v2c_consumer_buf = %there : i32)"
    )


def test_pipes_share_a_workspace_where_they_go_through_global_memory():
    """Two rings of two slots of 512 bytes come before the second pipe."""
    calls = "".join(
        f"pl.aiv_initialize_pipe(here, there, dir_mask=3, slot_size=512, slot_num=2, id={number})\n"
        for number in (0, 1)
    )
    found = instructions(vector(BUFFERS + calls, f"{X}, {WORKSPACE}"))
    assert found[-5:] == [
        "pto.aiv_initialize_pipe {id = 0, dir_mask = 3, slot_size = 512, slot_num = 2}",
        "(gm_slot_buffer = %arg1 : !pto.ptr<f32>, c2v_consumer_buf = %here : i32, v2c_consumer_buf = %there : i32)",
        "%0 = pto.addptr %arg1, %c512_index : !pto.ptr<f32> -> !pto.ptr<f32>",
        "pto.aiv_initialize_pipe {id = 1, dir_mask = 3, slot_size = 512, slot_num = 2}",
        "(gm_slot_buffer = %0 : !pto.ptr<f32>, c2v_consumer_buf = %here : i32, v2c_consumer_buf = %there : i32)",
    ]


def test_the_workspace_gets_no_view():
    found = lines(vector("pl.system.fence()", f"{X}, {WORKSPACE}"))
    assert not [line for line in found if "make_tensor_view" in line]


@pytest.mark.parametrize(("attributes", "text"), [("split=1", "{split = 1}"), ("split=0, id=2", "{id = 2, split = 0}")])
def test_a_push_names_its_pipe_and_split(attributes: str, text: str):
    body = f"t = pl.tile.load(x, [0, 0], [16, 32])\npl.tpush_to_aic(t, {attributes})"
    assert last(vector(body)) == f"pto.tpush_to_aic(%t : f32[16,32]) {text}"


def test_a_part_of_a_tile_is_pushed_as_a_whole_box():
    body = "t = pl.tile.load(x, [0, 0], [16, 32], valid_shape=[16, 24])\npl.tpush_to_aic(t, split=1)"
    assert instructions(vector(body))[-3:] == [
        "pto.set_validshape %t, %c16_index, %c32_index : f32[16,32]",
        "pto.tpush_to_aic(%t : f32[16,32]) {split = 1}",
        "pto.set_validshape %t, %c16_index, %c24_index : f32[16,32]",
    ]


def test_a_push_without_a_split_to_the_cube_core_is_left_alone():
    body = "t = pl.tile.load(x, [0, 0], [16, 32], valid_shape=[16, 24])\npl.tpush_to_aic(t, split=0)"
    assert not [line for line in instructions(vector(body)) if "set_validshape" in line]


def test_a_popped_tile_stays_in_its_slot():
    found = lines(vector(POP))
    assert "%t = pto.tpop_from_aic {split = 0} -> f32[16,32:16,32]" in found
    assert not [line for line in found if "alloc_tile" in line]


def test_a_part_of_a_tile_is_popped_as_a_whole_box_and_narrowed_after_that():
    view = "pl.TileView(valid_shape=[16, 24])"
    body = f"t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec, {view}] = pl.tpop_from_aic(split=0)"
    assert instructions(vector(body)) == [
        "%tpop_transport = pto.tpop_from_aic(%c16_index, %c32_index) {split = 0} -> f32[16,32]",
        "%tpop_logical = pto.treshape %tpop_transport : f32[16,32] -> f32[16,32:16,24]",
    ]


def test_a_slot_goes_back_with_the_pipe_and_split_of_its_pop():
    body = POP.replace("split=0", "split=2, id=1") + "pl.tfree_to_aic(t)"
    assert last(vector(body)) == "pto.tfree_from_aic {id = 1, split = 2}"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("pl.tfree_to_aiv(t)", r"to come from tile\.tpop_from_aiv, got tile\.tpop_from_aic"),
        ("pl.tfree_to_aic(t, id=3)", r"pipe id 3 does not match originating tile\.tpop_from_aic pipe id 0"),
    ],
)
def test_a_slot_that_belongs_to_another_pipe_is_refused(call: str, message: str):
    with pytest.raises(UserError, match=message):
        instructions(vector(POP + call))
