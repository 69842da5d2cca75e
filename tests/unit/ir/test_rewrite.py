# SPDX-License-Identifier: Apache-2.0
"""Walking and rewriting: each class field by field, and the same object back when nothing changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pypto_build import ir
from pypto_build.ir.node import Entity, FieldRole, Node
from pypto_build.ir.rewrite import method_name, rebuilt
from tests.unit.ir.build import FP32, INDEX, assign, give, number, scalar, seq, tensor
from tests.unit.ir.changes import BUFFER, CLASSES, REF, SAMPLES, TENSOR_VIEW, TILE_VIEW

OLD, NEW = scalar("old"), scalar("new")
DIMENSIONS = (OLD, number(16))
TYPED = ir.TensorType(DIMENSIONS, FP32)
OLD_BUFFER, NEW_BUFFER = BUFFER.replace(size=number(8)), BUFFER.replace(load_from_host=True)
REWRITER_CLASSES = [cls for cls in CLASSES if issubclass(cls, Node)]


@pytest.mark.parametrize("cls", REWRITER_CLASSES)
def test_a_rewrite_without_a_change_returns_the_same_object(cls: type[Node]):
    sample = SAMPLES[cls]
    assert ir.Rewriter({OLD: NEW}).visit(sample) is sample
    assert ir.Rewriter({OLD: NEW}).visit_node(sample) is sample


MADE: dict[str, object] = {
    "memref": REF.replace(byte_offset=OLD),
    "tensor_view": TENSOR_VIEW.replace(valid_shape=DIMENSIONS),
    "tile_view": TILE_VIEW.replace(valid_shape=DIMENSIONS),
    "window_buffer": OLD_BUFFER,
    "slots": (OLD_BUFFER,),
    "stmts": (ir.BreakStmt(), ir.EvalStmt(OLD)),
    "iter_args": (ir.IterArg("acc", ir.scalar_type(INDEX), init_value=OLD),),
}
BY_ROLE: dict[FieldRole, object] = {
    FieldRole.CHILD: OLD,
    FieldRole.CHILDREN: (number(1), OLD),
    FieldRole.TYPE: TYPED,
    FieldRole.TYPES: (TYPED,),
    FieldRole.DEFINITION: ir.Var("d", TYPED),
    FieldRole.DEFINITIONS: (ir.Var("d", TYPED), ir.Var("e", TYPED)),
    FieldRole.ATTRS: ir.frozen_map({"deps": (1, OLD)}),
}


def holding(sample: Entity, field: str, role: FieldRole) -> Entity:
    """The sample with the old Var inside one field."""
    value = MADE.get(field, BY_ROLE[role])
    if isinstance(getattr(sample, field), ir.Stmt):
        value = ir.EvalStmt(OLD)
    return sample.replace(**{field: value})


@pytest.mark.parametrize(("cls", "row"), [(cls, row) for cls in CLASSES for row in cls.WALKED])
def test_every_field_that_holds_nodes_is_rewritten_and_no_other(cls: type[Entity], row: ir.FieldSpec):
    before = holding(SAMPLES[cls], row.name, row.role)
    rewriter = ir.Rewriter({OLD: NEW, OLD_BUFFER: NEW_BUFFER})
    after = rewriter.visit_node(before)
    assert type(after) is cls
    assert getattr(after, row.name) is not getattr(before, row.name)
    assert [one.name for one in cls.FIELDS if getattr(after, one.name) is not getattr(before, one.name)] == [row.name]


def test_a_use_follows_the_substitution():
    before = assign(scalar("x"), ir.Add(OLD, number(1), INDEX))
    after = ir.substitute(before, {OLD: NEW})
    assert after.value.left is NEW  # type: ignore[attr-defined]  # the same classes as before
    assert after.value.right is before.value.right  # type: ignore[attr-defined]  # as above
    assert after.var is before.var


def test_an_empty_substitution_returns_the_same_object():
    before = assign(scalar("x"), OLD)
    assert ir.substitute(before, {}) is before


def test_a_definition_whose_type_changes_takes_its_uses_along():
    x = ir.Var("x", TYPED)
    after = ir.substitute(seq(assign(x, OLD), give(x)), {OLD: NEW})
    defined = after.stmts[0].var  # type: ignore[attr-defined]  # the same classes as before
    assert defined is not x
    assert defined.type == ir.TensorType((NEW, number(16)), FP32)
    assert after.stmts[1].value == (defined,)  # type: ignore[attr-defined]  # as above


def test_types_stay_when_the_rewriter_leaves_them():
    class Values(ir.Rewriter):
        REWRITES_TYPES = False

    before = assign(ir.Var("x", TYPED), number(1))
    assert Values({OLD: NEW}).visit(before) is before


def test_a_shared_memory_reference_is_rewritten_once():
    ref = REF.replace(byte_offset=OLD)
    first, second = (ir.Var(name, ir.TensorType((number(8),), FP32, ref)) for name in "ab")
    after = ir.substitute(seq(assign(first, number(1)), assign(second, number(2))), {OLD: NEW})
    one, two = (stmt.var.type.memref for stmt in after.stmts)  # type: ignore[attr-defined]  # as above
    assert one is two
    assert one.byte_offset is NEW


class Replacing(ir.Rewriter):
    """Every evaluation becomes what the test says."""

    def __init__(self, replacement: object) -> None:
        super().__init__()
        self.replacement = replacement

    def visit_eval_stmt(self, _stmt: ir.EvalStmt) -> object:
        return self.replacement


STOP, GO = ir.BreakStmt(), ir.ContinueStmt()


@pytest.mark.parametrize(
    ("replacement", "left"),
    [(None, (GO,)), (STOP, (STOP, GO)), ((STOP, STOP), (STOP, STOP, GO)), (seq(STOP, STOP), (STOP, STOP, GO))],
)
def test_a_statement_becomes_none_one_or_several(replacement: object, left: tuple[ir.Stmt, ...]):
    after = Replacing(replacement).visit(seq(ir.EvalStmt(OLD), GO))
    assert ir.statements(after) == left


@pytest.mark.parametrize(("replacement", "left"), [(None, ()), ((STOP, GO), (STOP, GO)), (STOP, (STOP,))])
def test_a_body_of_one_statement_becomes_none_one_or_several(replacement: object, left: tuple[ir.Stmt, ...]):
    after = Replacing(replacement).visit(ir.RuntimeScopeStmt(ir.EvalStmt(OLD)))
    assert ir.statements(after.body) == left


def test_functions_of_a_program_may_be_dropped_and_added():
    class Doubling(ir.Rewriter):
        def visit_function(self, function: ir.Function) -> object:
            return None if function.name == "a" else (function, function.replace(name="c"))

    functions = [ir.Function(name, (), (), (), seq()) for name in "ab"]
    after = Doubling().visit(ir.Program(functions, "P"))  # type: ignore[arg-type]  # a sequence may be given
    assert [function.name for function in after.functions.values()] == ["b", "c"]


def test_a_clone_defines_new_variables_throughout():
    x, y = scalar("x"), scalar("y")
    loop_var, acc = scalar("i"), ir.IterArg("acc", x.type, init_value=x)
    inner = ir.ForStmt(loop_var, number(0), x, number(1), (acc,), ir.YieldStmt((acc,)), (y,))
    before = seq(assign(x, OLD), inner, give(y))
    after, mapping = ir.clone_fresh(before, {OLD: NEW})
    old_vars, new_vars = ir.defined_vars([before]), ir.defined_vars([after])
    assert [var.name_hint for var in new_vars] == [var.name_hint for var in old_vars] == ["x", "i", "acc", "y"]
    assert not set(old_vars) & set(new_vars)
    assert [mapping[var] for var in old_vars] == new_vars
    assert ir.collect(after, ir.ReturnStmt)[0].value == (new_vars[-1],)
    assert OLD not in ir.collect(after, ir.Var)


def test_nodes_are_collected_outer_before_inner():
    inner = ir.WhileStmt(OLD, (), STOP, ())
    outer = ir.WhileStmt(OLD, (), seq(inner, GO), ())
    assert ir.collect(outer, ir.WhileStmt) == [outer, inner]
    assert ir.collect(outer, ir.BreakStmt, ir.ContinueStmt) == [STOP, GO]


def test_a_value_is_walked_before_the_variable_it_defines():
    x = scalar("x")
    assert ir.collect(assign(x, OLD), ir.Var) == [OLD, x]


class Recording(ir.Visitor):
    """Which method saw what."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def visit_add(self, node: ir.Add) -> None:
        self.seen.append("add")
        self.visit_node(node)

    def visit_binary_expr(self, node: ir.BinaryExpr) -> None:
        self.seen.append("binary")
        self.visit_node(node)

    def visit_scope_stmt(self, node: ir.ScopeStmt) -> None:
        self.seen.append("scope")
        self.visit_node(node)

    def visit_var(self, var: ir.Var) -> None:
        self.seen.append(var.name_hint)


def test_a_class_without_a_method_falls_back_to_its_base():
    recording = Recording()
    recording.visit(ir.ClusterScopeStmt(ir.EvalStmt(ir.Add(ir.Mul(OLD, NEW, INDEX), OLD, INDEX))))
    assert recording.seen == ["scope", "add", "binary", "old", "new", "old"]


@pytest.mark.parametrize(
    ("cls", "name"),
    [(ir.ForStmt, "visit_for_stmt"), (ir.MemRef, "visit_mem_ref"), (ir.TupleGetItemExpr, "visit_tuple_get_item_expr")],
)
def test_a_method_is_named_for_its_class(cls: type, name: str):
    assert method_name(cls) == name


@pytest.mark.parametrize(("walks", "seen"), [(False, []), (True, ["old"])])
def test_a_visitor_looks_into_types_when_asked(walks: bool, seen: list[str]):
    class Types(Recording):
        WALKS_TYPES = walks

    recording = Types()
    recording.visit(assign(ir.Var("x", TYPED), number(1)))
    assert recording.seen == seen


def test_two_rewriters_do_not_share_their_methods():
    class One(ir.Rewriter):
        def visit_const_int(self, value: ir.ConstInt) -> ir.Expr:
            return number(value.value + 1)

    stmt = ir.EvalStmt(number(1))
    assert ir.Rewriter().visit(stmt) is stmt
    assert One().visit(stmt).expr.value == 2


def test_what_does_not_change_stays_the_same_object_and_empty_fields_are_passed_over():
    seen: list[object] = []

    class Noting(ir.Rewriter):
        def visit_node(self, node: Node) -> Node:
            seen.append(node)
            return super().visit_node(node)

    one, two = number(1), number(2)
    call = ir.Call(ir.Op("o"), (one,), attrs=ir.frozen_map({"kept": two}))
    assert Noting().visit(call) is call
    assert seen == [call, one, two]


def test_a_rebuilt_node_keeps_what_is_not_changed():
    before = ir.IfStmt(OLD, STOP, GO, leading_comments=("why",))
    after = rebuilt(before, {"else_body": None})
    assert (after.condition, after.then_body, after.else_body, after.leading_comments) == (OLD, STOP, None, ("why",))


@pytest.mark.parametrize("walk", [lambda node: ir.substitute(node, {OLD: NEW}), lambda node: ir.collect(node, ir.Var)])
def test_a_long_sequence_is_no_limit(walk: Callable[[Node], object]):
    assert walk(seq(*(ir.EvalStmt(OLD) for _ in range(20_000))))


def test_a_tensor_keeps_its_identity_through_a_rewrite_of_others():
    kept, moved = tensor("kept", 8), ir.Var("moved", TYPED)
    after = ir.substitute(seq(assign(kept, OLD), assign(moved, kept)), {OLD: NEW})
    assert ir.defined_vars([after])[0] is kept
