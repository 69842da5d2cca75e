# SPDX-License-Identifier: Apache-2.0
"""Values known while reading: literals, names and attributes of the surrounding Python, arithmetic on them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from difflib import get_close_matches
from types import ModuleType
from typing import Final, NoReturn, cast

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import (
    BUG_CLASS_EXCEPTIONS,
    ParserSyntaxError,
    ParserTypeError,
    UndefinedVariableError,
    UnsupportedFeatureError,
)
from pypto_build.dsl.folding import SAFE_BUILTINS
from pypto_build.dsl.shape_attributes import NAMES, read_shape_attribute
from pypto_build.ir import Call, DataType, Expr, GlobalVar, MakeTuple, ScalarType, TupleGetItemExpr, TupleType, Var
from pypto_build.ir.scalar import as_expr

NUMBERS: Final = (bool, int, float)
_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 64) - 1
_UNDEFINED_HINT = "Check if the variable is defined before using it or is available in the enclosing scope"


def is_ir(value: object) -> bool:
    """Whether a value, or anything in it when it is a list, is IR."""
    if isinstance(value, list | tuple):
        return any(is_ir(item) for item in cast("list[object]", value))
    return isinstance(value, Expr)


def to_expr(context: Context, value: object, node: ast.expr) -> Expr:
    """A value as IR."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, NUMBERS):
        check_range(context, value, node)
        return as_expr(value, context.span(node))
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        return projected(items) or MakeTuple(tuple(to_expr(context, item, node) for item in items), context.span(node))
    if isinstance(node, ast.Constant):
        context.fail(ParserTypeError, f"Unsupported constant type: {type(value)}", node)
    context.fail(
        ParserTypeError,
        f"Unsupported closure variable type: {type(value).__name__} for '{ast.unparse(node)}'",
        node,
        hint="Supported types: int, float, bool, list, tuple and IR expressions",
    )


def check_range(context: Context, value: object, node: ast.AST) -> None:
    """Refuse integers that no type of the language holds, in lists too."""
    if isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            check_range(context, item, node)
    elif isinstance(value, int) and not _LEAST <= value <= _MOST:
        context.fail(ParserTypeError, f"An integer constant has at most 64 bits, got {value:#x}", node)


def projected(items: Sequence[object]) -> Call | None:
    """The call whose elements 0 to n-1 these are, in order; None for any other values.

    This is what the builder of an operation with several results returns.
    """
    first = items[0] if items else None
    if not isinstance(first, TupleGetItemExpr) or not isinstance(first.tuple, Call):
        return None
    call = first.tuple
    for number, item in enumerate(items):
        if not isinstance(item, TupleGetItemExpr) or item.tuple is not call or item.index != number:
            return None
    return call if isinstance(call.type, TupleType) and len(call.type.types) == len(items) else None


def read_constant(_context: Context, node: ast.expr) -> object:
    """A literal."""
    return cast("ast.Constant", node).value


def read_name(context: Context, node: ast.expr) -> object:
    """A name: of the function body first, of the surrounding Python next."""
    name = cast("ast.Name", node).id
    found = context.scope.value(name)
    if found is not None:
        return found
    closure = context.closure
    if name in closure:
        return imported(closure[name])
    if name in SAFE_BUILTINS:
        return SAFE_BUILTINS[name]
    if name.endswith("__FREE_VAR"):
        return context.callees.free_variable(name)
    context.fail(UndefinedVariableError, f"Undefined variable '{name}'", node, hint=_UNDEFINED_HINT)


def imported(value: object) -> object:
    """A Python value as the language sees it: dynamic dimensions and wrapped values become IR."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        if any(type(item) not in _PLAIN for item in items):
            return [imported(item) for item in items]
        return items
    if isinstance(value, Expr | ModuleType | DataType):
        return value
    unwrap = getattr(value, "unwrap", None)
    if unwrap is None or isinstance(value, type) or getattr(value, "expr", value) is None:
        return value  # no wrapper, or an annotation that wraps nothing
    return unwrap()


_PLAIN = frozenset({int, float, bool, str, type(None)})


def read_attribute(context: Context, node: ast.expr) -> object:
    """An attribute of a Python value."""
    attribute = cast("ast.Attribute", node)
    root = attribute.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and context.scope.lookup(root.id) is not None:
        specialized = context.facts.constants is not None and attribute.attr in NAMES
        found = read_shape_attribute(context, attribute) if specialized else None
        return refuse_attribute(context, node) if found is None else found
    if isinstance(attribute.value, ast.Name) and attribute.value.id == context.facts.self_name:
        return GlobalVar(attribute.attr)  # a function of the program, as attributes may hold it
    owner = context.value(attribute.value)
    if isinstance(owner, Expr):
        refuse_attribute(context, node)
    missing = object()
    try:
        found = getattr(owner, attribute.attr, missing)
    except BUG_CLASS_EXCEPTIONS:
        raise
    except Exception as error:
        message = f"Failed to evaluate expression '{ast.unparse(node)}': {error}"
        raise ParserTypeError(message, context.span(node), source_lines=context.source.lines) from error
    if found is missing:
        _refuse_name(context, attribute, owner)
    return imported(found)


def _refuse_name(context: Context, node: ast.Attribute, owner: object) -> NoReturn:
    """Say that a Python object has no attribute of this name."""
    members = cast("list[str]", list(getattr(owner, "__members__", ())))
    hint = f"Valid values: {', '.join(sorted(members))}" if members else None
    close = get_close_matches(node.attr, members or dir(owner), 1)
    if close and not members:
        hint = f"Did you mean '{close[0]}'?"
    context.fail(ParserSyntaxError, f"Unknown name '{ast.unparse(node)}'", node, hint=hint)


def refuse_attribute(context: Context, node: ast.expr) -> object:
    """Say that an attribute stands where a value should."""
    return context.fail(
        UnsupportedFeatureError, f"Standalone attribute access not supported: {ast.unparse(node)}", node
    )


def read_sequence(context: Context, node: ast.expr) -> object:
    """A tuple or list display: a list of its values."""
    elements = cast("ast.Tuple | ast.List", node).elts
    values = [context.value(element) for element in elements]
    return values if isinstance(node, ast.List) else tuple(values)


def read_dict(context: Context, node: ast.expr) -> object:
    """A dictionary display, as attributes and options are written."""
    display = cast("ast.Dict", node)
    result: dict[object, object] = {}
    for key, value in zip(display.keys, display.values, strict=True):
        if key is None:
            context.fail(UnsupportedFeatureError, "Unsupported expression type: dict unpacking", node)
        name = context.value(key)
        if not isinstance(name, str | int | float | None):
            message = f"A key of a dictionary must be a string or a number, got {type(name).__name__}"
            context.fail(ParserTypeError, message, key)
        result[name] = context.value(value)
    return result


def read_joined_str(context: Context, node: ast.expr) -> object:
    """An f-string of constants."""
    parts: list[str] = []
    for part in cast("ast.JoinedStr", node).values:
        formatted = isinstance(part, ast.FormattedValue)
        if formatted and (part.conversion >= 0 or part.format_spec is not None):
            context.fail(UnsupportedFeatureError, "Unsupported expression type: JoinedStr with a format", node)
        value = context.value(part.value if formatted else part)
        if isinstance(value, Expr):
            context.fail(UnsupportedFeatureError, "Unsupported expression type: JoinedStr of IR values", node)
        parts.append(str(value))
    return "".join(parts)


def dynamic_var(name: str) -> Var:
    """A dimension that is known when the program runs."""
    return Var(name, ScalarType(DataType.INDEX))
