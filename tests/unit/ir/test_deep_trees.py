# SPDX-License-Identifier: Apache-2.0
"""Trees that are deeper than the interpreter's own limit for recursion."""

from __future__ import annotations

from functools import reduce

from pypto_build.deep_stack import on_deep_stack
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
    assert on_deep_stack(lambda: structural_equal(function(Var("a", INDEX)), function(Var("b", INDEX))))


def test_a_deep_function_has_a_digest() -> None:
    var = Var("a", INDEX)
    first, second = (on_deep_stack(lambda: function_digest(function(var))) for _ in range(2))
    assert first == second


def test_a_deep_expression_is_walked_and_rewritten() -> None:
    old, new = Var("a", INDEX), Var("b", INDEX)
    rewritten = on_deep_stack(lambda: substitute(chain(old), {old: new}))
    assert on_deep_stack(lambda: structural_equal(rewritten, chain(new)))
    assert on_deep_stack(lambda: len(collect(rewritten, Add))) == LEVELS


def test_a_deep_program_is_stored_and_read() -> None:
    program = Program((function(Var("a", INDEX)),), "deep")
    assert on_deep_stack(lambda: structural_equal(decode(encode(program)), program))
