# SPDX-License-Identifier: Apache-2.0
"""Which statements of a region must stay before which, by definitions and uses, and when that is enough to know.

The graph has an edge from the statement that defines a Var to every statement that reads it; a compound statement
counts with all that is below it. It is sound only where the InOut-use discipline holds: what a call may have written
is not read under its old name afterwards. Source: CIO-30 to CIO-46.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pypto_build.errors import Diagnostic, InternalError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    GlobalVar,
    IfStmt,
    Node,
    ParamDirection,
    ReturnStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    defined_vars,
    statements,
    used_vars,
)

Directions = Callable[[str], tuple[ParamDirection, ...] | None]
"""The parameter directions of a function by name; None for one that is not known."""


@dataclass(frozen=True, slots=True)
class DependencyGraph:
    """The statements of a region and, for each by position, the positions that must come before it."""

    stmts: tuple[Stmt, ...]
    predecessors: tuple[frozenset[int], ...]

    def successors(self) -> tuple[tuple[int, ...], ...]:
        """For each position the positions that must come after it."""
        after: list[list[int]] = [[] for _ in self.stmts]
        for position, before in enumerate(self.predecessors):
            for earlier in before:
                after[earlier].append(position)
        return tuple(tuple(items) for items in after)


def dependency_graph(region: Stmt, directions: Directions | None = None) -> DependencyGraph:
    """The graph of a region's top-level statements.

    Raises:
        InternalError: `directions` is given and the region breaks the InOut-use discipline.
    """
    if directions is not None:
        broken = discipline_violations(region, directions)
        if broken:
            raise InternalError(broken[0].message, broken[0].span)
    stmts = statements(region)
    defined_at: dict[Var, int] = {}
    for position, stmt in enumerate(stmts):
        for var in defined_vars([stmt]):
            defined_at.setdefault(var, position)
    predecessors: list[frozenset[int]] = []
    for position, stmt in enumerate(stmts):
        before = {defined_at[var] for var in used_vars(stmt) if var in defined_at}
        predecessors.append(frozenset(before - {position}))
    return DependencyGraph(stmts, tuple(predecessors))


def discipline_violations(region: Stmt, directions: Directions) -> tuple[Diagnostic, ...]:
    """Every read of a Var after a call that takes it as Out or InOut; the call's result is what may be read instead."""
    walk = _Discipline(directions)
    walk.body(region)
    return tuple(walk.found.values())


class _Discipline:
    """Walks a region with the set of Vars that a call may have overwritten."""

    def __init__(self, directions: Directions) -> None:
        self.directions = directions
        self.dead: dict[Var, str] = {}
        self.found: dict[tuple[Var, Node], Diagnostic] = {}

    def body(self, stmt: Stmt) -> None:
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    self.body(inner)
            case AssignStmt():
                self._read(stmt.value, stmt)
                self._kill(stmt.value)
                self.dead.pop(stmt.var, None)  # a new assignment revives the name
            case EvalStmt():
                self._read(stmt.expr, stmt)
                self._kill(stmt.expr)
            case IfStmt():
                self._if(stmt)
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case ScopeStmt():
                self.body(stmt.body)
            case ReturnStmt() | YieldStmt():
                self._handed_on(stmt)
            case _:
                return

    def _handed_on(self, stmt: ReturnStmt | YieldStmt) -> None:
        """A Var that is returned names its buffer and reads nothing: wrappers do it."""
        for value in stmt.value:
            if not (isinstance(stmt, ReturnStmt) and isinstance(value, Var)):
                self._read(value, stmt)

    def _if(self, stmt: IfStmt) -> None:
        self._read(stmt.condition, stmt)
        before = dict(self.dead)
        self.body(stmt.then_body)
        after_then, self.dead = self.dead, before
        if stmt.else_body is not None:
            self.body(stmt.else_body)
        self.dead = {**after_then, **self.dead}
        for var in stmt.return_vars:
            self.dead.pop(var, None)

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            self._read(arg.init_value, stmt)
        own = [*stmt.iter_args, *((stmt.loop_var,) if isinstance(stmt, ForStmt) else ())]
        bounds = (stmt.start, stmt.stop, stmt.step) if isinstance(stmt, ForStmt) else (stmt.condition,)
        for _ in range(2):  # the second time round sees what the first left overwritten
            for var in own:
                self.dead.pop(var, None)
            for bound in bounds:
                self._read(bound, stmt)
            self.body(stmt.body)
        for var in (*own, *stmt.return_vars):
            self.dead.pop(var, None)

    def _read(self, expr: Expr, stmt: Stmt) -> None:
        if not self.dead:
            return
        for var in used_vars(expr):
            callee = self.dead.get(var)
            if callee is not None:
                text = (
                    f"Variable '{var.name_hint}' is read after it was passed as InOut/Out to '{callee}': "
                    "use the result of the call"
                )
                self.found.setdefault((var, stmt), Diagnostic("error", "InOutUseValid", text, stmt.span))

    def _kill(self, expr: Expr) -> None:
        if not isinstance(expr, Call) or not isinstance(expr.op, GlobalVar):  # a launch orders itself by its task id
            return
        for arg, direction in zip(expr.args, self.directions(expr.op.name) or (), strict=False):
            if direction is not ParamDirection.In and isinstance(arg, Var):
                self.dead[arg] = expr.op.name


def directions_of(
    known: Mapping[str, tuple[ParamDirection, ...]] | Iterable[tuple[str, tuple[ParamDirection, ...]]],
) -> Directions:
    """Directions by name out of a table."""
    return dict(known).get
