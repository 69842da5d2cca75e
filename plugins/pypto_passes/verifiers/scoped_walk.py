# SPDX-License-Identifier: Apache-2.0
"""A walk that knows which variables are visible at each place of a function.

Parameters are visible everywhere, and so are the symbolic dimensions that the signature names. What a loop or a branch
binds ends with it, but for its results; scopes are transparent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import (
    AssignStmt,
    ForStmt,
    Function,
    IfStmt,
    MemRef,
    Node,
    Stmt,
    TupleType,
    Type,
    Var,
    Visitor,
    WhileStmt,
    WindowBuffer,
    used_vars,
)


class ScopedWalk(Visitor):
    """Calls `unseen` for every variable that is read where it is not visible.

    LEAKS: whether a definition inside a loop or branch without results stays visible behind it, as before the
    conversion to single assignment.
    """

    LEAKS: ClassVar[bool] = False

    def __init__(self) -> None:
        self.visible: set[Var] = set()
        self._trail: list[Var] = []  # what became visible, in order
        self.place = UNKNOWN_SPAN  # of the statement that is walked

    def unseen(self, var: Var) -> None:
        """A variable is read where it is not visible."""
        raise NotImplementedError

    def defined(self, var: Var) -> None:
        """A variable is bound."""
        self._add(var)

    def walk(self, function: Function) -> None:
        """Walk one function."""
        self.place = function.span
        self.visible.update(used_vars(*(param.type for param in function.params), *function.return_types))
        for param in function.params:
            self.defined(param)
        self.walk_attrs(function.attrs)
        self.visit(function.body)

    def visit_var(self, var: Var) -> None:
        """A use."""
        if var not in self.visible:
            self.unseen(var)

    def visit_mem_ref(self, ref: MemRef) -> None:
        """An allocation inside a type is no use of a variable here."""

    def visit_window_buffer(self, buffer: WindowBuffer) -> None:
        """Neither is a window buffer."""

    def visit_type(self, kind: Type) -> None:
        """What a type names is read where a variable of that type is bound."""
        if isinstance(kind, TupleType):
            for element in kind.types:
                self.visit_type(element)
        else:
            self.walk_entity(kind)

    def visit_stmt(self, stmt: Stmt) -> None:
        """Any other statement."""
        before, self.place = self.place, _place(stmt, self.place)
        self.visit_node(stmt)
        self.place = before

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        """The value is read before the variable is bound."""
        self.place = _place(stmt, self.place)
        self.visit(stmt.value)
        self._bound(stmt.var)

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        """Each branch sees what is before the statement; only results stay."""
        self.place = _place(stmt, self.place)
        self.visit(stmt.condition)
        leaked: set[Var] = set()
        for body in (stmt.then_body, stmt.else_body):
            if body is not None:
                leaked |= self._inside(body, ())
        self._leak(stmt, leaked)
        self._results(stmt, stmt.return_vars)

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        """The loop variable and what the loop carries are visible in its body."""
        self.place = _place(stmt, self.place)
        for part in (stmt.start, stmt.stop, stmt.step, *(arg.init_value for arg in stmt.iter_args)):
            self.visit(part)
        self.walk_attrs(stmt.attrs)
        own = (stmt.loop_var, *stmt.iter_args)
        leaked = self._inside(stmt.body, own)
        self._leak(stmt, leaked)
        self._results(stmt, stmt.return_vars)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        """The condition reads what the loop carries."""
        self.place = _place(stmt, self.place)
        for arg in stmt.iter_args:
            self.visit(arg.init_value)
        leaked = self._inside(stmt.body, stmt.iter_args, stmt.condition)
        self._leak(stmt, leaked)
        self._results(stmt, stmt.return_vars)

    def _inside(self, body: Stmt, own: Iterable[Var], *first: Node) -> set[Var]:
        """Walk a body with its own variables; afterwards what it defined beyond these, no longer visible."""
        mark = len(self._trail)
        bound = tuple(own)
        for var in bound:
            self._bound(var)
        for part in (*first, body):
            self.visit(part)
        leaked = set(self._trail[mark:])
        del self._trail[mark:]
        self.visible -= leaked
        return leaked.difference(bound)

    def _leak(self, stmt: IfStmt | ForStmt | WhileStmt, leaked: set[Var]) -> None:
        if self.LEAKS and not stmt.return_vars:
            for var in leaked:
                self._add(var)

    def _add(self, var: Var) -> None:
        if var not in self.visible:
            self.visible.add(var)
            self._trail.append(var)

    def _results(self, stmt: Stmt, results: Iterable[Var]) -> None:
        self.place = _place(stmt, self.place)
        for var in results:
            self._bound(var)

    def _bound(self, var: Var) -> None:
        self.visit_type(var.type)
        self.defined(var)


def _place(stmt: Stmt, outer: Span) -> Span:
    return stmt.span if stmt.span.is_valid() else outer
