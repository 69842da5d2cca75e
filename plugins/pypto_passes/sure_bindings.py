# SPDX-License-Identifier: Apache-2.0
"""Which variables have a value on every way to a place, before the conversion to SSA form.

A way ends where a break, a continue or a return leaves the body; what other ways bind is then sure behind it. A loop
may not run, so what its body binds is not sure behind it.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    ContinueStmt,
    ForStmt,
    Function,
    IfStmt,
    ReturnStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Var,
    WhileStmt,
)

Bound = dict[Var, None]
"""Variables in the order in which they were bound."""


class SureBindings:
    """One walk over a function; what is sure in front of each loop is remembered."""

    def __init__(self, function: Function) -> None:
        self._at_loops: dict[Stmt, Bound] = {}
        after(function.body, dict.fromkeys(function.params), self._at_loops)

    def before(self, loop: Stmt) -> Bound:
        """What is sure in front of a loop of the function."""
        return dict(self._at_loops.get(loop, {}))


def after(stmt: Stmt | None, bound: Bound, at_loops: dict[Stmt, Bound] | None = None) -> Bound | None:
    """What is sure behind a statement, given what is in front of it (which changes); None if nobody gets there."""
    match stmt:
        case AssignStmt():
            bound[stmt.var] = None
        case SeqStmts():
            return _after_all(stmt.stmts, bound, at_loops)
        case IfStmt():
            ways = [after(body, dict(bound), at_loops) for body in (stmt.then_body, stmt.else_body)]
            going_on = [way for way in ways if way is not None]
            if not going_on:
                return None
            first, *others = going_on
            sure = {var: None for var in first if all(var in other for other in others)}
            return {**sure, **dict.fromkeys(stmt.return_vars)}
        case ForStmt() | WhileStmt():
            if at_loops is not None:
                at_loops[stmt] = dict(bound)
                own = (stmt.loop_var,) if isinstance(stmt, ForStmt) else ()
                after(stmt.body, {**bound, **dict.fromkeys((*own, *stmt.iter_args))}, at_loops)
            bound.update(dict.fromkeys(stmt.return_vars))
        case ScopeStmt():
            return after(stmt.body, bound, at_loops)
        case BreakStmt() | ContinueStmt() | ReturnStmt():
            return None
        case _:
            pass
    return bound


def _after_all(stmts: Iterable[Stmt], bound: Bound, at_loops: dict[Stmt, Bound] | None) -> Bound | None:
    now: Bound | None = bound
    for stmt in stmts:
        now = after(stmt, now, at_loops) if now is not None else None
    return now
