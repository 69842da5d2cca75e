# SPDX-License-Identifier: Apache-2.0
"""The verifier of SSAForm: one message per way to break it."""

import pytest
from pypto_passes.verifiers.ssa_form import (
    ITER_ARGS_RETURN_VARS_MISMATCH,
    MISPLACED_YIELD,
    MISSING_YIELD,
    MULTIPLE_ASSIGNMENT,
    NAME_SHADOWING,
    SCOPE_VIOLATION,
    YIELD_COUNT_MISMATCH,
    verify_ssa_form,
)

from pypto_build import ir
from pypto_build.passes import PassContext
from tests.passes.ssa_programs import body
from tests.unit.ir.build import INT64, assign, function, give, loop, number, program, scalar, seq

ARG = ir.IterArg("s", ir.scalar_type(INT64), init_value=number(0, INT64))
V, R, INDEX = scalar("v", INT64), scalar("r", INT64), scalar("i")
FLAG = scalar("flag", ir.DataType.BOOL)


def found(*stmts):
    """Number and sentence of everything that the verifier finds in the statements of a function."""
    of = program(function("f", (FLAG,), *stmts))
    return [(one.error_code, one.message) for one in verify_ssa_form(of, PassContext())]


def over(*stmts, results=(R,)):
    return loop(INDEX, number(4), *stmts, iter_args=(ARG,), return_vars=results)


def repeated(*stmts, results=(R,)):
    return ir.WhileStmt(FLAG, (ARG,), seq(*stmts), results)


def test_it_finds_a_second_assignment():
    """SSA-66."""
    message = "Variable 'v' is assigned more than once (2 times), violating SSA form"
    assert found(assign(V, number(1)), assign(V, number(2))) == [(MULTIPLE_ASSIGNMENT, message)]


def test_it_finds_a_loop_that_binds_a_visible_variable():
    """SSA-66."""
    message = "Variable 'v' of a loop shadows the variable of an outer scope"
    assert found(assign(V, number(1)), loop(V, number(4), give(V))) == [(NAME_SHADOWING, message)]


def test_it_finds_a_carry_that_is_a_visible_variable():
    """SSA-66: a loop binds its carries too, whichever kind of loop it is."""
    message = "Variable 's' of a loop shadows the variable of an outer scope"
    inner = over(ir.YieldStmt((ARG,)), results=(V,))
    for one in (ir.rebuilt(inner, {"loop_var": scalar("j")}), repeated(ir.YieldStmt((ARG,)), results=(V,))):
        assert found(over(one, ir.YieldStmt((V,)))) == [(NAME_SHADOWING, message)]


def test_two_loops_in_a_row_with_one_variable_assign_it_twice():
    """SSA-66: neither loop stands in the other."""
    message = "Variable 'v' is assigned more than once (2 times), violating SSA form"
    loops = [loop(V, number(4), assign(scalar("w"), V)) for _ in range(2)]
    assert found(*loops) == [(MULTIPLE_ASSIGNMENT, message)]


def test_it_finds_a_loop_without_a_yield():
    """SSA-66."""
    message = "ForStmt with iter_args must have YieldStmt at the end of its body"
    assert found(over(assign(V, ARG), assign(scalar("w"), V))) == [(MISSING_YIELD, message)]


def test_it_finds_a_result_without_an_else():
    """SSA-66."""
    stmt = ir.IfStmt(FLAG, ir.YieldStmt((number(1),)), None, (R,))
    assert found(stmt) == [(MISSING_YIELD, "IfStmt with return_vars must have else branch")]


def test_it_finds_a_branch_without_a_yield():
    """SSA-66."""
    stmt = ir.IfStmt(FLAG, ir.YieldStmt((number(1),)), assign(V, number(2)), (R,))
    assert found(stmt) == [
        (MISSING_YIELD, "IfStmt else branch with return_vars must have YieldStmt at the end of its body")
    ]


def test_it_finds_carries_without_results():
    """SSA-66."""
    message = "ForStmt iter_args count (1) != return_vars count (0)"
    assert found(over(ir.YieldStmt((ARG,)), results=())) == [(ITER_ARGS_RETURN_VARS_MISMATCH, message)]


def test_it_finds_a_wrong_number_of_yielded_values():
    """SSA-66."""
    message = "ForStmt YieldStmt value count (2) != iter_args count (1)"
    assert found(over(ir.YieldStmt((ARG, ARG)))) == [(YIELD_COUNT_MISMATCH, message)]


@pytest.mark.parametrize(
    ("made", "code", "message"),
    [
        (
            repeated(assign(V, ARG), assign(scalar("w"), V)),
            MISSING_YIELD,
            "WhileStmt with iter_args must have YieldStmt at the end of its body",
        ),
        (
            repeated(ir.YieldStmt((ARG,)), results=()),
            ITER_ARGS_RETURN_VARS_MISMATCH,
            "WhileStmt iter_args count (1) != return_vars count (0)",
        ),
        (
            repeated(ir.YieldStmt((ARG, ARG))),
            YIELD_COUNT_MISMATCH,
            "WhileStmt YieldStmt value count (2) != iter_args count (1)",
        ),
        (
            ir.IfStmt(FLAG, assign(V, number(2)), ir.YieldStmt((number(1),)), (R,)),
            MISSING_YIELD,
            "IfStmt then branch with return_vars must have YieldStmt at the end of its body",
        ),
        (
            ir.IfStmt(FLAG, ir.YieldStmt((number(1),)), ir.YieldStmt(()), (R,)),
            YIELD_COUNT_MISMATCH,
            "IfStmt else branch YieldStmt value count (0) != return_vars count (1)",
        ),
    ],
    ids=["while without yield", "while without results", "while with two", "then without yield", "else with none"],
)
def test_it_asks_the_same_of_every_statement_that_yields(made, code, message):
    """SSA-66."""
    assert found(made) == [(code, message)]


def test_it_finds_a_yield_in_the_middle():
    """SSA-66."""
    message = "ForStmt has a YieldStmt before the terminating position of its body"
    assert found(over(ir.YieldStmt((ARG,)), ir.YieldStmt((ARG,)))) == [(MISPLACED_YIELD, message)]


def test_it_finds_a_use_outside_the_scope_of_its_definition():
    """SSA-66."""
    branch = ir.IfStmt(FLAG, assign(V, number(1)), None, ())
    assert found(branch, give(V)) == [(SCOPE_VIOLATION, "Variable 'v' used outside its defining scope")]


@pytest.mark.parametrize(
    "scope", [ir.RuntimeScopeStmt, lambda inner: ir.SplitAivScopeStmt(inner, ir.SplitMode.UP_DOWN)]
)
def test_it_finds_the_yield_inside_a_transparent_scope(scope):
    """SSA-66."""
    assert found(ir.rebuilt(over(), {"body": scope(seq(assign(V, ARG), ir.YieldStmt((V,))))})) == []


def test_it_is_content_with_ssa_form():
    """SSA-66."""
    text = """
        for i, (s,) in pl.range(4, init_values=(a,)):
            if flag:
                t = pl.yield_(s + i)
            else:
                t = pl.yield_(s)
            r = pl.yield_(t)
        return r
    """
    assert list(verify_ssa_form(body(text), PassContext())) == []
