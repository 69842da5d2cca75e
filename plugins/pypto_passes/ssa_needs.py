# SPDX-License-Identifier: Apache-2.0
"""What ConvertToSSA must know before it walks forward: what a statement assigns, and what is needed after it.

One backward walk over the function; a redefinition before a use ends a need (SSA-49). Scopes but RuntimeScope and
SplitAiv end all needs at their border: what exists before them is carried anyway, and what is new inside them must not
be carried out by an inner loop (SSA-53, SSA-56).
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    RuntimeScopeStmt,
    ScopeStmt,
    SeqStmts,
    SplitAivScopeStmt,
    Stmt,
    Type,
    Var,
    WhileStmt,
    statements,
    used_vars,
)

TRANSPARENT = (RuntimeScopeStmt, SplitAivScopeStmt)


class Needs:
    """Per loop the Vars needed after it, per compound statement the Vars that it assigns."""

    def __init__(self, function: Function) -> None:
        self._assigned: dict[Stmt, dict[Var, None]] = {}
        self._after_loop: dict[Stmt, frozenset[Var]] = {}
        self._before(function.body, set())

    def assigned(self, stmt: Stmt) -> dict[Var, None]:
        """The Vars that a statement assigns, itself or below, in order of first appearance."""
        known = self._assigned.get(stmt)
        if known is None:
            known = self._assigned[stmt] = dict.fromkeys(_assigned(self, stmt))
        return known

    def after(self, loop: Stmt) -> frozenset[Var]:
        """The Vars that a loop assigns in its body and that something after it reads first."""
        return self._after_loop.get(loop, frozenset())

    def _before(self, stmt: Stmt, needed: set[Var]) -> set[Var]:
        """What is needed before a statement, given what is needed after it; `needed` may be changed."""
        match stmt:
            case SeqStmts():
                for inner in reversed(stmt.stmts):
                    needed = self._before(inner, needed)
                return needed
            case AssignStmt():
                needed.discard(stmt.var)
                return _add_uses(needed, stmt.value, stmt.var.type)
            case IfStmt():
                needed -= set(stmt.return_vars)
                taken = self._before(stmt.then_body, set(needed))
                other = self._before(stmt.else_body, set(needed)) if stmt.else_body is not None else needed
                return _add_uses(taken | other, stmt.condition)
            case ForStmt() | WhileStmt():
                return self._before_loop(stmt, needed)
            case ScopeStmt():
                if isinstance(stmt, TRANSPARENT):
                    return self._before(stmt.body, needed)
                return needed | self._before(stmt.body, set())
            case _:
                return _add_uses(needed, stmt)

    def _before_loop(self, loop: ForStmt | WhileStmt, needed: set[Var]) -> set[Var]:
        needed -= set(loop.return_vars)
        self._after_loop[loop] = frozenset(needed.intersection(self.assigned(loop.body)))
        inside = self._before(loop.body, set(needed))
        if isinstance(loop, ForStmt):
            inside.discard(loop.loop_var)
            _add_uses(inside, loop.start, loop.stop, loop.step)
        else:
            _add_uses(inside, loop.condition)
        inside -= set(loop.iter_args)
        return _add_uses(needed | inside, *(arg.init_value for arg in loop.iter_args))


def _assigned(needs: Needs, stmt: Stmt) -> Iterable[Var]:
    match stmt:
        case AssignStmt():
            yield stmt.var
        case SeqStmts():
            for inner in stmt.stmts:
                yield from needs.assigned(inner)
        case IfStmt():
            yield from needs.assigned(stmt.then_body)
            for inner in statements(stmt.else_body):
                yield from needs.assigned(inner)
            yield from stmt.return_vars
        case ForStmt() | WhileStmt():
            own = {*stmt.iter_args, *((stmt.loop_var,) if isinstance(stmt, ForStmt) else ())}
            yield from (var for var in needs.assigned(stmt.body) if var not in own)
            yield from stmt.return_vars
        case ScopeStmt():
            yield from needs.assigned(stmt.body)
        case _:
            return


def _add_uses(needed: set[Var], *parts: Expr | Stmt | Type) -> set[Var]:
    needed.update(used_vars(*parts))
    return needed
