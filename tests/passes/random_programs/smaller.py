# SPDX-License-Identifier: Apache-2.0
"""Making a failing program smaller: statements go, bodies take the place of what is around them, operands that of sums.

The text is Python, so it is its syntax tree that gets smaller. What is no program any more does not fail the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

Fails = Callable[[str], bool]
_BODIES = ("body", "orelse")
_OPERANDS = (ast.Name, ast.Constant, ast.Call, ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp)


def smaller(text: str, fails: Fails) -> str:
    """The smallest program found from one that fails, by steps after each of which it still fails."""
    tree = ast.parse(text)
    while any([_without_statements(tree, fails), _without_nesting(tree, fails), _without_operations(tree, fails)]):
        pass
    return ast.unparse(tree) + "\n"


def _bodies(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The lists of statements, outer ones first, and those of functions from the last."""
    for node in ast.walk(tree):
        for name in _BODIES:
            if isinstance(getattr(node, name, None), list) and getattr(node, name):
                yield node, name


def _without_statements(tree: ast.Module, fails: Fails) -> bool:
    progress = False
    for node, name in list(_bodies(tree)):
        size = len(getattr(node, name))
        while size > 0:
            progress |= _without_chunks(tree, node, name, size=size, fails=fails)
            size = min(size // 2, len(getattr(node, name)))
    return progress


def _without_chunks(tree: ast.Module, node: ast.AST, name: str, *, size: int, fails: Fails) -> bool:
    """Leave out so many statements in a row, wherever that is possible."""
    progress = False
    start = len(getattr(node, name)) - size
    while start >= 0:
        old: list[ast.stmt] = getattr(node, name)
        new = old[:start] + old[start + size :]
        if not new and name == "body" and isinstance(old[0], ast.Pass):
            return progress
        progress |= _tried(tree, node, name, new or ([ast.Pass()] if name == "body" else []), fails=fails)
        start -= size
    return progress


def _without_nesting(tree: ast.Module, fails: Fails) -> bool:
    """Put the body of a loop, a branch or a scope in its place."""
    progress = False
    for node, name in list(_bodies(tree)):
        for position in reversed(range(len(getattr(node, name)))):
            old: list[ast.stmt] = getattr(node, name)
            news = ([*old[:position], *body, *old[position + 1 :]] for body in _inner(old[position]))
            progress |= any(_tried(tree, node, name, new, fails=fails) for new in news)
    return progress


def _inner(stmt: ast.stmt) -> Iterator[list[ast.stmt]]:
    """What may stand for a statement: its bodies, also without what they hand on at their end."""
    if not isinstance(stmt, ast.FunctionDef | ast.ClassDef):
        for name in _BODIES:
            body: list[ast.stmt] = getattr(stmt, name, [])
            yield from (part for part in (body, body[:-1]) if part)


def _without_operations(tree: ast.Module, fails: Fails) -> bool:
    """Put an operand in the place of an operation."""
    progress = False
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Attribute | ast.arg):
            continue
        for name, value in list(ast.iter_fields(node)):
            progress |= isinstance(value, ast.expr) and _with_operand(tree, node, name, fails=fails)
    return progress


def _with_operand(tree: ast.Module, node: ast.AST, name: str, *, fails: Fails) -> bool:
    value: ast.expr = getattr(node, name)
    parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, _OPERANDS)]
    return any(_tried(tree, node, name, part, fails=fails) for part in parts)


def _tried(tree: ast.Module, node: ast.AST, name: str, new: object, *, fails: Fails) -> bool:
    """Set a field where the program still fails with it."""
    old = getattr(node, name)
    setattr(node, name, new)
    try:
        kept = fails(ast.unparse(tree))
    except (SyntaxError, AttributeError, TypeError, IndexError):  # what is left is no program text at all
        kept = False
    if not kept:
        setattr(node, name, old)
    return kept
