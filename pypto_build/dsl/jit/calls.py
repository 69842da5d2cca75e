# SPDX-License-Identifier: Apache-2.0
"""Calls of one `@pl.jit` function by another: the types of the arguments make the function that is called."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserTypeError, UnsupportedFeatureError
from pypto_build.dsl.jit.arguments import Number
from pypto_build.dsl.jit.extents import passed_type
from pypto_build.dsl.jit.function import Given, JITFunction
from pypto_build.dsl.kernels import make_call, read_call_options, read_operands
from pypto_build.ir import Expr, FunctionType, Level


def call_specialized(context: Context, call: ast.Call, function: JITFunction) -> Expr:
    """`kernel(a, b, n=n)`: the function that these arguments need, and the call of it."""
    specialize = context.callees.specialize
    if specialize is None:
        context.fail(
            UnsupportedFeatureError,
            f"@pl.{function.decorator} function '{function.name}' is called from a function that is not @pl.jit",
            call,
            hint="Decorate the caller with @pl.jit, or the callee with @pl.function",
        )
    _check_kind(context, call, function)
    nodes, options = _by_parameter(context, call, function)
    arguments, no_dep = read_operands(context, nodes.values())
    given = {
        name: Given(passed_type(context, argument), _constant(context, node))
        for (name, node), argument in zip(nodes.items(), arguments, strict=True)
    }
    signature = specialize(function, given, call)
    attrs = read_call_options(context, options, signature, count=len(arguments))
    return make_call(context, call, signature, arguments=arguments, attrs={**no_dep, **attrs})


def _check_kind(context: Context, call: ast.Call, function: JITFunction) -> None:
    """An entry starts a program of its own, unless the host hands work to it."""
    from_host = context.facts.level is Level.HOST and context.facts.func_type is FunctionType.Opaque
    if function.is_host or (function.is_entry and not from_host):
        context.fail(
            UnsupportedFeatureError,
            f"@pl.{function.decorator} function '{function.name}' is an entry, it cannot be called here",
            call,
            hint="Decorate it with @pl.jit.incore, @pl.jit.inline or @pl.jit.opaque; @pl.jit.host may call @pl.jit",
        )


def _by_parameter(
    context: Context, call: ast.Call, function: JITFunction
) -> tuple[Mapping[str, ast.expr], list[ast.keyword]]:
    """The argument of each parameter in the order of the parameters, and the other keywords."""
    names = function.parameters
    if len(call.args) > len(names):
        _refuse_count(context, call, function)
    found: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
    options: list[ast.keyword] = []
    for keyword in call.keywords:
        if keyword.arg not in names:
            options.append(keyword)
        elif keyword.arg in found:
            context.fail(ParserTypeError, f"'{function.name}' is given '{keyword.arg}' twice", keyword)
        else:
            found[keyword.arg] = keyword.value
    for name, value in function.defaults().items():
        if isinstance(value, bool | int | float):
            found.setdefault(name, ast.copy_location(ast.Constant(value), call))
    if len(found) != len(names):
        _refuse_count(context, call, function)
    return {name: found[name] for name in names}, options


def _refuse_count(context: Context, call: ast.Call, function: JITFunction) -> None:
    names = function.parameters
    count = len(call.args) + sum(keyword.arg in names for keyword in call.keywords)
    context.fail(
        ParserTypeError,
        f"Function '{function.name}' expects {len(names)} argument(s), got {count}",
        call,
        hint=f"Its parameters are: {', '.join(names) or 'none'}",
    )


def _constant(context: Context, node: ast.expr) -> Number | None:
    """The number that a name of the caller stands for; what is written as a number is known when the kernel runs."""
    constants = context.facts.constants
    found = constants.values.get(node.id) if constants is not None and isinstance(node, ast.Name) else None
    return found if isinstance(found, bool | int | float) else None
