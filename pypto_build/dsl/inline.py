# SPDX-License-Identifier: Apache-2.0
"""`@pl.inline` functions: their statements are read again at every call."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pypto_build.dsl.comments import comments_of
from pypto_build.dsl.constants import projected
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.dsl.scope import Binding, Scope
from pypto_build.dsl.source import SourceText
from pypto_build.ir import Expr, Var

_MAX_DEPTH = 64


@dataclass(frozen=True, slots=True, eq=False)
class InlineFunction:
    """A function that is expanded where it is called."""

    name: str
    func_def: ast.FunctionDef
    param_names: tuple[str, ...]
    source: SourceText
    closure_vars: Mapping[str, object]


@dataclass(slots=True)
class _Expansion:
    """The call being expanded, and the values of its `return`."""

    values: tuple[Expr, ...] | None = None


def expand(context: Context, call: ast.Call, function: InlineFunction) -> object:
    """Read the body of an inline function here; the value of its `return` is that of the call."""
    arguments = _arguments(context, call, function)
    if context.inline_depth >= _MAX_DEPTH:
        context.fail(ParserSyntaxError, f"Inline function '{function.name}' is expanded into itself", call)
    scope, closure = _surroundings(context, function, arguments, call=call)
    expansion = _Expansion()
    with context.elsewhere(function.source, closure, scope):
        context.inline_depth += 1
        context.notes.setdefault("expansions", {})[context.inline_depth] = expansion
        context.comments = comments_of(function.source, function.func_def)
        context.statements(function.func_def.body, context.comments.end_line if context.comments else 0)
        context.inline_depth -= 1
    _keep_names(context, function, scope)
    if expansion.values is None or not expansion.values:
        return None
    return expansion.values[0] if len(expansion.values) == 1 else expansion.values


def _arguments(context: Context, call: ast.Call, function: InlineFunction) -> dict[str, object]:
    names = function.param_names
    given: dict[str, object] = dict(zip(names, (context.value(node) for node in call.args), strict=False))
    for keyword in call.keywords:
        if keyword.arg not in names or keyword.arg in given:
            context.fail(
                ParserTypeError, f"Inline function '{function.name}' has no free parameter '{keyword.arg}'", keyword
            )
        given[keyword.arg] = context.value(keyword.value)
    count = len(call.args) + len(call.keywords)
    if count != len(names) or len(given) != len(names):
        context.fail(
            ParserTypeError,
            f"Inline function '{function.name}' expects {len(names)} argument(s), got {count}",
            call,
        )
    return given


def _surroundings(
    context: Context, function: InlineFunction, arguments: Mapping[str, object], *, call: ast.Call
) -> tuple[Scope, Mapping[str, object]]:
    """The names that the body starts with: its parameters, and the variables that it wrote at an earlier call."""
    scope = Scope(strict=context.facts.strict_ssa)
    span = context.span(call)
    for name, binding in context.inlined.get(function.name, {}).items():
        scope.define(name, binding)
    scope.enter()
    constants: dict[str, object] = {}
    for name, value in arguments.items():
        if isinstance(value, Expr):
            scope.define(name, Binding(value, span, assignable=isinstance(value, Var)))
        else:
            constants[name] = _constant(value)
    return scope, {**function.closure_vars, **constants}


def _constant(value: object) -> object:
    call = projected(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else None
    return cast("object", value) if call is None else call


def _keep_names(context: Context, function: InlineFunction, scope: Scope) -> None:
    """Remember the variables of this expansion: the next one assigns the same ones again."""
    kept = context.inlined.setdefault(function.name, {})
    for name, binding in scope.current().items():
        if name not in function.param_names:
            kept[name] = binding


def returned(context: Context, node: ast.stmt, values: tuple[Expr, ...]) -> None:
    """A `return` inside an inline function; it must be the last statement."""
    expansion = context.notes["expansions"][context.inline_depth]
    assert isinstance(expansion, _Expansion)
    if expansion.values is not None:
        context.fail(ParserSyntaxError, "An inline function may return once, at its end", node)
    expansion.values = values
