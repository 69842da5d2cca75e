# SPDX-License-Identifier: Apache-2.0
"""Views of global memory, loads and stores, single elements: a kernel sees a pointer, and what its text says of it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.pto_text.texts import moved, run

F, VIEW = "vec f32[4,8]", "!pto.tensor_view<?x?xf32>"
X = np.arange(32, dtype=np.float32).reshape(4, 8)


def view(name: str, pointer: str, shape: str, strides: str, layout: str = "nd") -> str:
    """A view of two dimensions."""
    extents = f"shape = [{shape}], strides = [{strides}] {{layout = #pto.layout<{layout}>}}"
    return f"{name} = pto.make_tensor_view {pointer}, {extents} : {VIEW}\n"


def part(name: str, source: str, offsets: str, rows: int, columns: int) -> str:
    """A part of a view of two dimensions."""
    made = f"!pto.partition_tensor_view<{rows}x{columns}xf32>"
    where = f"offsets = [{offsets}], sizes = [${rows}, ${columns}]"
    return f"{name} = pto.partition_view {source}, {where} : {VIEW} -> {made}\n"


def load(tile: str, kind: str, name: str, rows: int, columns: int) -> str:
    """A load of a part."""
    return f"pto.tload ins({name} : !pto.partition_tensor_view<{rows}x{columns}xf32>) outs({tile} : {kind})\n"


def store(tile: str, kind: str, name: str, rows: int, columns: int) -> str:
    """A store into a part."""
    return f"pto.tstore ins({tile} : {kind}) outs({name} : !pto.partition_tensor_view<{rows}x{columns}xf32>)"


def test_strides_say_where_the_elements_of_a_view_are():
    body = "TILE(%t, 0, vec f32[8,4])\n" + view("%v", "%x", "$8, $4", "$1, $8", "dn") + part("%p", "%v", "$0, $0", 8, 4)
    body += load("%t", "vec f32[8,4]", "%p", 8, 4) + moved("store", "%t", "%y", "vec f32[8,4]")
    found = run(body, "%x: P, %y: P", x=X, y=np.zeros((8, 4), np.float32)).outputs["y"]
    np.testing.assert_array_equal(found, X.T)


def test_a_part_begins_at_its_offsets():
    small = "vec f32[2,4]"
    body = f"TILE(%t, 0, {small})\n" + view("%v", "%x", "$4, $8", "$8, $1") + part("%p", "%v", "$1, $4", 2, 4)
    body += load("%t", small, "%p", 2, 4) + moved("store", "%t", "%y", small)
    found = run(body, "%x: P, %y: P", x=X, y=np.zeros((2, 4), np.float32)).outputs["y"]
    np.testing.assert_array_equal(found, X[1:3, 4:])


def test_a_store_may_add():
    body = f"TILE(%t, 0, {F})\n" + moved("load", "%t", "%x", F) + view("%v", "%y", "$4, $8", "$8, $1")
    body += part("%p", "%v", "$0, $0", 4, 8)
    body += store("%t", F, "%p", 4, 8) + " {atomicType = #pto<atomic_type atomic_add>}"
    np.testing.assert_array_equal(run(body, "%x: P, %y: P", x=X, y=np.ones_like(X)).outputs["y"], X + 1)


def test_a_store_has_the_elements_of_the_tensor():
    body = f"TILE(%t, 0, {F})\n" + moved("load", "%t", "%x", F)
    body += moved("store", "%t", "%y", "vec bf16[4,8]").replace("%t : vec bf16", "%t : vec f32")
    found = run(body, "%x: P, %y: !pto.ptr<bf16>", x=X / 3, y=np.zeros((4, 8), ml_dtypes.bfloat16)).outputs["y"]
    np.testing.assert_array_equal(found, (X / 3).astype(ml_dtypes.bfloat16))


def test_an_offset_of_a_single_element_counts_through_memory():
    body = f"""
    TILE(%t, 0, {F})
    {moved("load", "%t", "%x", F)}
    %a = pto.tgetval ins(%t, $9 : {F}, index) outs : f32
    %b = pto.load_scalar %x[$10] : !pto.ptr<f32> -> f32
    %sum = arith.addf %a, %b : f32
    pto.tsetval ins($0, %sum : index, f32) outs(%t : {F})
    %next = pto.addptr %y, $31 : !pto.ptr<f32> -> !pto.ptr<f32>
    {moved("store", "%t", "%y", F)}
    pto.store_scalar %b, %next[$0] : !pto.ptr<f32>, f32
    """
    found = run(body, "%x: P, %y: P", x=X, y=np.zeros_like(X)).outputs["y"]
    assert (found[0, 0], found[0, 1], found[3, 7]) == (19, 1, 10)


def test_an_array_on_the_stack_keeps_what_is_written():
    array = "!pto.local_array<4xi32>"
    body = f"""
    %a = pto.declare_local_array -> {array}
    pto.local_array_set %a[$2], %n : {array}, i32
    %r = pto.local_array_get %a[$2] : {array} -> i32
    %zero = pto.local_array_get %a[$1] : {array} -> i32
    pto.store_scalar %r, %o[$0] : !pto.ptr<i32>, i32
    pto.store_scalar %zero, %o[$1] : !pto.ptr<i32>, i32
    """
    outputs = run(body, "%o: !pto.ptr<i32>, %n: i32", o=np.full(2, 9, np.int32), n=5).outputs
    assert outputs["o"].tolist() == [5, 0]


WHOLE = view("%v", "%x", "$4, $8", "$8, $1")
REFUSED = [
    (view("%v", "%x", "$5, $8", "$8, $1"), "element 39 lies outside of its tensor"),
    (WHOLE + part("%p", "%v", "$3, $0", 2, 8), "elements 3 to 5 of dimension 0 are named, which has 4"),
    (WHOLE + part("%p", "%v", "$0, $0", 4, 8).replace("[$4, $8] :", "[$4, $4] :"), "extents [4, 4] is no"),
    ("%a = pto.load_scalar %x[$32] : !pto.ptr<f32> -> f32", "element 32 lies outside of its tensor"),
    (f"TILE(%t, 0, {F})\n%a = pto.tgetval ins(%t, $32 : {F}, index) outs : f32", "element 32 of a tile of [4, 8]"),
    (
        f"TILE(%t, 0, {F})\n{WHOLE}{part('%p', '%v', '$0, $0', 4, 4)}{load('%t', F, '%p', 4, 4)}",
        "[4, 4] elements are loaded where [4, 8] are valid",
    ),
    (
        f"TILE(%t, 0, {F})\n{WHOLE}{part('%p', '%v', '$0, $0', 4, 4)}{store('%t', F, '%p', 4, 4)}",
        "the valid part [4, 8] of a tile is stored as [4, 4]",
    ),
    (
        "TILE(%t, 0, vec i32[4,8])\n" + moved("load", "%t", "%x", F).replace(F, "vec i32[4,8]"),
        "fp32 is loaded into a tile of int32",
    ),
    ("pto.tadd ins(%x : !pto.ptr<f32>) outs(%x : !pto.ptr<f32>)", "%x is no tile, but !pto.ptr<f32>"),
    (view("%v", "%i", "$4, $8", "$8, $1"), "a pointer to int32 is seen as !pto.tensor_view<?x?xf32>"),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=[one[-1] for one in REFUSED])
def test_what_does_not_fit_is_refused_at_its_place(body: str, message: str):
    with pytest.raises(UserError) as refusal:
        run(body, "%x: P, %i: !pto.ptr<i32>", x=X, i=np.zeros(64, np.int32))
    assert message in refusal.value.message
    assert refusal.value.span.filename == "kernels/k.pto"
