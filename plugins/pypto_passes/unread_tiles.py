# SPDX-License-Identifier: Apache-2.0
"""Dropping loads and views that a lowering has left without a reader."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from pypto_build.ir import AssignStmt, Expr, Function, Rewriter, Stmt, Var, rebuilt, used_vars

READING = frozenset(
    {"tile.load", "tile.reshape", "tile.reinterpret_view", "tile.transpose_view", "tile.slice", "tensor.view"}
)
"""Operations that do nothing but yield their result."""


def without_unread(function: Function, candidates: Collection[Var]) -> Function:
    """The function without assignments to candidates that nothing reads; the same object when there are none.

    One walk for each operation of the longest chain that goes: a load, and the views of it.
    """
    unread = {var for var in candidates if var not in used_vars(function.body)} if candidates else set[Var]()
    while unread:
        function = rebuilt(function, {"body": _Dropper(unread).visit_body(function.body)})
        candidates = [var for var in candidates if var not in unread]
        used = used_vars(function.body)
        unread = {var for var in candidates if var not in used}
    return function


class _Dropper(Rewriter):
    REWRITES_TYPES: ClassVar[bool] = False

    def __init__(self, unread: Collection[Expr]) -> None:
        super().__init__()
        self._unread = unread

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | None:
        return None if stmt.var in self._unread else stmt
