# SPDX-License-Identifier: Apache-2.0
"""`if`: both branches may hand out results under the same names; a `@pl.jit` one that is decided now is one branch."""

from __future__ import annotations

import ast
from typing import cast

from pypto_build.dsl.conditions import condition
from pypto_build.dsl.context import Block, Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.local_constants import decision
from pypto_build.dsl.yields import results
from pypto_build.ir import IfStmt, Stmt, YieldStmt


def read_if(context: Context, node: ast.stmt) -> None:
    """`if condition: ... else: ...`"""
    branch = cast("ast.If", node)
    end = context.comments.limit if context.comments else 0
    then_end = context.comments.else_line(branch) if context.comments and branch.orelse else end
    decided = decision(context, branch)
    if decided is not None:
        context.statements(branch.body if decided else branch.orelse, then_end if decided else end)
        return
    test = condition(context, branch.test, "if")
    span = context.span(node)
    then_block, then_body = _read_branch(context, branch.body, then_end)
    else_block: Block | None = None
    else_body: Stmt | None = None
    if branch.orelse:
        else_block, else_body = _read_branch(context, branch.orelse, end, expected=then_block.yield_names)
        _check_names(context, branch, then_block, other=else_block)
    return_vars = results(context, then_block, span)
    context.emit(IfStmt(test, then_body, else_body, return_vars, span))


def _read_branch(
    context: Context, body: list[ast.stmt], end: int, *, expected: tuple[str, ...] | None = None
) -> tuple[Block, Stmt]:
    context.scope.enter()
    with context.block("if") as block:
        context.statements(body, end)
        if expected and block.yield_names is None and len(body) == 1 and isinstance(body[0], ast.If):
            _hand_on(context, block, expected, node=body[0])
    context.scope.leave(leak=block.yield_names is None)
    return block, context.body(block, context.span(body[0]))


def _hand_on(context: Context, block: Block, names: tuple[str, ...], *, node: ast.If) -> None:
    """The `else` of an `elif` chain hands on what the inner `if` handed out."""
    values = tuple(value for name in names if (value := context.scope.value(name)) is not None)
    if len(values) != len(names):
        return
    block.yield_names = names
    block.yield_types = tuple(value.type for value in values)
    block.stmts.append(YieldStmt(values, context.span(node)))


def _check_names(context: Context, node: ast.If, block: Block, *, other: Block) -> None:
    if block.yield_names == other.yield_names:
        return
    ours, theirs = (", ".join(names or ()) or "nothing" for names in (block.yield_names, other.yield_names))
    context.fail(
        ParserSyntaxError,
        f"Mismatch: the branches of an if must yield to the same names, got {ours} and {theirs}",
        node,
    )
