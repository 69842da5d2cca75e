# SPDX-License-Identifier: Apache-2.0
"""Tiles are bytes at addresses: what lies at one place is one thing, whatever it is called."""

from __future__ import annotations

import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.pto_text.texts import moved, run

F, PARAMS = "vec f32[4,8]", "%x: P, %y: P"
X = np.arange(32, dtype=np.float32).reshape(4, 8)
TEN = "%ten = arith.constant 1.0e+01 : f32\n"


def outcome(body: str, params: str = PARAMS) -> np.ndarray:
    """What a kernel leaves in y."""
    return run(body, params, x=X, y=np.zeros_like(X)).outputs["y"]


def test_a_tile_at_the_address_of_another_is_the_other():
    body = f"TILE(%a, 256, {F})\nTILE(%b, 256, {F})\n"
    np.testing.assert_array_equal(outcome(body + moved("load", "%a", "%x", F) + moved("store", "%b", "%y", F)), X)


def test_a_tile_that_overlaps_another_clobbers_it():
    row = "vec f32[1,8]"
    body = f"TILE(%a, 0, {F})\nTILE(%b, 16, {row})\n{TEN}" + moved("load", "%a", "%x", F)
    body += f"pto.texpands ins(%ten : f32) outs(%b : {row})\n" + moved("store", "%a", "%y", F)
    wanted = X.copy()
    wanted.ravel()[4:12] = 10
    np.testing.assert_array_equal(outcome(body), wanted)


def test_the_same_address_in_another_memory_is_another_place():
    body = f"TILE(%a, 0, {F})\nTILE(%b, 0, mat f32[4,8])\n{TEN}" + moved("load", "%a", "%x", F)
    body += "pto.texpands ins(%ten : f32) outs(%b : mat f32[4,8])\n" + moved("store", "%a", "%y", F)
    np.testing.assert_array_equal(outcome(body), X)


def test_what_nobody_wrote_is_no_number():
    assert np.isnan(outcome(f"TILE(%a, 0, {F})\n" + moved("store", "%a", "%y", F))).all()


def test_only_the_valid_part_is_written():
    body = f"TILE(%a, 0, {F})\n{TEN}" + moved("load", "%a", "%x", F)
    body += f"%b = pto.alloc_tile addr = @0 valid_row = $2 valid_col = $3 : {F}\n"
    body += f"pto.texpands ins(%ten : f32) outs(%b : {F})\n" + moved("store", "%a", "%y", F)
    wanted = X.copy()
    wanted[:2, :3] = 10
    np.testing.assert_array_equal(outcome(body), wanted)


def test_a_window_is_a_part_of_its_tile():
    part = "vec f32[2,4:2,4]"
    body = f"TILE(%a, 0, {F})\n{TEN}" + moved("load", "%a", "%x", F)
    body += f"%w = pto.subview %a[$1, $4] sizes [2, 4] : {F} -> {part}\n"
    body += f"pto.texpands ins(%ten : f32) outs(%w : {part})\n" + moved("store", "%a", "%y", F)
    wanted = X.copy()
    wanted[1:3, 4:] = 10
    np.testing.assert_array_equal(outcome(body), wanted)


def test_the_same_bytes_may_have_another_shape():
    long = "vec f32[1,32:1,32]"
    body = f"TILE(%a, 0, {F})\n{TEN}" + moved("load", "%a", "%x", F) + f"%r = pto.treshape %a : {F} -> {long}\n"
    body += f"pto.tadds ins(%r, %ten : {long}, f32) outs(%r : {long})\n" + moved("store", "%a", "%y", F)
    np.testing.assert_array_equal(outcome(body), X + 10)


def test_a_column_by_columns_is_a_row_by_rows():
    column, row = "vec col f32[32,1]", "vec f32[1,32]"
    body = f"TILE(%a, 0, {F})\nTILE(%c, 0, {column})\nTILE(%r, 512, {row})\n" + moved("load", "%a", "%x", F)
    body += f"pto.ttrans ins(%c : {column}) outs(%r : {row})\nTILE(%b, 512, {F})\n" + moved("store", "%b", "%y", F)
    np.testing.assert_array_equal(outcome(body), X)


def test_a_tile_in_boxes_is_in_another_order_under_a_type_by_rows():
    wide, boxed, plain = np.arange(64, dtype=np.float32).reshape(4, 16), "mat nz f32[4,16]", "mat f32[4,16]"
    body = f"TILE(%a, 0, {boxed})\nTILE(%b, 0, {plain})\n" + moved("load", "%a", "%x", boxed)
    found = run(body + moved("store", "%b", "%y", plain), PARAMS, x=wide, y=np.zeros_like(wide)).outputs["y"]
    np.testing.assert_array_equal(found.ravel(), np.concatenate([wide[:, :8].ravel(), wide[:, 8:].ravel()]))


REFUSED = [
    (f"TILE(%a, 188400, {F})", "bytes 188400 to 188528 of Vec memory, which has 188416"),
    (f"TILE(%a, 0, {F})\n%w = pto.subview %a[$3, $0] sizes [2, 4] : {F} -> vec f32[2,4:2,4]", "reaches beyond [4, 8]"),
    (f"TILE(%a, 0, {F})\n%w = pto.subview %a[$0, $0] sizes [2, 4] : {F} -> vec f32[2,4]", "nothing says which part"),
    (f"TILE(%a, 0, {F})\n%w = pto.treshape %a : {F} -> vec f32[1,32]", "nothing says which part"),
    (f"TILE(%a, 0, {F})\n%w = pto.treshape %a : {F} -> vec f32[1,33:1,33]", "but is to lie in 128"),
    (f"%a = pto.alloc_tile addr = @0 valid_row = $5 valid_col = $8 : {F}", "[5, 8] of [4, 8] are said to be valid"),
    (f"TILE(%a, 0, {F})\npto.set_validshape %a, $5, $8 : {F}", "[5, 8] of [4, 8] are said to be valid"),
    ("TILE(%a, 0, vec i4[4,64])", "4-bit elements cannot be simulated"),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=[one[-1] for one in REFUSED])
def test_what_no_memory_can_hold_is_refused_at_its_place(body: str, message: str):
    with pytest.raises(UserError) as refusal:
        run(body)
    assert message in refusal.value.message
    assert refusal.value.span.filename == "kernels/k.pto"
    assert "pto." in (refusal.value.source_lines or ())[refusal.value.span.begin_line - 1]


def test_a_window_with_gaps_has_no_other_shape():
    column = "vec f32[4,1:4,1]"
    body = f"TILE(%a, 0, {F})\n%w = pto.subview %a[$0, $0] sizes [4, 1] : {F} -> {column}\n"
    with pytest.raises(UserError, match="not contiguous in memory"):
        run(body + f"%r = pto.treshape %w : {column} -> vec f32[1,4:1,4]")


def test_tiles_without_an_address_lie_apart():
    """The assembler decides where they lie."""
    body = "".join(f"%{name} = pto.alloc_tile valid_row = $4 valid_col = $8 : {F}\n" for name in "ab")
    body += moved("load", "%a", "%x", F) + f"{TEN}pto.texpands ins(%ten : f32) outs(%b : {F})\n"
    np.testing.assert_array_equal(outcome(body + moved("store", "%a", "%y", F)), X)


def test_one_of_several_tiles_is_picked():
    several = F.replace("vec f32[4,8]", "!pto.multi_tile_buf<vec f32[4,8], count=2>")
    body = f"%m = pto.alloc_multi_tile valid_row = $4 valid_col = $8 : {several}\n"
    body += "".join(
        f"%{name} = pto.multi_tile_get %m[${slot}] : {several} -> {F}\n" for name, slot in ("a0", "b1", "c0")
    )
    body += moved("load", "%a", "%x", F) + f"{TEN}pto.texpands ins(%ten : f32) outs(%b : {F})\n"
    np.testing.assert_array_equal(outcome(body + moved("store", "%c", "%y", F)), X)
