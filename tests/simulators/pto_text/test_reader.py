# SPDX-License-Identifier: Apache-2.0
"""Reading PTO assembly: types, operations, names, and the place and the sentence of what cannot be read."""

from __future__ import annotations

import pytest
from pypto_simulators.pto_text.cursor import Cursor
from pypto_simulators.pto_text.lexer import Source
from pypto_simulators.pto_text.reader import read_module
from pypto_simulators.pto_text.type_reader import read_type
from pypto_simulators.pto_text.types import NAMES

from pypto_build.errors import UserError
from tests.simulators.pto_text.texts import kernel, last, text

TYPES = (
    *NAMES.values(),
    "!pto.ptr<bf16>",
    "!pto.ptr<!pto.hif8>",
    "!pto.tensor_view<?x?xf32>",
    "!pto.partition_tensor_view<1x?x64x!pto.f8E8M0>",
    "!pto.tile_buf<loc=acc, dtype=f32, rows=16, cols=32, v_row=?, v_col=8, blayout=col_major, slayout=row_major, "
    "fractal=1024, pad=0, compact=1>",
    "!pto.multi_tile_buf<!pto.tile_buf<loc=vec, dtype=ui8, rows=1, cols=32, v_row=1, v_col=32, blayout=row_major, "
    "slayout=none_box, fractal=512, pad=3>, count=2>",
    "!pto.local_array<8xi32>",
    "vector<4xi16>",
    "!pto.async_event",
)
T = "vec f32[4,8]"


@pytest.mark.parametrize("written", TYPES)
def test_a_type_is_shown_as_it_was_written(written: str):
    assert str(read_type(Cursor(Source("t", written)))) == written


def test_a_module_says_for_which_hardware_it_is_and_a_kernel_for_which_core():
    module = read_module("k.pto", text("pto.barrier <PIPE_V>"))
    assert (module.arch, [(one.name, one.kind) for one in module.kernels]) == ("a2a3", [("k", "vector")])


def test_a_declaration_of_a_function_that_is_elsewhere_is_no_kernel():
    declared = "  func.func private @elsewhere(!pto.ptr<i64>, i64)\n}\n"
    written = text("pto.barrier <PIPE_V>")
    assert [one.name for one in read_module("k.pto", written.removesuffix("}\n") + declared).kernels] == ["k"]


def test_a_name_is_looked_up_where_it_is_used():
    first, second, _ = kernel("%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32").body.operations
    assert second.operands == (first.results[0], first.results[0])


def test_an_instruction_has_operands_destinations_and_attributes():
    found = last(f"TILE(%t, 0, {T})\npto.tcmp ins(%t, %t {{cmpMode = #pto<cmp lt>}} : {T}, {T}) outs(%t : {T})")
    assert [one.name for one in found.operands] == ["%t", "%t"]
    assert [one.name for one in found.destinations] == ["%t"]
    assert found.attributes == {"cmpMode": "lt"}


def test_an_attribute_may_stand_between_the_operands():
    mask = "{maskPattern = #pto.mask_pattern<P0101>}"
    found = last(f'TILE(%t, 0, {T})\npto.tgather ins(%t, {mask} : {T}, "row") outs(%t : {T})')
    assert found.attributes == {"maskPattern": "P0101", "direction": "row"}


def test_the_generic_form_has_its_destination_at_the_end():
    found = last(f'TILE(%t, 0, {T})\n"pto.ttri"(%d, %t) {{upperOrLower = 1 : i32}} : (i32, {T}) -> ()', "%d: i32")
    assert [one.name for one in (*found.operands, *found.destinations)] == ["%d", "%t"]
    assert found.attributes == {"upperOrLower": 1}


def test_a_location_says_which_source_line_an_operation_comes_from():
    found = last('pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<mix> loc("a.py":7:3)')
    assert str(found.span) == "a.py:7:3"


def test_names_of_a_region_are_free_again_behind_it():
    body = "%a = arith.constant 3 : i32"
    found = kernel(f"scf.if %c {{\n{body}\n}} else {{\n{body}\n}}\n{body}", "%c: i1")
    assert len(found.body.operations) == 3


def test_bits_of_a_float_may_be_written_in_hexadecimal():
    assert last("%a = arith.constant 0x7F800000 : f32").attributes == {"value": float("inf")}


REFUSED = [
    ("pto.tadd on(%t)", 3, 14, "expected 'ins', found 'on'"),
    ("frobnicate %t", 3, 5, "there is no operation frobnicate"),
    ("%b = arith.addi %a, %a : i32", 3, 21, "%a is used before it is defined"),
    ("%x = arith.constant 1 : i32", 3, 5, "%x is defined twice"),
    ("%b = arith.addi %x, %x : i64", 3, 30, "%x is used as i64, but it is i32"),
    ("%b = arith.addi %x : i32", 3, 21, "arith.addi has 2 operands"),
    ("%b = arith.cmpi olt, %x, %x : i32", 3, 21, "arith.cmpi has no predicate olt"),
    ("%b = arith.constant 1.5 : i32", 3, 31, "1.5 is no constant of type i32"),
    ("%b = arith.constant 1 : f32", 3, 29, "1 is no constant of type f32"),
    ("%b = arith.constant inf : f32", 3, 25, "expected a number, found 'inf'"),
    ("%b = arith.constant 1 : ui8", 3, 29, "a constant cannot be of type ui8"),
    ("%b = arith.constant 1 : i32, i32", 3, 32, "there is no operation ,"),
    ("%b, %d = arith.addi %x, %x : i32", 3, 14, "arith.addi has 1 results, but 2 are named"),
    ("%b = arith.addi %x, %x : f7", 3, 30, "expected a type, found 'f7'"),
    ("scf.if %c -> (i32) {\nscf.yield %x : i32\n}", 3, 5, "scf.if has results, but no else"),
    ("%r = scf.if %c -> (i32) {\n} else {\n}", 3, 10, "a region of scf.if yields 0 values for 1 results"),
    ("scf.for %i = %c to %c step %c iter_args(%a = %x) -> (i1) {\n}", 3, 57, "1 types do not fit"),
    ("pto.barrier ~", 3, 17, "'~' begins nothing that can stand here"),
]


@pytest.mark.parametrize(("body", "line", "column", "message"), REFUSED, ids=[one[-1] for one in REFUSED])
def test_text_that_cannot_be_read_is_refused_at_its_line_and_column(body: str, line: int, column: int, message: str):
    with pytest.raises(UserError) as refusal:
        kernel(body, "%x: i32, %c: i1")
    error = refusal.value
    assert error.code == "SIM022"
    assert error.message.startswith(message)
    assert (error.span.begin_line, error.span.begin_column) == (line, column)
    assert error.source_lines is not None


def test_arithmetic_takes_no_operands_with_a_sign_in_their_type():
    with pytest.raises(UserError, match=r"arith\.cmpi takes no operand of type ui8"):
        kernel("%b = arith.cmpi slt, %x, %x : ui8", "%x: ui8")


def test_a_kernel_ends_with_a_return():
    with pytest.raises(UserError, match="the body of a kernel ends with return"):
        read_module("k.pto", text("pto.barrier <PIPE_V>").replace("return", "pto.barrier <PIPE_V>"))


def test_text_may_not_go_on_behind_the_module():
    with pytest.raises(UserError, match="expected the end of the text, found 'module'"):
        read_module("k.pto", "module {\n}\nmodule {\n}\n")


def test_text_may_not_end_within_a_module():
    with pytest.raises(UserError, match=r"expected 'func\.func', the text ends"):
        read_module("k.pto", "module {\n")
