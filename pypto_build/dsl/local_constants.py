# SPDX-License-Identifier: Apache-2.0
"""Names in a `@pl.jit` body that stand for Python values, `M, N = a.shape`, and branches that such values decide.

Only a name that is assigned once is a constant; one that a loop or a branch assigns again is a variable.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import cast

from pypto_build.dsl.bindings import assign_name, bind_alias
from pypto_build.dsl.constants import NUMBERS, projected, to_expr
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserError
from pypto_build.dsl.static_ops import known
from pypto_build.ir import DataType, Var


def bind_constants(context: Context, target: ast.expr, value: object, *, place: ast.stmt) -> bool:
    """Bind what of an assignment is known now; False when nothing is, and the assignment is still to be made."""
    if context.facts.constants is None or context.inline_depth:
        return False
    if isinstance(target, ast.Name):
        return _bind(context, target, value, place=place)
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, list | tuple):
        return False
    items = cast("list[object]", value)
    names = [element for element in target.elts if isinstance(element, ast.Name)]
    if projected(items) is not None or not len(items) == len(names) == len(target.elts):
        return False
    if not any(_is_constant(item) or _is_dimension(context, item) for item in items):
        return False
    for name, item in zip(names, items, strict=True):
        if not _bind(context, name, item, place=place):
            assign_name(context, name, to_expr(context, item, name), place=place)
    return True


def decision(context: Context, node: ast.If) -> bool | None:
    """Which branch a `@pl.jit` body takes where constants say so; None where the kernel decides when it runs."""
    if context.facts.constants is None or any(isinstance(part, ast.Call) for part in ast.walk(node.test)):
        return None
    if any(isinstance(part, ast.Attribute) and part.attr == "yield_" for part in ast.walk(node)):
        return None
    with suppress(ParserError):  # it is not known now, or it is wrong: then the branch itself is refused
        return known(context, node.test)
    return None


def _bind(context: Context, target: ast.Name, value: object, *, place: ast.stmt) -> bool:
    constants = context.facts.constants
    assert constants is not None  # bind_constants has looked
    if target.id not in constants.once:
        return False
    if _is_dimension(context, value):
        bind_alias(context, target, cast("Var", value), place=place)
        return True
    if not _is_constant(value):
        return False
    constants.values[target.id] = value
    return True


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_is_constant(item) for item in cast("tuple[object, ...]", value))
    return isinstance(value, (*NUMBERS, DataType))


def _is_dimension(context: Context, value: object) -> bool:
    """Whether a value is a dimension of a type, which has a name already."""
    return isinstance(value, Var) and value in context.callees.dimensions
