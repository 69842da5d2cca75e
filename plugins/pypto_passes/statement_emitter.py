# SPDX-License-Identifier: Apache-2.0
"""A rewriter that may put statements in front of the one that it rewrites."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pypto_build.errors import Span
from pypto_build.ir import AssignStmt, EvalStmt, Expr, Rewriter, Stmt, TileType, Var, rebuilt

Rewritten = Stmt | tuple[Stmt, ...] | None
_S = TypeVar("_S", bound=Stmt)


class StatementEmitter(Rewriter):
    """Override `rewrite_assign` and `rewrite_eval`; what they `emit` stands in front of what they return."""

    def __init__(self) -> None:
        super().__init__()
        self._emitted: list[Stmt] = []

    def emit(self, value: Expr, hint: str, span: Span) -> Var:
        """Bind a value in front of the statement that is rewritten; the span is that of the new statement."""
        var = Var(hint, value.type, span)
        self._emitted.append(AssignStmt(var, value, span))
        return var

    def assigned(self, stmt: AssignStmt, value: Expr) -> Stmt:
        """The assignment of another value; of a tile that lies in another way, to a Var of its own."""
        kind, old = value.type, stmt.var.type
        if isinstance(kind, TileType) and isinstance(old, TileType) and kind != old:
            var = self.rebound(stmt.var, {"type": kind.replace(memref=old.memref)})
            return rebuilt(stmt, {"var": var, "value": value})
        return stmt if value is stmt.value else rebuilt(stmt, {"value": value})

    def rewrite_assign(self, stmt: AssignStmt) -> Rewritten:
        """What an assignment becomes."""
        return self.visit_node(stmt)

    def rewrite_eval(self, stmt: EvalStmt) -> Rewritten:
        """What a call whose result is dropped becomes."""
        return self.visit_node(stmt)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Rewritten:
        return self.with_emitted(stmt, self.rewrite_assign)

    def visit_eval_stmt(self, stmt: EvalStmt) -> Rewritten:
        return self.with_emitted(stmt, self.rewrite_eval)

    def with_emitted(self, stmt: _S, rewrite: Callable[[_S], Rewritten]) -> Rewritten:
        """What a statement becomes, with what was emitted for it in front."""
        outer, self._emitted = self._emitted, []
        made = rewrite(stmt)
        emitted, self._emitted = self._emitted, outer
        if not emitted:
            return made
        return (*emitted, *(made if isinstance(made, tuple) else () if made is None else (made,)))
