# SPDX-License-Identifier: Apache-2.0
"""Which statements of a region must stay before which."""

from pypto_build import ir
from pypto_build.analysis.statement_dependencies import dependency_graph
from tests.unit.ir.build import assign, function, loop, number, op, scalar, seq

A, B, C, D = (scalar(name) for name in "abcd")


def plus(left: ir.Expr, right: ir.Expr | None = None) -> ir.Expr:
    """A sum."""
    return ir.Add(left, right if right is not None else number(1), ir.DataType.INDEX)


def before(*stmts: ir.Stmt) -> list[set[int]]:
    """For each statement the positions of those that must come before it."""
    return [set(positions) for positions in dependency_graph(seq(*stmts)).predecessors]


def test_a_chain_has_an_edge_per_link():
    """CIO-44: and no edge from the first to the last."""
    assert before(assign(A, number(0)), assign(B, plus(A)), assign(C, plus(B))) == [set(), {0}, {1}]


def test_a_statement_with_two_operands_waits_for_both():
    """CIO-44."""
    assert before(assign(A, number(0)), assign(B, number(1)), assign(C, plus(A, B))) == [set(), set(), {0, 1}]


def test_independent_statements_have_no_edge():
    """CIO-44."""
    assert before(assign(A, number(0)), assign(B, number(1))) == [set(), set()]


def test_a_value_from_outside_gives_no_edge():
    """CIO-44."""
    assert before(assign(A, plus(D)), assign(B, plus(D))) == [set(), set()]


def test_successors_are_predecessors_seen_from_the_other_side():
    """CIO-44."""
    graph = dependency_graph(seq(assign(A, number(0)), assign(B, plus(A)), assign(C, plus(A))))
    assert graph.successors() == ((1, 2), (), ())


def test_what_is_used_inside_of_a_compound_statement_is_used_by_it():
    """CIO-42: two levels deep."""
    inner = loop(scalar("i"), number(2), ir.IfStmt(ir.Eq(D, number(0), ir.DataType.BOOL), assign(B, plus(A))))
    assert before(assign(A, number(0)), inner) == [set(), {0}]


def test_what_is_defined_inside_of_a_compound_statement_is_defined_by_it():
    """CIO-42: a result of the loop, and a variable in its body."""
    inner = loop(scalar("i"), number(2), assign(B, number(1)), return_vars=(C,))
    assert before(inner, assign(A, plus(B)), assign(D, plus(C))) == [set(), {0}, {0}]


def test_the_bounds_of_a_loop_are_used_by_it():
    """CIO-42."""
    assert before(assign(A, number(4)), loop(scalar("i"), A, assign(B, number(0)))) == [set(), {0}]


def test_a_compound_statement_does_not_wait_for_itself():
    """CIO-42."""
    assert before(loop(scalar("i"), number(2), assign(A, number(0)), assign(B, plus(A)))) == [set()]


def test_a_body_that_is_no_sequence_is_one_node():
    """CIO-43."""
    only = loop(scalar("i"), number(2), assign(A, number(0)), assign(B, plus(A)))
    graph = dependency_graph(only)
    assert graph.stmts == (only,)
    assert graph.predecessors == (frozenset(),)


def test_memory_gives_no_edge():
    """CIO-46: the second store does not use the result of the first."""
    out = scalar("out")
    stores = [ir.EvalStmt(op("tile.store", value, out)) for value in (A, B)]
    assert before(assign(A, number(0)), assign(B, number(1)), *stores) == [set(), set(), {0}, {1}]


def test_the_extents_in_a_type_are_used():
    tile = ir.Var("t", ir.TileType(ir.dims((A, 4)), ir.DataType.FP32))
    assert before(assign(A, number(8)), assign(tile, op("any.op"))) == [set(), {0}]


def test_uses_come_in_order_of_first_appearance():
    body = function("f", (), assign(C, plus(B, A)), assign(D, plus(A, B))).body
    assert [var for var in ir.used_vars(body) if var in (A, B)] == [B, A]
