# SPDX-License-Identifier: Apache-2.0
"""NormalizeStmtStructure: flat sequences, and none of one statement."""

import pytest
from pypto_passes.normalize_stmt_structure import (
    NormalizeStmtStructure,
    verify_no_redundant_blocks,
    verify_normalized,
)

from pypto_build import ir
from pypto_build.passes import IRProperty, PassContext, apply_pass
from tests.passes.programs import assert_unchanged
from tests.unit.ir.build import assign, function, give, number, program, scalar, seq

V, W, FLAG = scalar("v"), scalar("w"), scalar("flag", ir.DataType.BOOL)
ONE, TWO = assign(V, number(1)), assign(W, number(2))


def normal(*stmts):
    """The body of a function after the pass."""
    made = apply_pass(NormalizeStmtStructure(), program(function("f", (FLAG,), *stmts)))
    return made.functions[ir.GlobalVar("f")].body


def found(verifier, *stmts):
    return [one.message for one in verifier(program(function("f", (FLAG,), *stmts)), PassContext())]


def test_its_contract():
    assert NormalizeStmtStructure.requires == frozenset()
    assert NormalizeStmtStructure.produces == {IRProperty.NormalizedStmtStructure}


def test_sequences_in_sequences_are_spliced_in():
    assert normal(seq(ONE, seq(TWO)), give(V)).stmts[:2] == (ONE, TWO)


def test_a_sequence_of_one_statement_is_that_statement():
    assert normal(seq(ONE)) is ONE


def test_empty_sequences_between_statements_vanish():
    assert normal(ONE, seq(), TWO).stmts == (ONE, TWO)


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda body: ir.IfStmt(FLAG, body, body, ()),
        lambda body: ir.ForStmt(scalar("i"), number(0), number(4), number(1), (), body, ()),
        lambda body: ir.WhileStmt(FLAG, (), body, ()),
        ir.ClusterScopeStmt,
    ],
    ids=["if", "for", "while", "scope"],
)
def test_bodies_of_statements_become_flat(wrapped):
    made = normal(wrapped(seq(seq(ONE), seq(seq(TWO)))))
    assert all(inner.stmts == (ONE, TWO) for inner in ir.collect(made, ir.SeqStmts))


def test_a_flat_function_is_the_same_object():
    branch = ir.IfStmt(FLAG, ONE, seq(ONE, TWO), ())
    assert_unchanged(NormalizeStmtStructure(), program(function("f", (FLAG,), branch, give(V))))


SINGLE = "SeqStmts with a single child in function 'f': the statement should stand alone"
NESTED = "SeqStmts nested in SeqStmts in function 'f': the sequence should be flat"


@pytest.mark.parametrize("verifier", [verify_normalized, verify_no_redundant_blocks])
def test_both_verifiers_find_what_the_pass_would_change(verifier):
    assert found(verifier, ONE, TWO) == []
    assert found(verifier, ONE) == [SINGLE]
    assert found(verifier, ONE, seq(ONE, TWO)) == [NESTED]


def test_a_yield_before_the_end_of_a_sequence_is_found():
    message = "YieldStmt before the terminating position of a sequence in function 'f'"
    assert found(verify_no_redundant_blocks, ir.YieldStmt((V,)), ONE) == [message]
