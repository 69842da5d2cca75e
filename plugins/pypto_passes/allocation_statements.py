# SPDX-License-Identifier: Apache-2.0
"""The `tile.alloc` statements of a function: which are there, which are still needed, and where new ones go."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.ir import AssignStmt, Call, Function, Stmt, TileType, Var, rebuilt, sequence, statements

ALLOC = "tile.alloc"


def is_allocation(stmt: Stmt) -> bool:
    """Whether a statement is an allocation."""
    return isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.op.name == ALLOC


def is_pinned(stmt: Stmt) -> bool:
    """Whether an allocation is declared by the author."""
    return isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and bool(stmt.value.kwargs.get("pinned"))


def with_allocations(function: Function, new: Sequence[Stmt] = ()) -> Function:
    """The function with new allocations behind the others, and without those that no tile is in.

    A declared allocation stays: its author may count on the space.
    """
    used = used_bases(function)
    stmts: list[Stmt] = []
    for stmt in statements(function.body):
        if not is_allocation(stmt) or is_pinned(stmt) or (isinstance(stmt, AssignStmt) and stmt.var in used):
            stmts.append(stmt)
    leading = 0
    while leading < len(stmts) and is_allocation(stmts[leading]):
        leading += 1
    if not new and len(stmts) == len(statements(function.body)):
        return function
    return rebuilt(function, {"body": sequence((*stmts[:leading], *new, *stmts[leading:]), function.body.span)})


def pinned_bases(function: Function) -> frozenset[Var]:
    """The allocations that the author declared."""
    stmts = (stmt for stmt in statements(function.body) if isinstance(stmt, AssignStmt))
    return frozenset(stmt.var for stmt in stmts if is_pinned(stmt))


def used_bases(function: Function) -> set[Var]:
    """The allocations that some tile is in."""
    refs = (var.type.memref for var in statement_vars(function) if isinstance(var.type, TileType))
    return {ref.base for ref in refs if ref is not None}
