# SPDX-License-Identifier: Apache-2.0
"""The two entries of the printer: any node, and types alone."""

from __future__ import annotations

from pypto_build.errors import InternalError
from pypto_build.ir.expr import Call, Expr, MemRef, Submit
from pypto_build.ir.node import Node
from pypto_build.ir.printing import control, expressions, scopes, statements
from pypto_build.ir.printing.calls import call, submit
from pypto_build.ir.printing.context import Context, Place, Rules, Style
from pypto_build.ir.printing.expressions import expression
from pypto_build.ir.printing.functions import function_text
from pypto_build.ir.printing.memrefs import memref
from pypto_build.ir.printing.names import fragment_names, function_names
from pypto_build.ir.printing.parts import joined
from pypto_build.ir.printing.program import program_text
from pypto_build.ir.printing.scan import Scan
from pypto_build.ir.printing.statements import statement
from pypto_build.ir.printing.types import type_text
from pypto_build.ir.program import Function, Program
from pypto_build.ir.stmt import Stmt
from pypto_build.ir.types import Type

RULES = Rules(
    {**expressions.RULES, Call: call, Submit: submit, MemRef: memref},
    {**statements.RULES, **control.RULES, **scopes.RULES},
)


def python_print(
    node: Node | Type,
    prefix: str = "pl",
    *,
    concise: bool = False,
    format: bool = True,
    explicit_layout: bool = False,
) -> str:
    """The text of a node or type in the language that the front end reads.

    concise: leave out the types of intermediate values. format: break signatures longer than 200 characters.
    explicit_layout: state the layout of every tile in full.
    """
    style = Style(prefix, concise, format, explicit_layout)
    if isinstance(node, Program):
        text = program_text(node, style, RULES)
    elif isinstance(node, Type):
        text = type_text(_fragment_context(node, style), node)
    else:
        text = _node_text(node, style)
    return text.removesuffix("\n")


def print_type(kind: Type, prefix: str = "pl", *, format: bool = True, explicit_layout: bool = False) -> str:
    """The text of a type."""
    return python_print(kind, prefix, format=format, explicit_layout=explicit_layout)


def _node_text(node: Node, style: Style) -> str:
    if isinstance(node, Function):
        scan = Scan(node)
        ctx = Context(style, RULES, function_names(scan, style.prefix), scan.window_sizes)
        return joined(function_text(ctx, node))
    ctx = _fragment_context(node, style)
    if isinstance(node, Stmt):
        return joined(statement(ctx, node, Place()))
    if isinstance(node, Expr):
        return joined(expression(ctx, node))
    raise InternalError(f"no text for a node of class {type(node).__name__}", node.span)


def _fragment_context(node: Node | Type, style: Style) -> Context:
    scan = Scan(node)
    return Context(style, RULES, fragment_names(scan, style.prefix), scan.window_sizes)
