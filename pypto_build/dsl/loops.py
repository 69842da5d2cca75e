# SPDX-License-Identifier: Apache-2.0
"""`for` and `while`: counted loops of every kind, loops with carried values, and the loops that are scopes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from pypto_build.dsl.calls import language_path
from pypto_build.dsl.conditions import condition
from pypto_build.dsl.context import Block, Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.loop_headers import (
    carried_names,
    check_constant,
    loop_type,
    make_iter_args,
    read_bounds,
    read_header,
    read_init_values,
    read_targets,
)
from pypto_build.dsl.scope import Binding
from pypto_build.dsl.split_scopes import read_split_aiv_loop
from pypto_build.dsl.spmd_scopes import read_spmd_loop
from pypto_build.dsl.yields import results
from pypto_build.errors import Span
from pypto_build.ir import Expr, ForKind, ForStmt, IterArg, Stmt, Var, WhileStmt, frozen_map

_KINDS: Final = {
    "range": (ForKind.Sequential, "for"),
    "parallel": (ForKind.Parallel, "parallel"),
    "unroll": (ForKind.Unroll, "unroll"),
    "pipeline": (ForKind.Pipeline, "pipeline"),
}
_OTHERS: Final[Mapping[str, Callable[[Context, ast.For, ast.Call], None]]] = {
    "spmd": read_spmd_loop,
    "split_aiv": read_split_aiv_loop,
}
_NEEDS_LANGUAGE = (
    "For loop must use pl.range(), pl.parallel(), pl.unroll(), pl.pipeline(), pl.while_(), pl.spmd(), or pl.split_aiv()"
)


def read_for(context: Context, node: ast.stmt) -> None:
    """`for ... in pl.<kind>(...)`"""
    loop = cast("ast.For", node)
    call = loop.iter
    path = language_path(context, call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or path is None or path[0] != "pl" or len(path) != 2:
        context.fail(ParserSyntaxError, _NEEDS_LANGUAGE, loop.iter, hint="for i in pl.range(n):")
    if loop.orelse:
        context.fail(ParserSyntaxError, "For loops with an else branch are not supported", node)
    name = path[1]
    if name in _KINDS:
        _read_counted(context, loop, call, name=name)
    elif name == "while_":
        _read_carrying_while(context, loop, call)
    elif name in _OTHERS:
        _OTHERS[name](context, loop, call)
    else:
        context.fail(ParserSyntaxError, _NEEDS_LANGUAGE, loop.iter, hint="for i in pl.range(n):")


def _read_counted(context: Context, loop: ast.For, call: ast.Call, *, name: str) -> None:
    kind, block_kind = _KINDS[name]
    span = context.span(loop)
    header = read_header(context, call, name=name)
    if header.unroll:
        kind, block_kind = _KINDS["unroll"]
    target, carried = read_targets(context, loop, header)
    start, stop, step = read_bounds(context, call, name=name)
    if kind is ForKind.Unroll:
        check_constant(context, call, (start, stop, step))
    loop_var = Var(target.id, loop_type(start, stop, step), context.span(target))
    iter_args = make_iter_args(context, carried, header.init_values)
    bound = [(target.id, loop_var), *((arg.name_hint, arg) for arg in iter_args)]
    block, body = read_body(context, loop.body, kind=block_kind, bound=bound, carries=bool(iter_args))
    _check_yields(context, loop, block, iter_args)
    return_vars = results(context, block, span)
    context.emit(
        ForStmt(loop_var, start, stop, step, iter_args, body, return_vars, span, kind, frozen_map(header.attrs))
    )


def read_body(
    context: Context,
    body: Sequence[ast.stmt],
    *,
    kind: str,
    bound: Sequence[tuple[str, Var]],
    carries: bool = False,
) -> tuple[Block, Stmt]:
    """The body of a loop, in which some names are bound."""
    scope = context.scope
    scope.enter()
    for name, var in bound:
        scope.define(name, Binding(var, var.span))
    end = context.comments.limit if context.comments else 0
    with context.block(kind) as block:
        block.needs_names = carries
        context.statements(body, end)
    scope.leave(leak=block.yield_names is None, private=tuple(name for name, _ in bound))
    return block, context.body(block, context.span(body[0]))


def _check_yields(context: Context, loop: ast.For, block: Block, iter_args: Sequence[IterArg]) -> None:
    if block.yield_names is not None and len(block.yield_names) != len(iter_args):
        context.fail(
            ParserSyntaxError,
            f"Mismatch: the loop carries {len(iter_args)} value(s) but yields {len(block.yield_names)}",
            loop,
        )


def read_while(context: Context, node: ast.stmt) -> None:
    """`while condition:`"""
    loop = cast("ast.While", node)
    if loop.orelse:
        context.fail(ParserSyntaxError, "While loops with an else branch are not supported", node)
    test = condition(context, loop.test, "while")
    span = context.span(node)
    block, body = read_body(context, loop.body, kind="while", bound=())
    context.emit(WhileStmt(test, (), body, results(context, block, span), span))


def _read_carrying_while(context: Context, loop: ast.For, call: ast.Call) -> None:
    """`for (a, b) in pl.while_(init_values=(x, y)):` with `pl.cond(...)` as its first statement"""
    span = context.span(loop)
    init_values = _while_values(context, call)
    nodes = loop.target.elts if isinstance(loop.target, ast.Tuple | ast.List) else [loop.target]
    names = carried_names(context, nodes, init_values, place=loop.target)
    iter_args = make_iter_args(context, names, init_values)
    first = loop.body[0]
    test_node = _cond_argument(context, first)
    test = _condition_with(context, test_node, iter_args, span=span)
    rest = loop.body[1:] or [ast.copy_location(ast.Pass(), first)]
    bound = [(arg.name_hint, arg) for arg in iter_args]
    block, body = read_body(context, rest, kind="while", bound=bound, carries=bool(iter_args))
    _check_yields(context, loop, block, iter_args)
    context.emit(WhileStmt(test, iter_args, body, results(context, block, span), span))


def _while_values(context: Context, call: ast.Call) -> tuple[Expr, ...]:
    if call.args:
        context.fail(ParserSyntaxError, "pl.while_() takes no positional arguments", call)
    values: tuple[Expr, ...] | None = None
    for keyword in call.keywords:
        if keyword.arg != "init_values":
            context.fail(ParserSyntaxError, f"pl.while_() does not accept '{keyword.arg}='", keyword)
        values = read_init_values(context, keyword.value)
    if values is None:
        context.fail(ParserSyntaxError, "pl.while_() requires init_values=", call)
    return values


def _cond_argument(context: Context, first: ast.stmt) -> ast.expr:
    call = first.value if isinstance(first, ast.Expr) else None
    if isinstance(call, ast.Call) and language_path(context, call.func) == ("pl", "cond"):
        if len(call.args) == 1 and not call.keywords:
            return call.args[0]
        context.fail(ParserSyntaxError, "pl.cond() takes exactly one condition", call)
    return context.fail(
        ParserSyntaxError, "The first statement of a pl.while_() loop must be pl.cond(condition)", first
    )


def _condition_with(context: Context, node: ast.expr, iter_args: Sequence[IterArg], *, span: Span) -> Expr:
    context.scope.enter()
    for arg in iter_args:
        context.scope.define(arg.name_hint, Binding(arg, span))
    try:
        return condition(context, node, "while")
    finally:
        context.scope.leave(leak=False)
