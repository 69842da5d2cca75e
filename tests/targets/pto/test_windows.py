# SPDX-License-Identifier: Apache-2.0
"""Windows of tiles, what is assembled from them, and tiles under another type."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from tests.targets.pto.emitting import X, instructions, last, lines, program

PARAMS = f"{X}, n: pl.Scalar[pl.INDEX]"
LOAD = "t = pl.tile.load(x, [0, 0], [16, 16])\n"


def test_a_slice_is_a_view_whose_type_states_what_is_valid():
    line = last(program(LOAD + "r = pl.tile.slice(t, [8, 16], [8, 0])", params=PARAMS))
    assert line == ("%slice_view = pto.subview %t[%c8_index, %c0_index] sizes [8, 16] : f32[16,16] -> f32[8,16:8,16]")


def test_an_extent_that_is_computed_is_an_operand_and_open_in_the_type():
    line = last(program(LOAD + "r = pl.tile.slice(t, [8, 16], [0, 0], valid_shape=[n, 16])", params=PARAMS))
    assert line.endswith("sizes [8, 16] valid [%arg1, %c16_index] : f32[16,16] -> f32[8,16:?,16]")


def test_what_is_assembled_is_moved_into_a_window_of_the_result():
    body = LOAD + "s = pl.tile.load(x, [0, 0], [8, 16])\nr = pl.tile.assemble(t, s, [8, 0])"
    assert instructions(program(body, params=PARAMS))[-2:] == [
        "%assemble_view = pto.subview %r[%c8_index, %c0_index] sizes [8, 16] valid [%c8_index, %c16_index] : "
        "f32[16,16] -> f32[8,16:8,16]",
        "pto.tmov ins(%s : f32[8,16]) outs(%assemble_view : f32[8,16:8,16])",
    ]


def test_the_target_is_copied_first_where_it_is_still_needed():
    body = LOAD + "s = pl.tile.load(x, [0, 0], [8, 16])\nr = pl.tile.assemble(t, s, [8, 0])\nu = pl.tile.add(t, r)"
    assert "pto.tmov ins(%t : f32[16,16]) outs(%r : f32[16,16])" in instructions(program(body, params=PARAMS))


def test_a_narrow_accumulator_is_converted_on_its_way_into_a_matrix_tile():
    body = """
    m = pl.tile.load(h, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
    a: pl.Tile[[16, 16], pl.FP16, pl.Mem.Acc] = pl.tile.create([16, 16], dtype=pl.FP16, target_memory=pl.Mem.Acc)
    r = pl.tile.assemble(m, a, [0, 0])
    """
    line = last(program(body, params="h: pl.Tensor[[16, 16], pl.FP16]", kind="AIC"))
    assert line == "pto.tinsert ins(%a, %c0_index, %c0_index : acc f16[16,16], index, index) outs(%r : mat f16[16,16])"


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("reshape(t, [8, 32])", "f32[8,32]"),
        ("reinterpret_view(t, pl.INT32)", "i32[16,16]"),
    ],
)
def test_another_type_is_another_declaration_at_the_same_address(call: str, kind: str):
    found = lines(program(f"{LOAD}r = pl.tile.{call}", params=PARAMS))
    declared = [line.split(" valid_row")[0] for line in found if "alloc_tile" in line]
    assert declared == ["%t = pto.alloc_tile addr = %c0_i64", "%r = pto.alloc_tile addr = %c0_i64"]
    assert any(line.startswith("%r = ") and line.endswith(kind) for line in found)


def test_the_valid_extents_of_a_tile_change_in_place():
    body = LOAD + "r = pl.tile.set_validshape(t, n, 16)"
    assert last(program(body, params=PARAMS)) == "pto.set_validshape %t, %arg1, %c16_index : f32[16,16]"


def test_a_window_has_no_extents_to_change():
    body = LOAD + "s = pl.tile.slice(t, [8, 16], [8, 0])\nr = pl.tile.set_validshape(s, 4, 16)"
    with pytest.raises(UserError, match="cannot narrow a tile view") as error:
        instructions(program(body, params=PARAMS))
    assert error.value.help == "give the slice a valid_shape, or narrow the tile before taking the window"


@pytest.mark.parametrize(("planner", "written"), [("pypto", []), ("ptoas", ["%reshape_buf = pto.treshape"])])
def test_a_look_with_more_dimensions_is_not_written(planner: str, written: list[str]):
    body = LOAD + "d = pl.tile.reshape(t, [2, 8, 16])\nr = pl.tile.reshape(d, [8, 32])\nu = pl.tile.neg(r)"
    found = instructions(program(body, params=PARAMS), planner=planner)
    looks = [line.split(" %t")[0] for line in found if "reshape" in line and " = " in line]
    assert looks == written
