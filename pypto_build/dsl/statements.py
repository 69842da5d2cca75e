# SPDX-License-Identifier: Apache-2.0
"""Assignments, returns, expressions standing alone, and the table of all statements."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Final, cast

from pypto_build.dsl.bindings import assign_name, bind_alias, unpack
from pypto_build.dsl.calls import language_path
from pypto_build.dsl.conditionals import read_if
from pypto_build.dsl.constants import to_expr
from pypto_build.dsl.context import Context, StatementHandler
from pypto_build.dsl.diagnostics import InvalidOperationError, ParserSyntaxError, UnsupportedFeatureError
from pypto_build.dsl.dumps import read_dump_tag
from pypto_build.dsl.inline import returned
from pypto_build.dsl.local_constants import bind_constants
from pypto_build.dsl.loops import read_for, read_while
from pypto_build.dsl.prologue import read_func_attr
from pypto_build.dsl.static_ops import read_static_assert, read_static_print
from pypto_build.dsl.subscript_writes import write_subscript
from pypto_build.dsl.tasks import assign_submit, is_submit
from pypto_build.dsl.window_buffers import assign_allocation, is_allocation
from pypto_build.dsl.with_scopes import read_with
from pypto_build.dsl.yields import read_bare_yield, read_yield
from pypto_build.ir import BreakStmt, ContinueStmt, EvalStmt, Expr, ReturnStmt, Type

_STATIC: Final[Mapping[tuple[str, ...], Callable[[Context, ast.Call], None]]] = {
    ("pl", "static_print"): read_static_print,
    ("pl", "static_assert"): read_static_assert,
    ("pl", "dump_tag"): read_dump_tag,
    ("pl", "tensor", "dump_tag"): read_dump_tag,
    ("pl", "func_attr"): read_func_attr,
}


def read_assign(context: Context, node: ast.stmt) -> None:
    """`target = value`"""
    assign = cast("ast.Assign", node)
    if len(assign.targets) != 1:
        context.fail(UnsupportedFeatureError, "Only one assignment target is supported", node)
    _assign(context, assign.targets[0], assign.value, place=node)


def read_ann_assign(context: Context, node: ast.stmt) -> None:
    """`target: type = value`"""
    assign = cast("ast.AnnAssign", node)
    if assign.value is None:
        context.fail(UnsupportedFeatureError, "A variable annotation needs a value", node)
    if not isinstance(assign.target, ast.Name):
        context.fail(ParserSyntaxError, "Annotated assignment target must be a variable name", node)
    declared = context.annotations.resolve(assign.annotation)
    _assign(context, assign.target, assign.value, place=node, declared=declared)


def _assign(
    context: Context, target: ast.expr, value_node: ast.expr, *, place: ast.stmt, declared: Type | None = None
) -> None:
    if isinstance(value_node, ast.Call):
        path = language_path(context, value_node.func)
        if path == ("pl", "yield_"):
            read_yield(context, target, value_node, declared=declared)
            return
        if path is not None and is_allocation(path):
            assign_allocation(context, target, value_node, place=place, declared=declared)
            return
        if path is not None and is_submit(path):
            assign_submit(context, target, value_node, path=path, place=place)
            return
    if isinstance(target, ast.Subscript):
        write_subscript(context, target, value_node, place=place)
        return
    value = context.value(value_node)
    if declared is None and bind_constants(context, target, value, place=place):
        return
    if isinstance(target, ast.Tuple | ast.List):
        unpack(context, target, value, place=place)
    elif isinstance(target, ast.Name):
        _assign_value(context, target, value, node=value_node, place=place, declared=declared)
    else:
        context.fail(UnsupportedFeatureError, f"Unsupported assignment target: {ast.unparse(target)}", target)


def _assign_value(
    context: Context, target: ast.Name, value: object, *, node: ast.expr, place: ast.stmt, declared: Type | None
) -> None:
    if value is None:
        value = context.operation("system", "task_invalid")(span=context.span(node))
    expr = to_expr(context, value, node)
    if context.folded is node:
        bind_alias(context, target, expr, place=place)
        return
    assign_name(context, target, expr, declared=declared, place=place)


def read_return(context: Context, node: ast.stmt) -> None:
    """`return a, b`: several results, not a tuple."""
    value = cast("ast.Return", node).value
    if value is None:
        values: tuple[Expr, ...] = ()
    elif isinstance(value, ast.Tuple):
        values = tuple(context.expr(element) for element in value.elts)
    else:
        values = (context.expr(value),)
    if context.inline_depth:
        returned(context, node, values)
        return
    context.emit(ReturnStmt(values, context.span(node)))


def read_expr(context: Context, node: ast.stmt) -> None:
    """An expression for its effect; a string is a comment, `...` is nothing."""
    value = cast("ast.Expr", node).value
    if isinstance(value, ast.Constant):
        if isinstance(value.value, str):
            context.pending_comments.extend(_docstring_lines(value.value))
            return
        if value.value is Ellipsis:
            return
    if isinstance(value, ast.Call):
        path = language_path(context, value.func)
        if path == ("pl", "yield_"):
            read_bare_yield(context, value)
            return
        static = None if path is None else _STATIC.get(path)
        if static is not None:
            static(context, value)
            return
    result = context.value(value)
    if result is None:
        return  # an inlined function without a result
    context.emit(EvalStmt(to_expr(context, result, value), context.span(node)))


def _docstring_lines(text: str) -> list[str]:
    return [line.rstrip() for line in inspect.cleandoc(text).split("\n")]


def read_pass(_context: Context, _node: ast.stmt) -> None:
    """`pass`"""


def read_break(context: Context, node: ast.stmt) -> None:
    """`break`"""
    _check_leaving(context, node, "break")
    context.emit(BreakStmt(context.span(node)))


def read_continue(context: Context, node: ast.stmt) -> None:
    """`continue`"""
    _check_leaving(context, node, "continue")
    context.emit(ContinueStmt(context.span(node)))


_NO_LEAVING = {"parallel": "in parallel loops", "unroll": "in unrolled loops"}


def _check_leaving(context: Context, node: ast.stmt, word: str) -> None:
    for block in reversed(context.blocks):
        if block.kind in ("spmd", "split_aiv"):
            context.fail(InvalidOperationError, f"'{word}' not supported inside pl.{block.kind}()", node)
        if block.kind in _NO_LEAVING:
            context.fail(InvalidOperationError, f"'{word}' not supported {_NO_LEAVING[block.kind]}", node)
        if block.kind in ("for", "while", "pipeline"):
            return
    context.fail(ParserSyntaxError, f"'{word}' outside loop", node)


STATEMENTS: Final[Mapping[type[ast.AST], StatementHandler]] = {
    ast.Assign: read_assign,
    ast.AnnAssign: read_ann_assign,
    ast.Return: read_return,
    ast.Expr: read_expr,
    ast.Pass: read_pass,
    ast.Break: read_break,
    ast.Continue: read_continue,
    ast.For: read_for,
    ast.While: read_while,
    ast.If: read_if,
    ast.With: read_with,
}
