# SPDX-License-Identifier: Apache-2.0
"""Conditions of branches and loops."""

from __future__ import annotations

import ast

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserTypeError
from pypto_build.ir import ConstBool, DataType, Expr, ScalarType


def condition(context: Context, node: ast.expr, statement: str) -> Expr:
    """A condition, which must be a BOOL scalar."""
    value = context.expr(node)
    if isinstance(value, ConstBool) or (isinstance(value.type, ScalarType) and value.type.dtype is DataType.BOOL):
        return value
    context.fail(
        ParserTypeError,
        f"{statement} condition must be a Bool-typed scalar expression, got {value.type}",
        node,
        hint="Compare it: x > 0 instead of x",
    )
