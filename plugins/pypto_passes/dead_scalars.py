# SPDX-License-Identifier: Apache-2.0
"""Dropping scalars that nobody reads, and results of branches that nobody takes.

One walk backwards over a function: what is read later is known when a definition is met. An assignment whose value
calls something stays, because a call may do more than yield a value.
"""

from __future__ import annotations

from collections.abc import Collection

from pypto_build.ir import (
    AssignStmt,
    Call,
    ForStmt,
    Function,
    IfStmt,
    MemRef,
    ScalarType,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Submit,
    UsedVarsAndSymbols,
    Var,
    WhileStmt,
    WindowBuffer,
    YieldStmt,
    collect,
    rebuilt,
    sequence,
    statements,
)


def without_dead_scalars(function: Function, unstable: Collection[Var]) -> Function:
    """The function without them; the same object when there are none. Variables assigned more than once stay."""
    sweep = _Sweep(frozenset(unstable))
    for kind in function.return_types:
        sweep.uses.visit_type(kind)
    for param in function.params:
        sweep.uses.visit_type(param.type)
    body = sweep.body(function.body)
    return function if body is function.body else rebuilt(function, {"body": body})


class AllUses(UsedVarsAndSymbols):
    """Every variable that an expression, a type or an attribute reads, and what allocations are made with."""

    def visit_mem_ref(self, ref: MemRef) -> None:
        """An allocation is read by the tile that is in it."""
        self.walk_entity(ref)

    def visit_window_buffer(self, buffer: WindowBuffer) -> None:
        """So is the allocation of a window."""
        self.visit_var(buffer)
        self.walk_entity(buffer)


class _Sweep:
    def __init__(self, unstable: frozenset[Var]) -> None:
        self.unstable = unstable
        self.uses = AllUses()

    def body(self, body: Stmt) -> Stmt:
        stmts = statements(body)
        kept = [self.stmt(stmt) for stmt in reversed(stmts)]
        kept.reverse()
        if all(new is old for new, old in zip(kept, stmts, strict=True)):
            return body
        return sequence([stmt for stmt in kept if stmt is not None], body.span)

    def stmt(self, stmt: Stmt) -> Stmt | None:
        match stmt:
            case SeqStmts():
                return self.body(stmt)
            case AssignStmt() if self._is_dead(stmt):
                return None
            case IfStmt():
                return self._branch(stmt)
            case ForStmt() | WhileStmt() | ScopeStmt():
                return self._around(stmt)
            case _:
                self.uses.visit(stmt)
                return stmt

    def _is_dead(self, stmt: AssignStmt) -> bool:
        if not isinstance(stmt.var.type, ScalarType) or stmt.var in self.uses.found or stmt.var in self.unstable:
            return False
        return not collect(stmt.value, Call) and not collect(stmt.value, Submit)

    def _around(self, stmt: ForStmt | WhileStmt | ScopeStmt) -> Stmt:
        body = self.body(stmt.body)
        self.uses.visit(_header(stmt))
        return stmt if body is stmt.body else rebuilt(stmt, {"body": body})

    def _branch(self, stmt: IfStmt) -> Stmt | None:
        live = [index for index, var in enumerate(stmt.return_vars) if var in self.uses.found]
        then_body, else_body = stmt.then_body, stmt.else_body
        returns = stmt.return_vars
        if len(live) < len(returns):
            then, otherwise = _with_yields(then_body, live), else_body and _with_yields(else_body, live)
            if then is not None and otherwise is not None:
                then_body, else_body = then, otherwise
                returns = tuple(returns[index] for index in live)
        then_body, else_body = self.body(then_body), else_body and self.body(else_body)
        for var in returns:
            self.uses.visit_definition(var)
        if else_body is not None and not statements(else_body) and else_body is not stmt.else_body:
            else_body = None
        is_empty = not statements(then_body) and then_body is not stmt.then_body and else_body is None
        if is_empty and not collect(stmt.condition, Call):
            return None
        self.uses.visit(stmt.condition)
        changes = {"then_body": then_body, "else_body": else_body, "return_vars": returns}
        changed = {name: value for name, value in changes.items() if value is not getattr(stmt, name)}
        return rebuilt(stmt, changed) if changed else stmt


_NOTHING = SeqStmts(())


def _header(stmt: Stmt) -> Stmt:
    """A compound statement with nothing in it: what it reads and binds besides its body."""
    return rebuilt(stmt, {"body": _NOTHING})


def _with_yields(body: Stmt, live: list[int]) -> Stmt | None:
    """The branch yielding only some of its values; None when it does not end in a yield."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if not isinstance(last, YieldStmt):
        return None
    kept = (rebuilt(last, {"value": tuple(last.value[index] for index in live)}),) if live else ()
    return sequence((*stmts[:-1], *kept), body.span)
