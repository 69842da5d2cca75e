# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F841, RET504, SIM108  # kernels are read, never run: their names and forms are the subject
"""Loops, branches, results and the names that leave them."""

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import (
    InvalidOperationError,
    ParserSyntaxError,
    ParserTypeError,
    SSAViolationError,
    UndefinedVariableError,
)
from pypto_build.ir import ForKind, ForStmt, IfStmt, WhileStmt, YieldStmt, collect


def test_a_loop_without_carried_values_assigns_the_same_variable_again():
    @pl.function
    def count(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        x: pl.Scalar[pl.INT64] = 0
        for i in pl.range(n):
            x = x + i
        return x

    first, loop, last = count.body.stmts
    assert loop.body.var is first.var
    assert last.value[0] is first.var


def test_carried_values_come_out_under_the_names_of_the_yield():
    @pl.function
    def total(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        for i, (acc,) in pl.range(0, n, 2, init_values=(n,)):
            out = pl.yield_(acc + i)
        return out

    loop, last = total.body.stmts
    assert loop.iter_args[0].init_value is total.params[0]
    assert [var.name_hint for var in loop.return_vars] == ["out"]
    assert last.value[0] is loop.return_vars[0]


def test_a_loop_that_yields_keeps_its_other_names_to_itself():
    with pytest.raises(UndefinedVariableError, match="Undefined variable 'inner'"):

        @pl.function
        def leak(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
            for i, (acc,) in pl.range(n, init_values=(n,)):
                inner = acc + i
                out = pl.yield_(inner)
            return inner


def test_names_of_a_plain_loop_leave_it():
    @pl.function
    def leak(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        for i in pl.range(n):
            last = i + n
        return last

    loop, end = leak.body.stmts
    assert end.value[0] is loop.body.var


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("pl.range(4)", ForKind.Sequential),
        ("pl.parallel(4)", ForKind.Parallel),
        ("pl.unroll(4)", ForKind.Unroll),
        ("pl.pipeline(4, stage=2)", ForKind.Pipeline),
    ],
)
def test_each_loop_function_makes_its_kind_of_loop(text, kind):
    function = pl.parse(f"@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n    for i in {text}:\n        m = n + i\n")
    (loop,) = collect(function, ForStmt)
    assert loop.kind is kind
    assert loop.attrs == ({"pipeline_stages": 2} if kind is ForKind.Pipeline else {})


def test_a_while_loop_carries_values_when_it_is_written_as_one():
    @pl.function
    def count(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        for (x,) in pl.while_(init_values=(n,)):
            pl.cond(x < 10)
            y = pl.yield_(x + 1)
        return y

    (loop,) = collect(count, WhileStmt)
    assert loop.condition.left is loop.iter_args[0]
    assert loop.return_vars[0].name_hint == "y"


def test_both_branches_of_an_if_hand_out_the_same_names():
    @pl.function
    def pick(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        if n > 3:
            r = pl.yield_(n + 1)
        else:
            r = pl.yield_(n)
        return r

    branch, last = pick.body.stmts
    assert isinstance(branch.then_body, YieldStmt)
    assert last.value[0] is branch.return_vars[0]


def test_an_elif_chain_hands_its_results_on():
    @pl.function
    def pick(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        if n > 3:
            r = pl.yield_(n + 1)
        elif n > 2:
            r = pl.yield_(n + 2)
        else:
            r = pl.yield_(n)
        return r

    outer, inner = collect(pick, IfStmt)
    assert outer.else_body.stmts[1].value == inner.return_vars


REFUSED = [
    ("for i in range(4):\n        pass", ParserSyntaxError, r"must use pl\.range\(\)"),
    ("for i in pl.pipeline(4):\n        pass", ParserSyntaxError, "requires stage="),
    ("for i, (a,) in pl.unroll(4, init_values=(n,)):\n        pass", ParserSyntaxError, "combined with init_values"),
    ("for i in pl.unroll(n):\n        pass", ParserSyntaxError, "compile-time constant integer bounds"),
    ("for i in pl.range(4, init_values=(n,)):\n        pass", ParserSyntaxError, "target must be"),
    ("for i, (a, b) in pl.range(4, init_values=(n,)):\n        pass", ParserSyntaxError, "Mismatch"),
    ("for i, (a,) in pl.range(4, init_values=(n,)):\n        pl.yield_(a)", ParserSyntaxError, "assignment-form"),
    ("for i in pl.parallel(4):\n        break", InvalidOperationError, "parallel"),
    ("for i in pl.unroll(4):\n        continue", InvalidOperationError, "unrolled"),
    ("if n:\n        pass", ParserTypeError, "if condition must be a Bool-typed scalar"),
    ("while 1:\n        pass", ParserTypeError, "while condition must be a Bool-typed scalar"),
    ("for (x,) in pl.while_(init_values=(n,)):\n        x = x + 1", ParserSyntaxError, r"must be pl\.cond"),
    ("n = n < 2", ParserTypeError, "Cannot reassign 'n' with a different type"),
]


@pytest.mark.parametrize(("body", "kind", "message"), REFUSED)
def test_what_the_language_has_not_is_refused_at_its_place(body, kind, message):
    text = f"@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n    {body}\n"
    with pytest.raises(kind, match=message) as caught:
        pl.parse(text, filename="refused.py")
    assert caught.value.span.filename == "refused.py"
    assert caught.value.span.begin_line >= 3


def test_strict_functions_assign_each_name_once_and_show_the_first_place():
    with pytest.raises(SSAViolationError, match="'x' is already defined") as caught:

        @pl.function(strict_ssa=True)
        def twice(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
            x = n + 1
            x = n + 2
            return x

    assert caught.value.previous_span.begin_line == caught.value.span.begin_line - 1


def test_strict_functions_assign_a_name_of_an_outer_block_to_the_same_variable():
    @pl.function(strict_ssa=True)
    def once(flag: pl.Scalar[pl.BOOL]) -> pl.Scalar[pl.INT64]:
        x: pl.Scalar[pl.INT64] = 1
        if flag:
            x: pl.Scalar[pl.INT64] = 2
        return x

    first, branch, _ = once.body.stmts
    assert branch.then_body.var is first.var
