# SPDX-License-Identifier: Apache-2.0
"""The serialized form: the same program back, the same bytes from equal programs, and a refusal of anything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pypto_build import ir
from pypto_build.errors import Span, UserError
from pypto_build.ir import canonical_form, decode, encode
from pypto_build.ir.node import Entity
from tests.unit.ir.build import INDEX, number, scalar
from tests.unit.ir.changes import CLASSES, FIELDS, SAMPLES, changed
from tests.unit.ir.random_programs import launching_program
from tests.unit.ir.strategies import Maker


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_class_comes_back_as_it_was(cls: type[Entity]):
    again = decode(encode(SAMPLES[cls]))
    assert type(again) is cls
    assert canonical_form(again) == canonical_form(SAMPLES[cls])


@pytest.mark.parametrize("case", FIELDS, ids=lambda case: f"{case[0].__name__}.{case[1]}")
def test_every_field_comes_back(case: tuple[type[Entity], str]):
    sample = changed(*case)
    assert canonical_form(decode(encode(sample))) == canonical_form(sample)


@settings(max_examples=40)
@given(st.data())
def test_a_program_comes_back_equal_and_gives_the_same_bytes(data_source: st.DataObject):
    program = launching_program(Maker(data_source.draw))
    data = encode(program)
    again = decode(data)
    assert ir.structural_equal(again, program, enable_auto_mapping=True)
    assert encode(again) == data


def test_what_was_one_object_is_one_object_again():
    x = scalar("x")
    again = decode(encode(ir.Add(x, x, INDEX)))
    assert again.left is again.right


def test_places_are_kept_when_they_are_asked_for():
    stmt = ir.EvalStmt(number(1), Span("kernel.py", 7, 3))
    assert decode(encode(stmt, spans=True)).span == stmt.span
    assert not decode(encode(stmt)).span.is_valid()


def test_infinities_and_signed_zeros_are_kept():
    for value in (float("inf"), float("-inf"), -0.0, 0.1):
        again = decode(encode(ir.ConstFloat(value, ir.DataType.FP32)))
        assert again.value.hex() == value.hex()


def test_another_format_is_refused():
    table = {**json.loads(encode(number(1))), "format": 99}
    with pytest.raises(UserError, match="format 99"):
        decode(json.dumps(table).encode())


BROKEN = {
    "no JSON": b"\x80\x04.",
    "no table": b"[]",
    "cut off": encode(SAMPLES[ir.ForStmt])[:-9],
    "unknown class": b'{"format":1,"root":["n",0],"strings":[],"records":[["system",1]]}',
    "class of the language": b'{"format":1,"root":["n",0],"strings":[],"records":[["Path","x"]]}',
    "unknown tag": b'{"format":1,"root":["x",0],"strings":[],"records":[]}',
    "node that is not there": b'{"format":1,"root":["n",4],"strings":[],"records":[]}',
    "unknown enumeration": b'{"format":1,"root":["e","Colour","red"],"strings":[],"records":[]}',
    "too few fields": b'{"format":1,"root":["n",0],"strings":[],"records":[["ConstInt",1]]}',
}


@pytest.mark.parametrize("case", BROKEN)
def test_anything_else_is_refused_and_nothing_of_it_runs(case: str):
    with pytest.raises(UserError, match="not serialized IR"):
        decode(BROKEN[case])
