# SPDX-License-Identifier: Apache-2.0
"""BreakContinueValid: break and continue stand in loops whose iterations run one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import BreakStmt, ContinueStmt, Expr, ForKind, ForStmt, Program, Stmt, Visitor, WhileStmt
from pypto_build.passes import PassContext


def verify_break_continue_valid(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every break and continue that no loop, or a loop of the wrong kind, is around."""
    del context
    for function in program.functions.values():
        finder = _Jumps()
        finder.visit(function.body)
        yield from finder.found


class _Jumps(Visitor):
    REFUSED: ClassVar[dict[ForKind | None, str]] = {
        None: "outside loop",
        ForKind.Parallel: "not supported in parallel loops",
        ForKind.Unroll: "not supported in unrolled loops",
    }

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.loop: ForKind | None = None

    def visit_break_stmt(self, stmt: BreakStmt) -> None:
        self._jump(stmt, "break")

    def visit_continue_stmt(self, stmt: ContinueStmt) -> None:
        self._jump(stmt, "continue")

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        self._inside(stmt.kind, stmt.body)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        self._inside(ForKind.Sequential, stmt.body)

    def visit_expr(self, expr: Expr) -> None:
        """No statements inside."""

    def _inside(self, kind: ForKind, body: Stmt) -> None:
        outer, self.loop = self.loop, kind
        self.visit(body)
        self.loop = outer

    def _jump(self, stmt: Stmt, word: str) -> None:
        reason = self.REFUSED.get(self.loop)
        if reason is not None:
            self.found.append(Diagnostic("error", "BreakContinueCheck", f"'{word}' {reason}", stmt.span))
