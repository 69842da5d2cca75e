# SPDX-License-Identifier: Apache-2.0
"""The statements that take the place of one composite operation: values bound to names, loops and branches."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.analysis.names import NameCounter
from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    DataType,
    EvalStmt,
    Expr,
    ForStmt,
    IfStmt,
    IterArg,
    Stmt,
    Var,
    YieldStmt,
    const_index,
    scalar_type,
    sequence,
)
from pypto_build.ops.arithmetic import ONE, ZERO

Fill = Callable[["Body", Var], None]
"""Writes the body of a loop, which is given the index of the iteration."""
Branch = Callable[["Body"], Expr]
"""Writes a branch and says what it yields."""


class Body:
    """Collects statements in order; what is bound is named after the variable whose value is computed.

    `names` is shared by everything that is expanded in a function, so that no two results have the same name.
    """

    def __init__(self, names: NameCounter, base: str, span: Span) -> None:
        self.names = names
        self.base = base
        self.span = span
        self.stmts: list[Stmt] = []

    def bind(self, role: str, value: Expr) -> Var:
        """A value under a name that says what it is for."""
        var = self._fresh(role, value)
        self.stmts.append(AssignStmt(var, value, self.span))
        return var

    def bound(self, role: str, value: Expr) -> Expr:
        """The same, unless the value is a variable or a constant already."""
        return self.bind(role, value) if isinstance(value, Call) else value

    def do(self, call: Call) -> None:
        """A call for its effect."""
        self.stmts.append(EvalStmt(call, self.span))

    def loop(self, role: str, stop: Expr, fill: Fill, *, step: int = 1) -> None:
        """The same for every index from 0 to before `stop`."""
        index, inner = self._index(role), self._nested()
        fill(inner, index)
        self.stmts.append(self._for(index, stop, step, inner))

    def fold(self, role: str, stop: Expr, first: Expr, *, fill: Callable[[Body, Var, Var], Expr]) -> Var:
        """A value that each iteration makes of that of the one before."""
        index, inner = self._index(f"{role}_of"), self._nested()
        carried = IterArg(self._name(role), first.type, self.span, first)
        inner.stmts.append(YieldStmt((fill(inner, index, carried),), self.span))
        result = self._fresh(role, first)
        self.stmts.append(self._for(index, stop, 1, inner, ((carried,), (result,))))
        return result

    def when(self, condition: Expr, fill: Callable[[Body], None]) -> None:
        """Only where a condition holds."""
        inner = self._nested()
        fill(inner)
        self.stmts.append(IfStmt(condition, inner.sequence(), None, (), self.span))

    def choose(self, role: str, condition: Expr, *, then: Branch, otherwise: Branch) -> Var:
        """One of two values of the same type."""
        bodies = [self._yielding(branch) for branch in (then, otherwise)]
        result = self._fresh(role, bodies[0][1])
        self.stmts.append(IfStmt(condition, bodies[0][0].sequence(), bodies[1][0].sequence(), (result,), self.span))
        return result

    def sequence(self) -> Stmt:
        """The statements as a body."""
        return sequence(self.stmts, self.span)

    def error(self, code: str, message: str, *, help: str) -> UserError:
        """A complaint about the operation that is expanded."""
        return UserError(code, message, self.span, help=help)

    def _yielding(self, branch: Branch) -> tuple[Body, Expr]:
        inner = self._nested()
        value = branch(inner)
        inner.stmts.append(YieldStmt((value,), self.span))
        return inner, value

    def _nested(self) -> Body:
        return Body(self.names, self.base, self.span)

    def _for(
        self,
        index: Var,
        stop: Expr,
        step: int,
        inner: Body,
        carried: tuple[tuple[IterArg, ...], tuple[Var, ...]] = ((), ()),
    ) -> ForStmt:
        width = ONE if step == 1 else const_index(step)
        return ForStmt(index, ZERO, stop, width, carried[0], inner.sequence(), carried[1], self.span)

    def _index(self, role: str) -> Var:
        return Var(self._name(role), scalar_type(DataType.INDEX), self.span)

    def _fresh(self, role: str, value: Expr) -> Var:
        return Var(self._name(role), value.type, self.span)

    def _name(self, role: str) -> str:
        return self.names.fresh(self.base, role)
