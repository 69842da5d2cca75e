# SPDX-License-Identifier: Apache-2.0
"""Statements, branches and loops as text."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import (
    BOOL,
    FP32,
    INDEX,
    INT64,
    assign,
    call,
    function,
    give,
    loop,
    number,
    op,
    scalar,
    seq,
    tensor,
)

X, Y, K, N = scalar("x"), scalar("y"), scalar("i"), scalar("n")
SMALL = ir.Lt(X, number(10), BOOL)


def lines(*text: str) -> str:
    return "\n".join(text)


@pytest.mark.parametrize(
    ("stmt", "text"),
    [
        (assign(Y, X), "y: pl.Scalar[pl.INDEX] = x"),
        (assign(ir.Var("u", ir.UNKNOWN_TYPE), op("system.fence")), "u = pl.system.fence()"),
        (ir.EvalStmt(op("system.bar_v")), "pl.system.bar_v()"),
        (give(), "return"),
        (give(X), "return x"),
        (give(X, Y), "return x, y"),
        (give(ir.MakeTuple((X, Y))), "return [x, y]"),
        (ir.YieldStmt(), "pl.yield_()"),
        (ir.YieldStmt((X, Y)), "pl.yield_(x, y)"),
        (ir.BreakStmt(), "break"),
        (ir.ContinueStmt(), "continue"),
        (ir.InlineStmt("a = 1\nif a:\n    b = 2"), "a = 1\nif a:\n    b = 2"),
        (seq(), "pass"),
        (seq(assign(Y, X), seq(ir.BreakStmt())), "y: pl.Scalar[pl.INDEX] = x\nbreak"),
    ],
)
def test_every_plain_statement_has_its_text(stmt: ir.Stmt, text: str):
    assert python_print(stmt) == text == str(stmt)


def test_concise_text_leaves_out_types():
    assert python_print(assign(Y, X), concise=True) == "y = x"


def test_comments_stand_above_their_statement():
    stmt = ir.AssignStmt(Y, X, leading_comments=("first", "two\nlines", ""))
    assert python_print(stmt) == lines("# first", "# two", "# lines", "#", "y: pl.Scalar[pl.INDEX] = x")


def test_a_branch_without_results():
    stmt = ir.IfStmt(SMALL, assign(Y, X), seq())
    assert python_print(stmt) == lines("if x < 10:", "    y: pl.Scalar[pl.INDEX] = x", "else:", "    pass")


def test_a_branch_binds_its_result_in_both_arms():
    stmt = ir.IfStmt(SMALL, ir.YieldStmt((X,)), ir.YieldStmt((N,)), (Y,))
    bound = "    y: pl.Scalar[pl.INDEX] = pl.yield_"
    assert python_print(stmt) == lines("if x < 10:", f"{bound}(x)", "else:", f"{bound}(n)")


def test_several_results_have_no_types():
    stmt = ir.IfStmt(SMALL, ir.YieldStmt((X, N)), None, (Y, scalar("z")))
    assert python_print(stmt) == lines("if x < 10:", "    y, z = pl.yield_(x, n)")


def test_only_the_last_yield_binds():
    stmt = ir.IfStmt(SMALL, seq(ir.YieldStmt((N,)), ir.YieldStmt((X,))), None, (Y,))
    assert python_print(stmt, concise=True) == lines("if x < 10:", "    pl.yield_(n)", "    y = pl.yield_(x)")


@pytest.mark.parametrize(
    ("start", "step", "text"),
    [
        (number(0), number(1), "n"),
        (number(2), number(1), "2, n"),
        (number(0), number(2), "0, n, 2"),
        (X, number(1), "x, n"),
        (number(0), X, "0, n, x"),
        (number(0, INT64), number(1, INT64), "pl.const(0, pl.INT64), n, pl.const(1, pl.INT64)"),
    ],
)
def test_a_loop_states_no_more_bounds_than_needed(start: ir.Expr, step: ir.Expr, text: str):
    stmt = loop(K, N, start=start, step=step)
    assert python_print(stmt) == f"for i in pl.range({text}):\n    pass"


@pytest.mark.parametrize(
    ("kind", "name"),
    [(ir.ForKind.Sequential, "range"), (ir.ForKind.Parallel, "parallel"), (ir.ForKind.Unroll, "unroll")],
)
def test_every_kind_of_loop_has_its_function(kind: ir.ForKind, name: str):
    assert python_print(loop(K, N, kind=kind)).startswith(f"for i in pl.{name}(n):")


def test_a_pipeline_states_its_stages_and_other_attributes():
    attrs = ir.frozen_map({"pipeline_stages": 4, "deep": True})
    stmt = loop(K, N, kind=ir.ForKind.Pipeline, attrs=attrs)
    assert python_print(stmt).startswith('for i in pl.pipeline(n, stage=4, attrs={"deep": True}):')


def test_a_loop_carries_values():
    acc = ir.IterArg("acc", X.type, init_value=X)
    stmt = loop(K, N, ir.YieldStmt((ir.Add(acc, K, INDEX),)), iter_args=(acc,), return_vars=(Y,))
    assert python_print(stmt) == lines(
        "for i, (acc,) in pl.range(n, init_values=(x,)):", "    y: pl.Scalar[pl.INDEX] = pl.yield_(acc + i)"
    )


def test_a_loop_carries_several_values():
    args = tuple(ir.IterArg(name, X.type, init_value=X) for name in "ab")
    stmt = loop(K, N, iter_args=args)
    assert python_print(stmt).startswith("for i, (a, b) in pl.range(n, init_values=(x, x)):")


def test_a_while_loop_without_values_is_pythons():
    assert python_print(ir.WhileStmt(SMALL, (), ir.BreakStmt(), ())) == "while x < 10:\n    break"


def test_a_while_loop_with_values_states_its_condition_inside():
    acc = ir.IterArg("acc", X.type, init_value=X)
    stmt = ir.WhileStmt(ir.Lt(acc, N, BOOL), (acc,), ir.YieldStmt((acc,)), (Y,))
    assert python_print(stmt, concise=True) == lines(
        "for (acc,) in pl.while_(init_values=(x,)):", "    pl.cond(acc < n)", "    y = pl.yield_(acc)"
    )


def test_an_empty_while_loop_with_values_needs_no_pass():
    acc = ir.IterArg("acc", X.type, init_value=X)
    text = python_print(ir.WhileStmt(SMALL, (acc,), seq(), ()))
    assert text.endswith("pl.cond(x < 10)")


def test_a_yield_at_the_end_of_a_function_returns():
    assert python_print(function("f", (X,), ir.YieldStmt((X,)))).endswith("    return x")


def test_an_allocation_gives_its_name_to_references_after_it():
    base, out = ir.Var("mem_vec_3", ir.PTR_TYPE), tensor("out", 16)
    ref = ir.MemRef("mem_vec_3", base=base, byte_offset=number(0), size=64)
    view = ir.Var("t", ir.TileType(ir.dims((16,)), FP32, ref, None, ir.MemorySpace.Vec))
    alloc = assign(base, op("tile.alloc", number(1), number(64)))
    text = python_print(seq(alloc, assign(view, call("load", out))))
    assert text == lines(
        "mem_vec_3: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 64)",
        "t: pl.Tile[[16], pl.FP32, pl.MemRef(mem_vec_3, 0, 64), pl.Mem.Vec] = load(out)",
    )


def test_deeply_nested_loops_are_no_limit():
    stmt: ir.Stmt = ir.BreakStmt()
    for _ in range(3_000):
        stmt = ir.WhileStmt(SMALL, (), stmt, ())
    assert python_print(stmt).count("while x < 10:") == 3_000
