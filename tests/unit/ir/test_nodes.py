# SPDX-License-Identifier: Apache-2.0
"""What every class of the IR promises: frozen, compared by identity (nodes) or value (types), fields with roles."""

from __future__ import annotations

from dataclasses import fields

import pytest

from pypto_build import ir
from pypto_build.errors import UNKNOWN_SPAN, InternalError, Span
from pypto_build.ir.node import Entity, FieldRole, FrozenMap, Node, data, frozen_map, iter_children, node
from tests.unit.ir.build import INDEX, assign, number, scalar
from tests.unit.ir.changes import CLASSES, FIELDS, SAMPLES, changed

NODES = [cls for cls in CLASSES if issubclass(cls, Node)]
VALUES = [cls for cls in CLASSES if not issubclass(cls, Node)]


def copy_of(entity: Entity) -> Entity:
    """Another object with the same fields."""
    return type(entity)(*(getattr(entity, row.name) for row in entity.FIELDS))


@pytest.mark.parametrize(("cls", "field"), [(cls, row.name) for cls in CLASSES for row in cls.FIELDS])
def test_no_field_can_be_set(cls: type[Entity], field: str):
    with pytest.raises(AttributeError):
        setattr(SAMPLES[cls], field, None)


@pytest.mark.parametrize("cls", CLASSES)
def test_no_attribute_can_be_added(cls: type[Entity]):
    with pytest.raises((AttributeError, TypeError)):
        SAMPLES[cls].note = 1  # type: ignore[attr-defined]  # that is the point
    assert not hasattr(SAMPLES[cls], "__dict__")


@pytest.mark.parametrize("cls", NODES)
def test_a_node_is_equal_to_itself_only(cls: type[Entity]):
    sample = SAMPLES[cls]
    assert sample == sample  # noqa: PLR0124  # identity is what is tested
    assert sample != copy_of(sample)
    assert len({sample, copy_of(sample), sample}) == 2


@pytest.mark.parametrize("cls", VALUES)
def test_a_type_or_view_is_equal_to_its_copy(cls: type[Entity]):
    sample, copy = SAMPLES[cls], copy_of(SAMPLES[cls])
    assert sample == copy
    assert hash(sample) == hash(copy)


@pytest.mark.parametrize(("cls", "field"), [pair for pair in FIELDS if pair[0] in VALUES])
def test_every_field_of_a_type_counts_unless_it_is_a_memory_reference(cls: type[Entity], field: str):
    assert (SAMPLES[cls] == changed(cls, field)) == (field == "memref")


@pytest.mark.parametrize("cls", CLASSES)
def test_every_field_has_a_role_and_places_are_ignored(cls: type[Entity]):
    roles = {row.name: row.role for row in cls.FIELDS}
    assert set(roles) == {field.name for field in fields(cls)}  # type: ignore[arg-type]  # every class is a dataclass
    for name in ("span", "leading_comments"):
        assert roles.get(name, FieldRole.IGNORED) is FieldRole.IGNORED


@pytest.mark.parametrize("cls", CLASSES)
def test_the_tables_derived_from_the_fields_agree(cls: type[Entity]):
    assert set(cls.COMPARED) <= set(cls.DIGESTED) <= set(cls.FIELDS)
    assert {row.role for row in cls.WALKED}.isdisjoint({FieldRole.DATA, FieldRole.IGNORED})
    assert all(row.role in (FieldRole.DATA, FieldRole.IGNORED) for row in set(cls.FIELDS) - set(cls.WALKED))


def test_a_field_without_a_role_is_refused():
    with pytest.raises(TypeError, match=r"Forgotten\.count has no role"):

        @node
        class Forgotten(Entity):
            count: int


def test_a_field_with_a_role_makes_a_table():
    @node
    class Counted(Entity):
        count: int = data()

    assert [(row.name, row.role, row.compared) for row in Counted.FIELDS] == [("count", FieldRole.DATA, True)]


@pytest.mark.parametrize("name", ["__setitem__", "__delitem__", "update", "pop", "clear", "setdefault", "popitem"])
def test_attributes_cannot_be_changed(name: str):
    with pytest.raises(TypeError, match="read-only"):
        getattr(frozen_map({"a": 1}), name)("a", 1)


def test_the_same_attributes_are_not_copied_again():
    attrs = frozen_map({"a": 1})
    assert frozen_map(attrs) is attrs
    assert frozen_map({}) is frozen_map(None) is ir.EMPTY_MAP
    assert isinstance(attrs, FrozenMap)


def test_replacing_a_field_makes_another_node():
    stmt = assign(scalar("x"), number(1))
    copy = stmt.replace(span=Span("k.py", 3, 1))
    assert copy is not stmt
    assert (copy.var, copy.value, copy.span.begin_line) == (stmt.var, stmt.value, 3)
    assert stmt.span is UNKNOWN_SPAN


def test_being_the_same_is_being_the_same_object():
    x = scalar("x")
    assert x.same_as(x)
    assert not x.same_as(scalar("x"))


def test_the_children_of_a_statement_come_in_the_order_of_evaluation():
    x, y = scalar("x"), scalar("y")
    assert list(iter_children(assign(x, y))) == [y, x]


def test_the_children_of_a_call_include_those_inside_attributes():
    x, y, z = scalar("x"), scalar("y"), scalar("z")
    made = ir.Call(ir.Op("o"), (x,), ir.EMPTY_MAP, frozen_map({"deps": (y, (z, 7)), "mark": "m"}))
    assert list(iter_children(made)) == [x, y, z]


def test_a_missing_child_is_no_child():
    branch = ir.IfStmt(scalar("c"), ir.BreakStmt(), None)
    assert [type(child).__name__ for child in iter_children(branch)] == ["Var", "BreakStmt"]


@pytest.mark.parametrize(
    ("kind", "level", "role"),
    [
        (ir.FunctionType.Orchestration, ir.Level.CHIP, ir.Role.Orchestrator),
        (ir.FunctionType.InCore, ir.Level.CHIP_DIE, ir.Role.SubWorker),
        (ir.FunctionType.AIV, ir.Level.AIV, ir.Role.SubWorker),
        (ir.FunctionType.Opaque, None, None),
    ],
)
def test_level_and_role_follow_from_the_kind_of_function(kind: ir.FunctionType, level: object, role: object):
    made = ir.Function("f", (), (), (), ir.SeqStmts(()), func_type=kind)
    assert (made.level, made.role) == (level, role)


def test_a_given_level_stays():
    made = ir.Function("f", (), (), (), ir.SeqStmts(()), func_type=ir.FunctionType.InCore, level=ir.Level.HOST)
    assert (made.level, made.role) == (ir.Level.HOST, ir.Role.SubWorker)


def test_every_parameter_needs_a_direction():
    with pytest.raises(InternalError, match="1 parameters but 0 directions"):
        ir.Function("f", (scalar("x"),), (), (), ir.SeqStmts(()))


def named(name: str) -> ir.Function:
    return ir.Function(name, (), (), (), ir.SeqStmts(()))


def test_functions_of_a_program_are_in_name_order():
    b, a = named("b"), named("a")
    made = ir.Program((b, a), "P")  # type: ignore[arg-type]  # a sequence is turned into the mapping
    assert list(made.functions.values()) == [a, b]
    assert made.get_function("b") is b
    assert made.get_function("c") is made.get_global_var("c") is None
    assert made.get_global_var("a") == ir.GlobalVar("a")


def test_a_program_refuses_two_functions_of_one_name():
    with pytest.raises(InternalError, match="two functions named f"):
        ir.Program((named("f"), named("f")), "P")  # type: ignore[arg-type]  # as above


def test_a_program_with_its_own_functions_is_itself():
    made = ir.Program((named("a"), named("b")), "P")  # type: ignore[arg-type]  # as above
    assert made.with_functions(tuple(made.functions.values())) is made
    assert made.with_functions([named("a")]) is not made


def test_a_sequence_of_one_statement_stands_alone():
    stop = ir.BreakStmt()
    assert ir.sequence([ir.SeqStmts((stop,))]) is stop
    assert ir.statements(stop) == ir.statements(ir.SeqStmts((stop,))) == (stop,)
    assert ir.statements(None) == ()


def test_sequences_inside_sequences_are_laid_out_flat():
    one, two, three = (assign(scalar(name), number(0)) for name in "abc")
    nested = ir.sequence([ir.SeqStmts((one, ir.SeqStmts((two,)))), three])
    assert ir.statements(nested) == (one, two, three)


def test_the_type_of_an_operator_is_its_dtype():
    assert ir.Add(scalar("x"), number(1), INDEX).type is ir.scalar_type(INDEX)
