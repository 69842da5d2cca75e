# SPDX-License-Identifier: Apache-2.0
"""`pl.func_attr({...})`: function attributes that may refer to parameters, before every other statement."""

from __future__ import annotations

import ast
from typing import NoReturn

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.function_attrs import DECORATOR_ONLY, checked_attrs


def read_func_attr(context: Context, call: ast.Call) -> None:
    """Add attributes to the function."""
    if len(call.args) != 1 or call.keywords:
        context.fail(ParserSyntaxError, "pl.func_attr() takes exactly one positional dict argument", call)
    display = call.args[0]
    if not isinstance(display, ast.Dict):
        context.fail(ParserSyntaxError, "pl.func_attr() argument must be a dict literal", display)
    if len(context.blocks) > 1 or context.blocks[0].stmts:
        context.fail(ParserSyntaxError, "pl.func_attr() must appear before every other statement", call)

    def refuse(message: str) -> NoReturn:
        context.fail(ParserSyntaxError, message, call)

    given = _display(context, display)
    for name, value in checked_attrs(given, refuse=refuse, may_reference=True).items():
        context.facts.attrs[name] = value


def _display(context: Context, display: ast.Dict) -> dict[str, object]:
    known = dict.fromkeys(context.facts.attrs)
    given: dict[str, object] = {}
    for key_node, value_node in zip(display.keys, display.values, strict=True):
        if not isinstance(key_node, ast.Constant) or not isinstance(key_node.value, str):
            context.fail(ParserSyntaxError, "pl.func_attr() key must be a string literal", key_node or display)
        key = key_node.value
        if key in DECORATOR_ONLY:
            context.fail(ParserSyntaxError, f"'{key}' cannot be set with pl.func_attr(); use the decorator", key_node)
        if key in known or key in given:
            context.fail(
                ParserSyntaxError,
                f"Duplicate function attribute '{key}'. Each attribute may be declared only once.",
                key_node,
            )
        given[key] = context.value(value_node)
    return given
