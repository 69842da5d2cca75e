# SPDX-License-Identifier: Apache-2.0
"""`pl.yield_`: what a branch or an iteration hands out, and under which names."""

from __future__ import annotations

import ast

from pypto_build.dsl.bindings import result_variable
from pypto_build.dsl.context import Block, Context
from pypto_build.dsl.declared import declared_type
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.errors import Span
from pypto_build.ir import Expr, Type, Var, YieldStmt


def read_yield(context: Context, target: ast.expr, call: ast.Call, *, declared: Type | None = None) -> None:
    """`names = pl.yield_(values)`"""
    block = context.yielding_block(call)
    names = _names(context, target)
    values = _values(context, call)
    if len(names) != len(values):
        context.fail(
            ParserSyntaxError,
            f"Mismatch: pl.yield_() hands out {len(values)} value(s) but {len(names)} name(s) are assigned",
            call,
        )
    types = tuple(value.type for value in values)
    if declared is not None:

        def refuse(message: str) -> None:
            context.fail(ParserTypeError, message, target)

        types = (declared_type(declared, types[0], name=names[0], refuse=refuse),)
    block.yield_names = names
    block.yield_types = types
    context.emit(YieldStmt(values, context.span(call)))


def read_bare_yield(context: Context, call: ast.Call) -> None:
    """`pl.yield_(values)` on its own: the results have no names."""
    block = context.yielding_block(call)
    if block.needs_names:
        context.fail(
            ParserSyntaxError,
            "A loop with init_values requires an assignment-form pl.yield_: name = pl.yield_(value)",
            call,
            hint="The assigned names are what the results are called after the loop",
        )
    context.emit(YieldStmt(_values(context, call), context.span(call)))


def _values(context: Context, call: ast.Call) -> tuple[Expr, ...]:
    if call.keywords:
        context.fail(ParserSyntaxError, "pl.yield_() takes positional arguments only", call)
    return tuple(context.expr(argument) for argument in call.args)


def _names(context: Context, target: ast.expr) -> tuple[str, ...]:
    targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    names: list[str] = []
    for one in targets:
        if not isinstance(one, ast.Name):
            context.fail(ParserSyntaxError, "pl.yield_() can only be assigned to variable names", one)
        names.append(one.id)
    return tuple(names)


def results(context: Context, block: Block, span: Span) -> tuple[Var, ...]:
    """The variables that hold a block's results afterwards; its names must have been left already."""
    if block.yield_names is None:
        return ()
    pairs = zip(block.yield_names, block.yield_types, strict=True)
    return tuple(result_variable(context, name, kind, span=span) for name, kind in pairs)
