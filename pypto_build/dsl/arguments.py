# SPDX-License-Identifier: Apache-2.0
"""The arguments of a call, read once."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import cast

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import InvalidOperationError, UnsupportedFeatureError


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call as Python values and IR."""

    positional: tuple[object, ...]
    named: dict[str, object]


def read_arguments(context: Context, call: ast.Call) -> Arguments:
    """The arguments of a call, `*constants` spread out."""
    positional: list[object] = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            positional.extend(_spread(context, argument))
        else:
            positional.append(context.value(argument))
    named: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            context.fail(InvalidOperationError, f"'{ast.unparse(call.func)}' does not accept **kwargs", call)
        named[keyword.arg] = context.value(keyword.value)
    return Arguments(tuple(positional), named)


def _spread(context: Context, argument: ast.Starred) -> list[object]:
    value = context.value(argument.value)
    if not isinstance(value, list | tuple):
        context.fail(UnsupportedFeatureError, "Only a constant list can be spread into a call", argument)
    return cast("list[object]", value)


def dotted(node: ast.expr) -> tuple[str, ...] | None:
    """`a.b.c` as its parts; None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    parts.reverse()
    return tuple(parts)


def frozen(value: object) -> object:
    """A list, however deep, as tuples, which is what attributes of the IR hold."""
    return tuple(frozen(item) for item in cast("list[object]", value)) if isinstance(value, list | tuple) else value
