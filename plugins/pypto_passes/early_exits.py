# SPDX-License-Identifier: Apache-2.0
"""Whether a loop may be left before its last iteration, or an iteration before its end."""

from __future__ import annotations

from pypto_build.ir import BreakStmt, ContinueStmt, Expr, ForStmt, Stmt, Visitor, WhileStmt


def leaves_loop(body: Stmt) -> bool:
    """Whether a break or continue of the loop itself stands in its body."""
    visitor = _Leaves()
    visitor.visit(body)
    return visitor.found


class _Leaves(Visitor):
    def __init__(self) -> None:
        self.found = False

    def visit_break_stmt(self, _: BreakStmt) -> None:
        self.found = True

    def visit_continue_stmt(self, _: ContinueStmt) -> None:
        self.found = True

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        """An inner loop's own."""

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        """An inner loop's own."""

    def visit_expr(self, expr: Expr) -> None:
        """No statements inside."""
