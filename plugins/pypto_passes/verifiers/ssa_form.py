# SPDX-License-Identifier: Apache-2.0
"""SSAForm: each variable is bound once and read where it is visible; loops and branches yield what they declare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pypto_build.errors import Diagnostic, Span
from pypto_build.ir import (
    ForStmt,
    Function,
    IfStmt,
    Program,
    RuntimeScopeStmt,
    SplitAivScopeStmt,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    collect,
    statements,
)
from pypto_build.passes import PassContext
from pypto_passes.verifiers.scoped_walk import ScopedWalk

MULTIPLE_ASSIGNMENT, NAME_SHADOWING, MISSING_YIELD = 1, 2, 3
ITER_ARGS_RETURN_VARS_MISMATCH, YIELD_COUNT_MISMATCH, SCOPE_VIOLATION, MISPLACED_YIELD = 4, 5, 6, 7
TRANSPARENT = (RuntimeScopeStmt, SplitAivScopeStmt)


def verify_ssa_form(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Everything that contradicts single assignment. Source: the public rule SSAVerify and its numbers."""
    del context
    for function in program.functions.values():
        yield from _bindings(function)
        for stmt in collect(function.body, IfStmt, ForStmt, WhileStmt):
            yield from _branch(stmt) if isinstance(stmt, IfStmt) else _loop(stmt)


def _bindings(function: Function) -> Iterator[Diagnostic]:
    walk = _Bindings()
    walk.walk(function)
    walk.counts.subtract(function.params)  # to receive a value is no assignment: the public rule counts statements only
    for var, count in walk.counts.items():
        if count > 1:
            text = f"Variable '{var.name_hint}' is assigned more than once ({count} times), violating SSA form"
            yield _error(MULTIPLE_ASSIGNMENT, text, walk.last[var])
    yield from walk.hidden
    yield from walk.found.values()


class _Bindings(ScopedWalk):
    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[Var] = Counter()
        self.last: dict[Var, Span] = {}
        self.found: dict[Var, Diagnostic] = {}
        self.hidden: list[Diagnostic] = []

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        self._hiding(stmt, (stmt.loop_var, *stmt.iter_args))
        super().visit_for_stmt(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        self._hiding(stmt, stmt.iter_args)
        super().visit_while_stmt(stmt)

    def _hiding(self, stmt: Stmt, own: Iterable[Var]) -> None:
        """A loop must not bind what is visible where it stands; that is no second assignment, so it is not counted."""
        for var in filter(self.visible.__contains__, own):
            text = f"Variable '{var.name_hint}' of a loop shadows the variable of an outer scope"
            self.hidden.append(_error(NAME_SHADOWING, text, stmt.span))
            self.counts[var] -= 1

    def defined(self, var: Var) -> None:
        super().defined(var)
        self.counts[var] += 1
        self.last[var] = self.place

    def unseen(self, var: Var) -> None:
        text = f"Variable '{var.name_hint}' used outside its defining scope"
        self.found.setdefault(var, _error(SCOPE_VIOLATION, text, self.place))


def _branch(stmt: IfStmt) -> Iterator[Diagnostic]:
    if stmt.else_body is None:
        if stmt.return_vars:
            yield _error(MISSING_YIELD, "IfStmt with return_vars must have else branch", stmt.span)
        return
    for name, body in (("then", stmt.then_body), ("else", stmt.else_body)):
        what = f"IfStmt {name} branch"
        yield from _yields(body, stmt, what=what, wanted=("return_vars", len(stmt.return_vars)))


def _loop(stmt: ForStmt | WhileStmt) -> Iterator[Diagnostic]:
    kind = type(stmt).__name__
    carried, results = len(stmt.iter_args), len(stmt.return_vars)
    if carried != results:
        text = f"{kind} iter_args count ({carried}) != return_vars count ({results})"
        yield _error(ITER_ARGS_RETURN_VARS_MISMATCH, text, stmt.span)
    yield from _yields(stmt.body, stmt, what=kind, wanted=("iter_args", carried))


def _yields(body: Stmt, owner: Stmt, *, what: str, wanted: tuple[str, int]) -> Iterator[Diagnostic]:
    """A body ends in one yield with as many values as its owner declares, or in none if that is nothing."""
    name, count = wanted
    stmts = _flat(body)
    for stmt in stmts[:-1]:
        if isinstance(stmt, YieldStmt):
            text = f"{what} has a YieldStmt before the terminating position of its body"
            yield _error(MISPLACED_YIELD, text, stmt.span)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        if len(last.value) != count:
            text = f"{what} YieldStmt value count ({len(last.value)}) != {name} count ({count})"
            yield _error(YIELD_COUNT_MISMATCH, text, last.span)
    elif count:
        yield _error(MISSING_YIELD, f"{what} with {name} must have YieldStmt at the end of its body", owner.span)


def _flat(body: Stmt) -> tuple[Stmt, ...]:
    """The statements of a body; a runtime scope at its end is looked through, because it hands yields on."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    return (*stmts[:-1], *_flat(last.body)) if isinstance(last, TRANSPARENT) else stmts


def _error(code: int, text: str, span: Span) -> Diagnostic:
    return Diagnostic("error", "SSAVerify", text, span, error_code=code)
