# SPDX-License-Identifier: Apache-2.0
"""Plain calls of functions: `self.kernel(...)`, and functions from outside by their name."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import cast

from pypto_build.dsl.arguments import dotted, frozen
from pypto_build.dsl.call_types import call_type
from pypto_build.dsl.callees import Signature
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, UndefinedVariableError
from pypto_build.dsl.dumps import dumped
from pypto_build.ir import EMPTY_MAP, ArgDirection, Call, Expr, GlobalVar, Role, ScalarType, const_index, frozen_map

_SUBMIT_ONLY = ("deps", "dumps", "core_num", "sync_start", "allow_early_resolve", "predicate")


def find_signature(context: Context, node: ast.expr, name: str) -> Signature:
    """The signature of a function of the program."""
    found = context.callees.signature(name)
    if found is None:
        known = sorted(context.callees.signatures)
        context.fail(
            UndefinedVariableError,
            f"Function '{name}' not found in program",
            node,
            hint=f"Available functions: {', '.join(known)}" if known else "Define it with @pl.function in the program",
        )
    return found


def call_function(context: Context, call: ast.Call, *, name: str) -> Expr:
    """A call that hands out no task id."""
    signature = find_signature(context, call, name)
    attrs = read_call_options(context, call.keywords, signature, count=len(call.args))
    arguments, no_dep = read_kernel_arguments(context, call.args, signature=signature, call=call)
    return make_call(context, call, signature, arguments=arguments, attrs={**no_dep, **attrs})


def make_call(
    context: Context, call: ast.Call, signature: Signature, *, arguments: tuple[Expr, ...], attrs: dict[str, object]
) -> Expr:
    """The call of a function whose arguments have been read."""
    attrs = {**attrs, **dumped(context, arguments)}
    return_types = context.callees.return_types(signature)
    span = context.span(call)
    try:
        kind = call_type(signature, arguments, return_types)
    except ValueError as error:
        context.fail(ParserSyntaxError, str(error), call)
    return Call(GlobalVar(signature.name), arguments, EMPTY_MAP, frozen_map(attrs), kind, span)


def read_kernel_arguments(
    context: Context, nodes: Iterable[ast.expr], *, signature: Signature, call: ast.Call
) -> tuple[tuple[Expr, ...], dict[str, object]]:
    """The arguments of a kernel, and the attribute that names those wrapped in `pl.no_dep`."""
    given = list(nodes)
    expected = len(signature.params)
    if len(given) != expected:
        context.fail(
            ParserTypeError,
            f"Function '{signature.name}' expects {expected} argument(s), got {len(given)}",
            call,
            hint=f"Its parameters are: {', '.join(param.name_hint for param in signature.params) or 'none'}",
        )
    return read_operands(context, given)


def read_operands(context: Context, nodes: Iterable[ast.expr]) -> tuple[tuple[Expr, ...], dict[str, object]]:
    """Arguments, and the attribute that names those wrapped in `pl.no_dep`."""
    exempt: list[int] = []
    arguments: list[Expr] = []
    for number, node in enumerate(nodes):
        inner = _no_dep_operand(context, node)
        if inner is not None:
            exempt.append(number)
        arguments.append(context.expr(inner or node))
    return tuple(arguments), {"arg_direction_overrides": tuple(exempt)} if exempt else {}


def _no_dep_operand(context: Context, node: ast.expr) -> ast.expr | None:
    """The x of `pl.no_dep(x)`, None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "no_dep":
        return None
    parts = dotted(node.func)
    if parts is None or context.scope.lookup(parts[0]) is not None:
        return None
    if len(node.args) != 1 or node.keywords:
        context.fail(ParserSyntaxError, "pl.no_dep() takes exactly one positional argument", node)
    return node.args[0]


def read_call_options(
    context: Context, keywords: Iterable[ast.keyword], signature: Signature, *, count: int
) -> dict[str, object]:
    """The attributes that `attrs=` and `device=` of a call with so many arguments give it."""
    result: dict[str, object] = {}
    for keyword in keywords:
        if keyword.arg == "attrs":
            result.update(read_attrs(context, keyword.value, count=count))
        elif keyword.arg == "device":
            result["device"] = _device(context, keyword.value, signature)
        else:
            _refuse_keyword(context, keyword, signature)
    return result


def _device(context: Context, node: ast.expr, signature: Signature) -> Expr:
    if signature.role is not Role.Orchestrator:
        context.fail(
            ParserTypeError,
            f"Call to '{signature.name}' does not accept keyword argument 'device': "
            "only orchestrators are dispatched to a device",
            node,
        )
    device = context.expr(node)
    if not isinstance(device.type, ScalarType) or not device.type.dtype.is_int():
        context.fail(ParserTypeError, f"'device' must be an integer expression, got {device.type}", node)
    return device


def _refuse_keyword(context: Context, keyword: ast.keyword, signature: Signature) -> None:
    name = keyword.arg or "**"
    what = f"'{name}='" if name == "deps" else f"keyword argument '{name}'"
    hint = "Kernel arguments are positional"
    if name in _SUBMIT_ONLY:
        hint = f"Launch a task to say this: out, tid = pl.submit(self.{signature.name}, ..., {name}=...)"
    context.fail(ParserTypeError, f"Call to '{signature.name}' does not accept {what}", keyword, hint=hint)


def read_attrs(context: Context, node: ast.expr, *, count: int | None = None) -> dict[str, object]:
    """The value of `attrs={...}`."""
    value = context.value(node)
    if not isinstance(value, dict):
        context.fail(ParserSyntaxError, "attrs= must be a dict literal", node)
    result: dict[str, object] = {}
    for key, item in cast("dict[object, object]", value).items():
        if not isinstance(key, str):
            context.fail(ParserSyntaxError, "attrs= keys must be strings", node)
        if key == "manual_dep_edges":
            context.fail(
                ParserTypeError,
                "'manual_dep_edges' cannot be set through attrs=",
                node,
                hint="Dependencies belong to a task: pl.submit(self.kernel, ..., deps=[tid])",
            )
        cores = key == "core_num" and count is not None and isinstance(item, int)  # of a launch: an expression
        result[key] = const_index(cast("int", item), context.span(node)) if cores else frozen(item)
    directions = result.get("arg_directions")
    if directions is not None:
        _check_directions(context, node, directions, count=count)
    return result


def _check_directions(context: Context, node: ast.expr, directions: object, *, count: int | None) -> None:
    if not isinstance(directions, tuple):
        context.fail(ParserSyntaxError, "attrs['arg_directions'] must be a list literal", node)
    listed = cast("tuple[object, ...]", directions)
    if not all(isinstance(item, ArgDirection) for item in listed):
        context.fail(ParserSyntaxError, "attrs['arg_directions'] entries must be pl.adir.<direction>", node)
    if count is not None and len(listed) != count:
        context.fail(
            ParserTypeError,
            f"attrs['arg_directions'] has length {len(listed)}, which does not match the {count} argument(s)",
            node,
        )
