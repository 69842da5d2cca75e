# SPDX-License-Identifier: Apache-2.0
"""`for lane in pl.split_aiv(2, mode=...)`: regions divided between the two vector cores."""

from __future__ import annotations

import ast
from typing import Final

from pypto_build.dsl.bindings import assign_name
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.dumps import tagged
from pypto_build.dsl.kernels import read_attrs
from pypto_build.dsl.scope_options import read_name_hint
from pypto_build.ir import (
    Expr,
    FunctionType,
    InCoreScopeStmt,
    SplitAivScopeStmt,
    SplitMode,
    Stmt,
    as_int,
    frozen_map,
)

_KERNELS: Final = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


def read_split_aiv_loop(context: Context, loop: ast.For, call: ast.Call) -> None:
    """`for lane in pl.split_aiv(2, mode=...):`"""
    target = single_target(context, loop, "split_aiv")
    mode: SplitMode | None = None
    count = context.value(call.args[0]) if len(call.args) == 1 else None
    name_hint = ""
    attrs: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg == "mode":
            found = context.value(keyword.value)
            mode = found if isinstance(found, SplitMode) else None
        elif keyword.arg == "name_hint":
            name_hint = read_name_hint(context, keyword.value)
        elif keyword.arg == "attrs":
            attrs = read_attrs(context, keyword.value)
        else:
            context.fail(ParserSyntaxError, f"pl.split_aiv() does not accept '{keyword.arg}='", keyword)
    if (as_int(count) if isinstance(count, Expr) else count) != 2:
        context.fail(ParserSyntaxError, "pl.split_aiv() requires n == 2: there are two vector cores", call)
    if mode is None:
        context.fail(ParserSyntaxError, "pl.split_aiv() requires mode=pl.SplitMode.<mode>", call)
    if context.inside("split_aiv"):
        context.fail(ParserSyntaxError, "A nested pl.split_aiv() is not supported", call)
    body = indexed_body(context, loop, target, kind="split_aiv", operation="get_subblock_idx", split=mode)
    span = context.span(loop)
    region = SplitAivScopeStmt(body, mode, 2, name_hint, frozen_map(attrs), span)
    if context.facts.func_type in _KERNELS or context.inside("in_core", "spmd", "spmd_with"):
        context.emit(region)
        return
    marked = tagged(context)
    context.emit(InCoreScopeStmt(region, "", SplitMode.NONE, frozen_map({"dump_vars": marked} if marked else {}), span))


def single_target(context: Context, loop: ast.For, name: str) -> ast.Name:
    if not isinstance(loop.target, ast.Name):
        context.fail(ParserSyntaxError, f"pl.{name}() takes a single loop variable", loop.target)
    return loop.target


def indexed_body(
    context: Context, loop: ast.For, target: ast.Name, *, kind: str, operation: str, split: SplitMode | None = None
) -> Stmt:
    """A body that begins with the index of the core."""
    end = context.comments.limit if context.comments else 0
    with context.block(kind) as block:
        block.split = split
        index = context.operation("tile", operation)(span=context.span(loop.iter))
        assign_name(context, target, index, place=loop)
        context.statements(loop.body, end)
    return context.body(block, context.span(loop.body[0]))
