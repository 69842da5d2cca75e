# SPDX-License-Identifier: Apache-2.0
"""`pl.static_print` and `pl.static_assert`: done while the source is read, no trace in the IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, cast

from pypto_build.dsl.constants import NUMBERS, to_expr
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserError, ParserSyntaxError, UnsupportedFeatureError
from pypto_build.dsl.folding import PYTHON_OPERATORS
from pypto_build.ir import Constant, Expr


def read_static_print(context: Context, call: ast.Call) -> None:
    """Print what the arguments are."""
    if not call.args:
        context.fail(ParserSyntaxError, "pl.static_print() requires at least 1 argument", call)
    if call.keywords:
        context.fail(ParserSyntaxError, "pl.static_print() takes no keyword arguments", call)
    text = " ".join(_shown(context, argument) for argument in call.args)
    span = context.span(call)
    print(f"static_print [{span.filename}:{span.begin_line}]: {text}")


def _shown(context: Context, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(context, part) for part in node.values)
    value = context.value(node)
    if not isinstance(value, Expr):
        if not isinstance(value, NUMBERS):
            return str(value)
        value = to_expr(context, value, node)
    return f"{value}: {value.type}"


def _part(context: Context, part: ast.expr) -> str:
    if not isinstance(part, ast.FormattedValue):
        return str(cast("ast.Constant", part).value)
    if part.conversion != -1:
        context.fail(UnsupportedFeatureError, "pl.static_print() does not support a conversion such as !r", part)
    if part.format_spec is not None:
        context.fail(UnsupportedFeatureError, "pl.static_print() does not support a format spec", part)
    return _shown(context, part.value)


def read_static_assert(context: Context, call: ast.Call) -> None:
    """Refuse the source unless a condition holds."""
    if call.keywords or len(call.args) not in (1, 2):
        context.fail(ParserSyntaxError, "pl.static_assert() takes 1 or 2 arguments: condition, message", call)
    message = _message(context, call)
    if not known(context, call.args[0]):
        context.fail(ParserError, f"static_assert failed: {message}" if message else "static_assert failed", call)


def _message(context: Context, call: ast.Call) -> str:
    if len(call.args) == 1:
        return ""
    node = call.args[1]
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        context.fail(ParserSyntaxError, "pl.static_assert() message must be a string literal", node)
    return node.value


def known(context: Context, node: ast.expr) -> bool:
    """The truth of a condition of constants."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(context, node)
    if isinstance(node, ast.BoolOp):
        parts = [known(context, part) for part in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not known(context, node.operand)
    return bool(_constant(context, node))


_COMPARISONS: Final[Mapping[type[ast.AST], Callable[..., object]]] = {
    ast.Eq: PYTHON_OPERATORS["eq"],
    ast.NotEq: PYTHON_OPERATORS["ne"],
    ast.Lt: PYTHON_OPERATORS["lt"],
    ast.LtE: PYTHON_OPERATORS["le"],
    ast.Gt: PYTHON_OPERATORS["gt"],
    ast.GtE: PYTHON_OPERATORS["ge"],
}


def _compared(context: Context, node: ast.Compare) -> bool:
    left, right = _constant(context, node.left), _constant(context, node.comparators[0])
    compare = _COMPARISONS.get(type(node.ops[0]))
    if compare is not None:
        with suppress(TypeError):  # they do not compare: said below
            return bool(compare(left, right))
    context.fail(ParserError, f"Cannot compare {left!r} with {right!r}", node)


def _constant(context: Context, node: ast.expr) -> object:
    value = context.value(node)
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Expr):
        context.fail(ParserError, "pl.static_assert() condition must be compile-time evaluable", node)
    return value
