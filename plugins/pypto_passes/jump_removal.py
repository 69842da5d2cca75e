# SPDX-License-Identifier: Apache-2.0
"""Removing one kind of jump from the body of a loop.

What follows a branch that jumps moves into the other branch. Where only a part of a branch jumps, a flag remembers it
and guards what follows. What such a branch binds for later code gets a first value in front of it, because nothing in
SSA form shows that it is read only where it was bound. For a loop that carries values, each way through the body ends
with the values to hand on: at a jump those that exist already, and what the iteration began with for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pypto_build.analysis.names import AutoName, NameCounter, base_name
from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    ConstBool,
    ContinueStmt,
    DataType,
    Expr,
    ForStmt,
    IfStmt,
    IterArg,
    Not,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    collect,
    defined_vars,
    rebuilt,
    scalar_type,
    sequence,
    statements,
    used_vars,
)
from pypto_passes.first_values import FirstValues
from pypto_passes.sure_bindings import Bound, after

Jump = type[BreakStmt] | type[ContinueStmt]
Values = tuple[Expr, ...]
Way = tuple[list[Stmt], Values]
"""Statements, and the values to hand on after them."""


def has_jump(stmt: Stmt | None, kind: Jump) -> bool:
    """Whether a statement contains a jump that leaves it; those of inner loops do not."""
    match stmt:
        case None | ForStmt() | WhileStmt():
            return False
        case IfStmt():
            return has_jump(stmt.then_body, kind) or has_jump(stmt.else_body, kind)
        case ScopeStmt():
            return has_jump(stmt.body, kind)
        case SeqStmts():
            return any(has_jump(inner, kind) for inner in stmt.stmts)
        case _:
            return isinstance(stmt, kind)


@dataclass(slots=True)
class JumpRemoval:
    """Removes the jumps of one kind from one loop body. A break sets its flag; a continue needs one only at times."""

    kind: Jump
    carried: tuple[IterArg, ...]
    names: NameCounter
    body: Stmt
    bound: Bound
    symbols: frozenset[Var]
    break_flag: Var | None = None
    _flag: Var | None = field(init=False)
    _inner: frozenset[Var] = field(init=False)
    _seen: set[Var] = field(init=False, default_factory=set)
    _end: Values = field(init=False, default=())

    def __post_init__(self) -> None:
        self._flag = self.break_flag
        self._inner = frozenset(defined_vars([self.body]))

    def run(self, stmts: Sequence[Stmt], end: Values) -> Way:
        """The statements without jumps, and the values to hand on at their end."""
        self._end = end
        return self._way(stmts, end)

    def _way(self, stmts: Sequence[Stmt], end: Values) -> Way:
        for index, stmt in enumerate(stmts):
            if isinstance(stmt, self.kind):
                return [*stmts[:index], *self._jump(stmt)], self._values_at_jump(end)
            if has_jump(stmt, self.kind):
                made, values = self._split(stmt, stmts[index + 1 :], end)
                return [*stmts[:index], *made], values
            if self.carried:  # only values to hand on ask what exists already
                self._seen.update(defined_vars([stmt]))
            self.bound = after(stmt, self.bound) or self.bound
        return list(stmts), end

    def _split(self, stmt: Stmt, rest: Sequence[Stmt], end: Values) -> Way:
        """A statement that may jump, and what follows it."""
        if isinstance(stmt, IfStmt):
            if self._jumps(stmt.then_body):
                return self._moved(stmt, rest, end, into_else=True)
            if self._jumps(stmt.else_body):
                return self._moved(stmt, rest, end, into_else=False)
            if not rest:
                return self._last(stmt, end)
        return self._guarded(stmt, rest, end)

    def _jumps(self, body: Stmt | None) -> bool:
        """Whether every way through a body ends in a jump, be it of the other kind."""
        for stmt in statements(body):
            if isinstance(stmt, BreakStmt | ContinueStmt):
                return True
            if isinstance(stmt, IfStmt) and self._jumps(stmt.then_body) and self._jumps(stmt.else_body):
                return True
        return False

    # -- one branch jumps: the rest moves into the other one -----------------------------------------------------------

    def _moved(self, stmt: IfStmt, rest: Sequence[Stmt], end: Values, *, into_else: bool) -> Way:
        jumping, going_on = (stmt.then_body, stmt.else_body) if into_else else (stmt.else_body, stmt.then_body)
        first = self._apart(statements(jumping), end)
        second = self._apart((*_without_yield(going_on, stmt.return_vars), *rest), end)
        then, otherwise = (first, second) if into_else else (second, first)
        return self._joined(stmt, then, otherwise, with_yields=self.break_flag is not None)

    def _apart(self, stmts: Sequence[Stmt], end: Values) -> Way:
        """One of several ways from here: what it binds is not there for the others."""
        seen, bound = set(self._seen), dict(self.bound)
        way = self._way(stmts, end)
        self._seen, self.bound = seen, bound
        return way

    def _joined(self, stmt: IfStmt, then: Way, otherwise: Way, *, with_yields: bool) -> Way:
        results = self._results()
        if results or with_yields:
            then_stmts, else_stmts = ([*way[0], YieldStmt(way[1], stmt.span)] for way in (then, otherwise))
        else:
            then_stmts, else_stmts = then[0], otherwise[0]
        else_body = sequence(else_stmts, stmt.span) if else_stmts else None
        parts = {"then_body": sequence(then_stmts, stmt.span), "else_body": else_body, "return_vars": results}
        return [rebuilt(stmt, parts)], results

    def _last(self, stmt: IfStmt, end: Values) -> Way:
        """Nothing follows: each branch ends with the values to hand on; a result among them is what it yields."""
        ways: list[Way] = []
        for body in (stmt.then_body, stmt.else_body):
            stmts = statements(body)
            last = stmts[-1] if stmts else None
            yielded = dict(zip(stmt.return_vars, last.value, strict=False)) if isinstance(last, YieldStmt) else {}
            values = tuple(yielded.get(value, value) if isinstance(value, Var) else value for value in end)
            ways.append(self._apart(stmts[:-1] if isinstance(last, YieldStmt) else stmts, values))
        return self._joined(stmt, ways[0], ways[1], with_yields=False)

    # -- only a part of it jumps: a flag guards the rest ---------------------------------------------------------------

    def _guarded(self, stmt: Stmt, rest: Sequence[Stmt], end: Values) -> Way:
        result: list[Stmt] = []
        outer = self._flag
        if self._flag is None:
            self._flag = Var(self.names.fresh("continue", "tmp"), scalar_type(DataType.BOOL), stmt.span)
            result.append(AssignStmt(self._flag, ConstBool(False, stmt.span), stmt.span))
        flag = self._flag
        result += self._first_values(stmt, (*rest, *end))
        made, values = self._inside(stmt)
        result.append(made)
        if rest or end is not self.carried:
            following = self._way(rest, end)
            condition = Not(flag, DataType.BOOL, stmt.span)
            check = IfStmt(condition, SeqStmts(()), None, (), stmt.span)
            if following[0] or self.carried:
                checked, values = self._joined(check, following, ([], values), with_yields=False)
                result.extend(checked)
        self._flag = outer
        return result, values

    def _first_values(self, stmt: Stmt, read: Sequence[Stmt | Expr]) -> list[Stmt]:
        """Assignments of any value to what a statement may bind, and is sure to have bound where it is read later."""
        used = used_vars(*read)
        first = FirstValues(self._temporary, symbols=self.symbols, refuse=True)
        result: list[Stmt] = []
        for var in dict.fromkeys(_assigned(stmt)):
            if var in used and var not in self.bound and var is not self._flag:
                value = first.of(var, var.type, outputs=(), versions=self.bound)
                result += [*first.take(), AssignStmt(var, value, stmt.span)]
                self.bound[var] = None
        return result

    def _temporary(self, var: Var) -> str:
        return self.names.fresh(base_name(var.name_hint), "tmp")

    def _inside(self, stmt: Stmt) -> tuple[Stmt, Values]:
        """The statement whose ways either jump or go on with what the iteration began with."""
        if isinstance(stmt, ScopeStmt):
            body, values = self._way(statements(stmt.body), self.carried)
            return rebuilt(stmt, {"body": sequence(body, stmt.body.span)}), values
        assert isinstance(stmt, IfStmt)
        if stmt.return_vars:
            raise UserError(
                "CTRL001",
                f"a {self.kind.__name__} stands deep in a branch that hands on values",
                stmt.span,
                help="run ctrl_flow_transform before convert_to_ssa",
            )
        made, values = self._last(stmt, self.carried)
        return made[0], values

    # -- values --------------------------------------------------------------------------------------------------------

    def _jump(self, stmt: Stmt) -> list[Stmt]:
        return [AssignStmt(self._flag, ConstBool(True, stmt.span), stmt.span)] if self._flag is not None else []

    def _values_at_jump(self, end: Values) -> Values:
        """What is handed on there: of the values at the end of the way those that exist already.

        A way that ends with what the iteration began with stands inside a guarded statement: the end is the body's.
        """
        pairs = zip(self._end if end is self.carried else end, self.carried, strict=True)
        return tuple(value if self._exists(value) else began for value, began in pairs)

    def _exists(self, value: Expr) -> bool:
        return isinstance(value, Var) and (value not in self._inner or value in self._seen)

    def _results(self) -> tuple[Var, ...]:
        return tuple(
            Var(self.names.fresh(AutoName.parse(arg.name_hint).base, "phi"), arg.type, arg.span) for arg in self.carried
        )


def _assigned(stmt: Stmt) -> Iterator[Var]:
    """What a statement assigns, and the results of the branches and loops in it."""
    for inner in collect(stmt, AssignStmt, IfStmt, ForStmt, WhileStmt):
        yield from (inner.var,) if isinstance(inner, AssignStmt) else inner.return_vars


def _without_yield(body: Stmt | None, results: tuple[Var, ...]) -> tuple[Stmt, ...]:
    """The statements of a branch; its results are assigned what it yields, as only this branch goes on."""
    stmts = statements(body)
    if not stmts or not isinstance(stmts[-1], YieldStmt):
        return stmts
    pairs = zip(results, stmts[-1].value, strict=True)
    return (*stmts[:-1], *(AssignStmt(var, value, stmts[-1].span) for var, value in pairs))
