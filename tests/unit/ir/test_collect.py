# SPDX-License-Identifier: Apache-2.0
"""What is below a node: nodes of some classes, definitions, uses."""

from __future__ import annotations

from pypto_build import ir
from pypto_build.ir import collect, defined_vars, used_vars
from tests.unit.ir.build import FP32, INDEX, number, scalar

N, X, Y = scalar("n"), scalar("x"), scalar("y")
LOOP = ir.ForStmt(
    scalar("i"),
    number(0),
    N,
    number(1),
    (ir.IterArg("acc", ir.scalar_type(INDEX), init_value=X),),
    ir.YieldStmt((Y,)),
    (scalar("r"),),
)


def test_nodes_come_outer_before_inner():
    inner = ir.Add(X, Y, INDEX)
    outer = ir.Add(inner, N, INDEX)
    assert collect(ir.EvalStmt(outer), ir.Add) == [outer, inner]


def test_several_classes_can_be_asked_for():
    assert [type(node) for node in collect(LOOP, ir.YieldStmt, ir.ForStmt)] == [ir.ForStmt, ir.YieldStmt]


def test_every_use_of_a_variable_is_found_when_variables_are_asked_for():
    assert collect(ir.EvalStmt(ir.Add(X, X, INDEX)), ir.Var) == [X, X]


def test_definitions_are_loop_variables_carried_values_and_results():
    assert [var.name_hint for var in defined_vars([LOOP])] == ["i", "acc", "r"]


def test_uses_come_in_order_of_first_use_without_definitions():
    assert list(used_vars(LOOP)) == [N, X, Y]


def test_symbols_of_types_are_used():
    kind = ir.TensorType((N, number(4)), FP32)
    assert list(used_vars(kind)) == [N]
    assert list(used_vars(ir.AssignStmt(ir.Var("t", kind), X))) == [X, N]
