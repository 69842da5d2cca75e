# SPDX-License-Identifier: Apache-2.0
"""All statements of a body, and the variables that they define, without a look into expressions.

The general walks of the IR visit every expression; for a question about statements alone this is several times faster.
"""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.ir import (
    AssignStmt,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Var,
    WhileStmt,
    statements,
)


def nested_statements(body: Stmt | None) -> Iterator[Stmt]:
    """Every statement except sequences, in program order, a compound one before what is in it."""
    waiting = list(reversed(statements(body)))
    while waiting:
        stmt = waiting.pop()
        if not isinstance(stmt, SeqStmts):
            yield stmt
        waiting.extend(reversed(_inner(stmt)))


def _inner(stmt: Stmt) -> tuple[Stmt, ...]:
    if isinstance(stmt, AssignStmt):
        return ()
    if isinstance(stmt, IfStmt):
        return (*statements(stmt.then_body), *statements(stmt.else_body))
    if isinstance(stmt, SeqStmts):
        return stmt.stmts
    return statements(stmt.body) if isinstance(stmt, ForStmt | WhileStmt | ScopeStmt) else ()


def branches(stmt: IfStmt) -> tuple[Stmt, ...]:
    """The branches of a statement that are there."""
    return (stmt.then_body,) if stmt.else_body is None else (stmt.then_body, stmt.else_body)


def statement_value(stmt: Stmt) -> Expr | None:
    """The expression that a statement assigns or evaluates; None for any other statement."""
    match stmt:
        case AssignStmt():
            return stmt.value
        case EvalStmt():
            return stmt.expr
        case _:
            return None


def statement_vars(function: Function) -> Iterator[Var]:
    """Parameters and every variable that a statement defines; results of a compound statement before its body."""
    yield from function.params
    for stmt in nested_statements(function.body):
        if isinstance(stmt, AssignStmt):
            yield stmt.var
            continue
        if isinstance(stmt, ForStmt):
            yield stmt.loop_var
        if isinstance(stmt, ForStmt | WhileStmt):
            yield from stmt.iter_args
        if isinstance(stmt, ForStmt | WhileStmt | IfStmt):
            yield from stmt.return_vars


def assignments(function: Function) -> Iterator[AssignStmt]:
    """Every assignment, in program order."""
    return (stmt for stmt in nested_statements(function.body) if isinstance(stmt, AssignStmt))
