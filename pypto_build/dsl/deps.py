# SPDX-License-Identifier: Apache-2.0
"""`deps=[...]`: the tasks that a task or scope waits for.

Task ids and whole arrays of them go into the list as they are; elements of arrays and comprehensions are collected in
an array of their own first, so that each may still be invalid when the program runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from pypto_build.dsl.built import built
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserError, ParserTypeError
from pypto_build.dsl.scope import Binding
from pypto_build.ir import (
    ArrayType,
    AssignStmt,
    ConstInt,
    DataType,
    Expr,
    ScalarType,
    TupleGetItemExpr,
    Type,
    Var,
    const_index,
)

_HINT = "An entry is the task id of pl.submit or of `as tid`, an element or array of them, or None"


@dataclass(frozen=True, slots=True)
class _Entry:
    value: Expr
    node: ast.expr
    element: bool  # read from an array


def read_deps(context: Context, node: ast.expr) -> tuple[Expr, ...]:
    """The dependencies that a `deps=` lists; statements that collect elements are emitted here."""
    entries = _entries(context, node)
    if not any(entry.element for entry in entries):
        return tuple(entry.value for entry in entries)
    if any(isinstance(entry.value.type, ArrayType) for entry in entries):
        context.fail(
            ParserTypeError, "deps= cannot mix a whole array of task ids with elements of arrays", node, hint=_HINT
        )
    return (_collected(context, entries, node),)


def _entries(context: Context, node: ast.expr) -> list[_Entry]:
    if isinstance(node, ast.ListComp):
        return list(_comprehension(context, node))
    if not isinstance(node, ast.List | ast.Tuple):
        context.fail(ParserTypeError, "deps= must be a list literal", node, hint=_HINT)
    return [
        _entry(context, element)
        for element in node.elts
        if not (isinstance(element, ast.Constant) and element.value is None)
    ]


def _entry(context: Context, node: ast.expr) -> _Entry:
    value = context.value(node)
    if not isinstance(value, Expr) or not _is_task(value.type):
        shown = value.type if isinstance(value, Expr) else type(value).__name__
        context.fail(ParserTypeError, f"deps= entries must be TaskId values, got {shown}", node, hint=_HINT)
    if isinstance(node, ast.Subscript) and not isinstance(value, TupleGetItemExpr):
        return _Entry(value, node, element=True)
    return _Entry(value, node, element=not isinstance(value, Var) and not isinstance(value.type, ArrayType))


def _is_task(kind: Type) -> bool:
    return isinstance(kind, ScalarType | ArrayType) and kind.dtype is DataType.TASK_ID


def _comprehension(context: Context, node: ast.ListComp) -> Iterator[_Entry]:
    """One entry per element of a Python iterable that the filters keep."""
    if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
        context.fail(ParserTypeError, "deps= comprehension takes one loop over one name", node)
    loop = node.generators[0]
    name = cast("ast.Name", loop.target).id
    for item in _iterable(context, loop.iter):
        context.scope.enter()
        try:
            context.scope.define(name, Binding(_item(context, item, loop.iter), context.span(node), assignable=False))
            if all(_kept(context, test) for test in loop.ifs):
                entry = _entry(context, node.elt)
                yield _Entry(entry.value, node.elt, element=True)
        finally:
            context.scope.leave(leak=False)


def _iterable(context: Context, node: ast.expr) -> list[object]:
    try:
        value = context.value(node)
    except ParserError:
        value = None
    if not isinstance(value, list | tuple | range):
        context.fail(
            ParserTypeError,
            "deps= comprehension iterates over Python values; a DSL loop such as pl.range() is not one",
            node,
        )
    return list(cast("list[object]", value))


def _item(context: Context, item: object, node: ast.expr) -> Expr:
    if isinstance(item, Expr):
        return item
    if not isinstance(item, int):
        context.fail(ParserTypeError, f"deps= comprehension iterates over integers, got {type(item).__name__}", node)
    return const_index(item, context.span(node))


def _kept(context: Context, test: ast.expr) -> bool:
    from pypto_build.dsl.static_ops import known  # reads conditions of constants

    try:
        return known(context, test)
    except ParserError:
        context.fail(ParserTypeError, "deps= comprehension filter depends on an IR variable", test)


def _collected(context: Context, entries: list[_Entry], node: ast.expr) -> Var:
    """A fresh array with the entries in it."""
    span = context.span(node)
    made = built(context, node, ("array", "create"), len(entries), DataType.TASK_ID)
    buffer = Var("_submit_deps_buf", made.type, span)
    context.emit(AssignStmt(buffer, made, span))
    for number, entry in enumerate(entries):
        written = built(context, entry.node, ("array", "update_element"), buffer, ConstInt(number), entry.value)
        context.emit(AssignStmt(buffer, written, span))
    return buffer
