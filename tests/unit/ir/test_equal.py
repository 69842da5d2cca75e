# SPDX-License-Identifier: Apache-2.0
"""Structural equality: what counts, how variables are matched, and what the first difference says."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.errors import Span
from pypto_build.ir import DataType, assert_structural_equal, first_difference, structural_equal
from pypto_build.ir.node import Entity, FieldRole
from tests.unit.ir.build import FP16, FP32, INDEX, INT32, INT64, function, number, op, program, scalar, tensor
from tests.unit.ir.changes import CLASSES, SAMPLES, changed

BINDING = (FieldRole.DEFINITION, FieldRole.DEFINITIONS)
SINGLE = {(ir.InlineStmt, "language")}  # an enumeration of one member has no other value
FIELDS = [(cls, row) for cls in CLASSES for row in cls.COMPARED if not cls.BY_IDENTITY]
COMPARED = [(cls, row.name) for cls, row in FIELDS if row.role not in BINDING and (cls, row.name) not in SINGLE]
RENAMED = [(cls, row.name) for cls, row in FIELDS if row.role in BINDING]
HINTS = [(cls, row.name) for cls in CLASSES for row in cls.DIGESTED if not row.compared and not cls.BY_IDENTITY]
X, Y = scalar("x"), scalar("y")


def reason(left: object, right: object, *, mapping: bool = False) -> str:
    found = first_difference(left, right, enable_auto_mapping=mapping)
    assert found is not None
    return found.reason


@pytest.mark.parametrize("case", COMPARED, ids=lambda case: f"{case[0].__name__}.{case[1]}")
def test_every_field_that_is_compared_makes_a_difference(case: tuple[type[Entity], str]):
    assert not structural_equal(SAMPLES[case[0]], changed(*case))


@pytest.mark.parametrize("case", RENAMED, ids=lambda case: f"{case[0].__name__}.{case[1]}")
def test_another_name_of_what_is_bound_makes_none(case: tuple[type[Entity], str]):
    assert structural_equal(SAMPLES[case[0]], changed(*case))


@pytest.mark.parametrize("case", HINTS, ids=lambda case: f"{case[0].__name__}.{case[1]}")
def test_names_and_memory_references_make_none(case: tuple[type[Entity], str]):
    assert structural_equal(SAMPLES[case[0]], changed(*case))


def test_places_and_comments_make_none():
    one = ir.AssignStmt(X, number(1), span=Span("a.py", 1, 1))
    assert structural_equal(one, one.replace(span=Span("b.py", 9, 9), leading_comments=("why",)))


def test_free_variables_are_matched_on_demand_only():
    assert not structural_equal(ir.Neg(X, INDEX), ir.Neg(Y, INDEX))
    assert structural_equal(ir.Neg(X, INDEX), ir.Neg(Y, INDEX), enable_auto_mapping=True)


def test_definitions_are_matched_always():
    assert structural_equal(ir.AssignStmt(X, number(1)), ir.AssignStmt(Y, number(1)))


def test_one_variable_cannot_stand_for_two():
    left, right = ir.Add(X, Y, INDEX), ir.Add(scalar("a"), scalar("a"), INDEX)
    assert structural_equal(left, ir.Add(scalar("a"), scalar("b"), INDEX), enable_auto_mapping=True)
    assert structural_equal(right, ir.Add(X, X, INDEX), enable_auto_mapping=False) is False
    same = scalar("s")
    assert not structural_equal(left, ir.Add(same, same, INDEX), enable_auto_mapping=True)


def test_matched_variables_have_one_type():
    assert not structural_equal(scalar("a", INT32), scalar("b", INT64), enable_auto_mapping=True)


def test_constants_of_both_index_types_are_the_same():
    assert structural_equal(number(1, INDEX), number(1, INT64))
    assert not structural_equal(number(1, INDEX), number(1, INT32))


def test_loop_variables_of_both_index_types_are_the_same():
    loops = [
        ir.ForStmt(scalar("i", dtype), number(0), number(4), number(1), (), ir.SeqStmts(()), ())
        for dtype in (INDEX, INT64)
    ]
    assert structural_equal(loops[0], loops[1])
    assert not structural_equal(scalar("i", INDEX), scalar("i", INT64), enable_auto_mapping=True)


def test_functions_are_compared_without_their_names_and_programs_by_them():
    assert structural_equal(function("f"), function("g"))
    assert reason(program(function("f")), program(function("g"))) == "Map key mismatch ('f' != 'g')"


def test_the_order_of_attributes_does_not_count_and_the_type_of_a_value_does():
    assert structural_equal(op("o", a=1, b=2), op("o", b=2, a=1))
    assert reason(op("o", k=1), op("o", k=True)) == "Kwargs value type mismatch for key 'k'"


REASONS = [
    (ir.Add(X, X, INDEX), ir.Sub(X, X, INDEX), "Node type mismatch (Add != Sub)"),
    (X, Y, "Variable pointer mismatch (without auto-mapping)"),
    (ir.MakeTuple((X, X)), ir.MakeTuple((X,)), "Vector size mismatch (2 items != 1 items)"),
    (number(3), number(4), "int64_t value mismatch (3 != 4)"),
    (ir.scalar_type(INT64), ir.scalar_type(INT32), "ScalarType dtype mismatch (int64 != int32)"),
    (tensor("t", 4).type, tensor("t", 4, dtype=FP16).type, "TensorType dtype mismatch (fp32 != fp16)"),
    (tensor("t", 4).type, tensor("t", 4, 4).type, "TensorType shape rank mismatch (1 != 2)"),
    (tensor("t", 4).type, ir.TileType(ir.dims((4,)), FP32), "Type name mismatch (TensorType != TileType)"),
    (op("o"), op("p"), "Operator name mismatch ('o' != 'p')"),
    (op("o", k=1), op("o", k=2), "Kwargs value mismatch for key 'k'"),
    (op("o", k=1), op("o"), "Kwargs key 'k' present on one side only (or duplicated)"),
]


@pytest.mark.parametrize(("left", "right", "text"), REASONS, ids=lambda value: value if isinstance(value, str) else "")
def test_the_reason_of_a_difference(left: object, right: object, text: str):
    assert reason(left, right) == text


def test_the_path_of_a_difference_leads_to_it():
    bodies = [(ir.AssignStmt(scalar("a"), ir.Add(X, number(value), INDEX)), ir.ReturnStmt((X,))) for value in (1, 2)]
    left, right = (program(function("f", (X,), *body)) for body in bodies)
    found = first_difference(left, right)
    assert found is not None
    assert found.path == "['f'].body[0].value.right.value"


def test_an_assertion_shows_both_sides():
    with pytest.raises(ValueError, match="Left-hand side:\n  x\n\nRight-hand side:\n  y") as caught:
        assert_structural_equal(ir.EvalStmt(X), ir.EvalStmt(Y))
    assert str(caught.value).startswith("Structural equality assertion failed at: expr")


def test_a_node_is_equal_to_itself():
    assert structural_equal(SAMPLES[ir.Function], SAMPLES[ir.Function])
    assert first_difference(DataType.FP32, DataType.FP32) is None
