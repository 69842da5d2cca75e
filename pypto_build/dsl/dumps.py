# SPDX-License-Identifier: Apache-2.0
"""`pl.dump_tag(tensor)`: tensors whose contents are to be written out by every later task that uses them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.ir import Expr, FunctionType, TensorType, Var

_TAGGING = (FunctionType.Orchestration, FunctionType.Inline)


def read_dump_tag(context: Context, call: ast.Call) -> None:
    """Mark a tensor from here on."""
    if len(call.args) != 1 or call.keywords:
        context.fail(ParserSyntaxError, "pl.dump_tag() takes exactly one positional argument", call)
    target = call.args[0]
    if not isinstance(target, ast.Name):
        context.fail(ParserSyntaxError, "pl.dump_tag() takes a bare variable name", target)
    if context.facts.func_type not in _TAGGING:
        context.fail(ParserSyntaxError, "pl.dump_tag() is only valid inside an Orchestration or Inline function", call)
    var = context.expr(target)
    if not isinstance(var, Var) or not isinstance(var.type, TensorType):
        context.fail(ParserTypeError, f"pl.dump_tag() needs a tensor, got {var.type}", target)
    context.notes.setdefault("dump_tags", {})[var] = True


def dumped(context: Context, values: Iterable[Expr]) -> dict[str, object]:
    """The attribute that names the marked tensors among some values."""
    tags = context.notes.get("dump_tags")
    if not tags:
        return {}
    chosen = tuple(dict.fromkeys(value for value in values if value in tags))
    return {"dump_vars": chosen} if chosen else {}


def tagged(context: Context) -> tuple[Expr, ...]:
    """All marked tensors."""
    return tuple(var for var in context.notes.get("dump_tags", {}) if isinstance(var, Expr))
