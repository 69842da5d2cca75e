# SPDX-License-Identifier: Apache-2.0
"""Functions whose body is not read: Python that runs on the host, and declarations of code that lives elsewhere."""

from __future__ import annotations

import ast
import textwrap

from pypto_build.dsl.calls import language_path
from pypto_build.dsl.context import Context
from pypto_build.dsl.prologue import read_func_attr
from pypto_build.ir import InlineLanguage, InlineStmt, Level, Role, SeqStmts, Stmt

_HOST_LEVEL = Level.HOST.value


def host_body(context: Context, node: ast.FunctionDef, *, level: Level | None, role: Role | None) -> Stmt | None:
    """The body of a host worker, verbatim, or an empty one for a bare `...`; None when the body is to be read."""
    if role is not Role.SubWorker or level is None or level.value < _HOST_LEVEL:
        return None
    rest = _after_prologue(context, node)
    if is_declaration(rest):
        return SeqStmts((), context.span(node))
    first, last = rest[0].lineno, node.end_lineno or node.lineno
    text = textwrap.dedent("\n".join(context.source.lines[first - 1 : last]))
    return InlineStmt(text, InlineLanguage.Python, context.span(rest[0]))


def is_declaration(body: list[ast.stmt]) -> bool:
    """Whether a body is `...` and nothing else."""
    rest = [stmt for stmt in body if not _is_string(stmt)]
    if len(rest) != 1:
        return False
    stmt = rest[0]
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant) and stmt.value.value is Ellipsis


def _after_prologue(context: Context, node: ast.FunctionDef) -> list[ast.stmt]:
    """The statements after the function attributes, which are read."""
    rest = list(node.body)
    kept: list[ast.stmt] = []
    while rest:
        stmt = rest[0]
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        if isinstance(call, ast.Call) and language_path(context, call.func) == ("pl", "func_attr"):
            read_func_attr(context, call)
        elif not _is_string(stmt):
            break
        else:
            kept.append(stmt)
        rest.pop(0)
    return rest or kept


def _is_string(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant) and isinstance(stmt.value.value, str)
