# SPDX-License-Identifier: Apache-2.0
"""Which jumps leave an iteration after it has bound something, or out of a scope that becomes a function."""

from __future__ import annotations

from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    ContinueStmt,
    Expr,
    ForStmt,
    IfStmt,
    ScopeStmt,
    Stmt,
    Visitor,
    WhileStmt,
)


def leaves_values_behind(body: Stmt) -> bool:
    """Whether an iteration may be left early with values that the next iteration or later code may read."""
    visitor = _LateJumps()
    visitor.visit(body)
    return visitor.found


class _LateJumps(Visitor):
    """Walks one body in order; inner loops keep their own jumps, but bind."""

    def __init__(self) -> None:
        self.found = False
        self._bound = False
        self._jumps = 0

    def visit_assign_stmt(self, _: AssignStmt) -> None:
        self._bound = True

    def visit_for_stmt(self, _: ForStmt) -> None:
        self._bound = True

    def visit_while_stmt(self, _: WhileStmt) -> None:
        self._bound = True

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        """Where one branch jumps, what the other one binds has no second value to be merged with."""
        before, jumps = self._bound, self._jumps
        bodies = (stmt.then_body, *([stmt.else_body] if stmt.else_body is not None else []))
        binding: list[bool] = []
        for body in bodies:
            self._bound = before
            self.visit(body)
            binding.append(self._bound)
        self._bound = any(binding)
        self.found |= self._jumps > jumps and len(bodies) > 1 and self._bound > before

    def visit_scope_stmt(self, stmt: ScopeStmt) -> None:
        """Nothing can leave a function for a loop of its caller."""
        self._bound = True
        self.visit(stmt.body)

    def visit_break_stmt(self, _: BreakStmt) -> None:
        self._jump()

    def visit_continue_stmt(self, _: ContinueStmt) -> None:
        self._jump()

    def _jump(self) -> None:
        self._jumps += 1
        self.found |= self._bound

    def visit_expr(self, expr: Expr) -> None:
        """No statements inside."""
