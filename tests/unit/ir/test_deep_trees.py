# SPDX-License-Identifier: Apache-2.0
"""Trees that are deeper than the interpreter's own limit for recursion."""

from __future__ import annotations

from functools import reduce

from pypto_build.ir import (
    Add,
    DataType,
    Expr,
    Function,
    ParamDirection,
    Program,
    ReturnStmt,
    Var,
    collect,
    const_index,
    decode,
    encode,
    function_digest,
    scalar_type,
    structural_equal,
    substitute,
)

LEVELS = 5_000
INDEX = scalar_type(DataType.INDEX)


def chain(start: Expr) -> Expr:
    return reduce(lambda sum_, _: Add(sum_, const_index(1), DataType.INDEX), range(LEVELS), start)


def function(var: Var) -> Function:
    return Function("deep", (var,), (ParamDirection.In,), (INDEX,), ReturnStmt((chain(var),)))


def test_equal_deep_functions_are_equal() -> None:
    assert structural_equal(function(Var("a", INDEX)), function(Var("b", INDEX)))


def test_a_deep_function_has_a_digest() -> None:
    var = Var("a", INDEX)
    assert function_digest(function(var)) == function_digest(function(var))


def test_a_deep_expression_is_walked_and_rewritten() -> None:
    old, new = Var("a", INDEX), Var("b", INDEX)
    rewritten = substitute(chain(old), {old: new})
    assert structural_equal(rewritten, chain(new))
    assert len(collect(rewritten, Add)) == LEVELS


def test_a_deep_program_is_stored_and_read() -> None:
    program = Program((function(Var("a", INDEX)),), "deep")
    assert structural_equal(decode(encode(program)), program)
