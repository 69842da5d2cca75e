# SPDX-License-Identifier: Apache-2.0
"""Scalars are computed as the dialect `arith` says, which is not as the IR does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.pto_text.texts import run

INTEGERS = [
    ("addi", 2**31 - 1, 1, -(2**31)),
    ("subi", 3, 5, -2),
    ("muli", 2**20, 2**12, 0),
    ("divsi", -7, 2, -3),
    ("remsi", -7, 2, -1),
    ("floordivsi", -7, 2, -4),
    ("divui", -2, 2, 2**31 - 1),
    ("remui", -1, 10, 5),
    ("minsi", -1, 1, -1),
    ("minui", -1, 1, 1),
    ("maxsi", -1, 1, 1),
    ("maxui", -1, 1, -1),
    ("andi", 12, 10, 8),
    ("ori", 12, 10, 14),
    ("xori", 12, 10, 6),
    ("shli", 1, 31, -(2**31)),
    ("shrsi", -8, 1, -4),
    ("shrui", -8, 1, 2**31 - 4),
]
FLOATS = [("addf", 0.1, 0.2, 0.3), ("divf", 1.0, 0.0, math.inf), ("remf", -7.5, 2.0, -1.5), ("minimumf", 1.0, 2.0, 1.0)]
COMPARED = [
    ("eq", 1, 1, 1),
    ("slt", -1, 1, 1),
    ("ult", -1, 1, 0),
    ("sge", -1, 1, 0),
    ("uge", -1, 1, 1),
    ("ne", 1, 1, 0),
]
CASTS = [
    ("arith.trunci", "i8", "arith.extsi", 200, -56),
    ("arith.trunci", "i8", "arith.extui", 200, 200),
    ("arith.trunci", "i1", "arith.extui", 3, 1),
    ("arith.trunci", "i1", "arith.extsi", 3, -1),
    ("arith.index_cast", "index", "arith.index_cast", -5, -5),
    ("arith.extsi", "i64", "arith.trunci", -5, -5),
    ("arith.sitofp", "f32", "arith.fptosi", -5, -5),
    ("arith.uitofp", "f32", "arith.fptosi", 5, 5),
    ("builtin.unrealized_conversion_cast", "ui32", "builtin.unrealized_conversion_cast", -5, -5),
]


def stored(lines: str, kind: str, **values: float) -> float:
    """The number %r, stored as the only element of a tensor."""
    dtype = np.float32 if kind == "f32" else np.int32
    params = ", ".join([f"%o: !pto.ptr<{kind}>", *(f"%{name}: {kind}" for name in values)])
    body = f"{lines}\npto.store_scalar %r, %o[$0] : !pto.ptr<{kind}>, {kind}"
    return run(body, params, o=np.zeros(1, dtype), **values).outputs["o"].item()


@pytest.mark.parametrize(("name", "left", "right", "wanted"), INTEGERS, ids=[one[0] for one in INTEGERS])
def test_integers_are_bits_that_an_operation_gives_a_sign(name: str, left: int, right: int, wanted: int):
    assert stored(f"%r = arith.{name} %a, %b : i32", "i32", a=left, b=right) == wanted


@pytest.mark.parametrize(("name", "left", "right", "wanted"), FLOATS, ids=[one[0] for one in FLOATS])
def test_floats_are_rounded_after_each_operation(name: str, left: float, right: float, wanted: float):
    assert stored(f"%r = arith.{name} %a, %b : f32", "f32", a=left, b=right) == np.float32(wanted)


@pytest.mark.parametrize(("predicate", "left", "right", "wanted"), COMPARED, ids=[one[0] for one in COMPARED])
def test_a_comparison_says_whether_integers_have_a_sign(predicate: str, left: int, right: int, wanted: int):
    lines = f"%c = arith.cmpi {predicate}, %a, %b : i32\n%r = arith.extui %c : i1 to i32"
    assert stored(lines, "i32", a=left, b=right) == wanted


@pytest.mark.parametrize(("predicate", "wanted"), [("oeq", 0), ("one", 0), ("une", 1), ("ult", 1)])
def test_a_comparison_says_what_holds_of_what_is_no_number(predicate: str, wanted: int):
    nan = "%n = arith.constant 0x7FC00000 : f32\n"
    lines = f"{nan}%c = arith.cmpf {predicate}, %n, %n : f32\n%r = arith.extui %c : i1 to i32"
    assert stored(lines, "i32") == wanted


@pytest.mark.parametrize(("there", "kind", "back", "value", "wanted"), CASTS, ids=[f"{c[0]}-{c[2]}" for c in CASTS])
def test_a_cast_keeps_bits_or_value_as_its_name_says(there: str, kind: str, back: str, value: int, wanted: int):
    lines = f"%t = {there} %a : i32 to {kind}\n%r = {back} %t : {kind} to i32"
    assert stored(lines, "i32", a=value) == wanted


def test_one_of_two_numbers_is_selected():
    lines = "%c = arith.cmpi sgt, %a, %b : i32\n%r = arith.select %c, %a, %b : i32"
    assert stored(lines, "i32", a=3, b=8) == 8


def test_negation_and_absolute_value():
    assert stored("%n = arith.negf %a : f32\n%r = math.absf %n : f32", "f32", a=2.5) == 2.5


def test_a_division_by_zero_is_refused_at_its_place():
    with pytest.raises(UserError, match=r"cannot compute arith\.divsi of 1 and 0") as refusal:
        stored("%r = arith.divsi %a, %b : i32", "i32", a=1, b=0)
    assert (refusal.value.code, refusal.value.span.begin_line) == ("SIM013", 4)
