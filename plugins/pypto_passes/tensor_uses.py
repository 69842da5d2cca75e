# SPDX-License-Identifier: Apache-2.0
"""Where in a function each tensor is used: tensors that may be the same are one group, places are statements of bodies.

A use inside of a loop or branch is a use in the statement that holds it too, so that "between two statements" can be
asked of any body.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    SeqStmts,
    Stmt,
    Submit,
    Var,
    Visitor,
    statements,
)
from pypto_passes.tensor_flows import TensorFlows

Place = tuple[int, int]
"""A body, by identity, and the index of a statement in it."""


class TensorUses(Visitor):
    """The uses in one function. places: where each Var of an assignment is bound."""

    def __init__(self, function: Function, flows: TensorFlows) -> None:
        self._groups = _groups(flows)
        self._members: dict[Var, list[Var]] = {}
        for var in self._groups:
            self._members.setdefault(self._groups[var], []).append(var)
        self._flowing = {target for targets in flows.targets.values() for target in targets}
        self.places: dict[Var, Place] = {}
        self._at: list[Place] = []
        self._indices: dict[tuple[Var, int], list[int]] = {}
        self._operations: dict[Var, list[Call | Submit]] = {}
        self._body(function.body)

    def group(self, value: Expr) -> Expr:
        """What stands for all tensors that a value may be; itself where it is alone."""
        return self._groups.get(value, value) if isinstance(value, Var) else value

    def is_in(self, value: Expr, group: Expr) -> bool:
        """Whether a value is of a group."""
        return self.group(value) is group

    def origins(self, var: Var) -> int:
        """How many tensors of a group come from nothing else in it."""
        members = self._members.get(self._groups.get(var, var), [var])
        return sum(member not in self._flowing for member in members)

    def is_bound_behind(self, var: Var, place: Place) -> bool:
        """Whether a Var is bound in the same body behind a place."""
        bound = self.places.get(var)
        return bound is not None and bound[0] == place[0] and bound[1] > place[1]

    def operations(self, group: Expr) -> list[Call | Submit]:
        """The calls with an argument of a group, in order."""
        return self._operations.get(group, []) if isinstance(group, Var) else []

    def between(self, group: Expr, body: int, start: int, end: int) -> list[int]:
        """The statements of a body strictly between two of it that use the group."""
        indices = self._of(group, body)
        return indices[bisect_right(indices, start) : bisect_left(indices, end)]

    def after(self, group: Expr, body: int, end: int) -> list[int]:
        """The statements of a body behind one of it that use the group."""
        indices = self._of(group, body)
        return indices[bisect_right(indices, end) :]

    def _of(self, group: Expr, body: int) -> list[int]:
        return self._indices.get((group, body), []) if isinstance(group, Var) else []

    # -- the walk ------------------------------------------------------------------------------------------------------

    def _body(self, body: Stmt) -> None:
        for index, stmt in enumerate(statements(body)):
            self._at.append((id(body), index))
            self.visit(stmt)
            self._at.pop()

    def visit_seq_stmts(self, seq: SeqStmts) -> None:
        self._body(seq)

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        self.places[stmt.var] = self._at[-1]
        self.visit(stmt.value)

    def visit_var(self, var: Var) -> None:
        group = self._groups.get(var, var)
        for body, index in self._at:
            indices = self._indices.setdefault((group, body), [])
            if not indices or indices[-1] != index:
                indices.append(index)

    def visit_call(self, call: Call) -> None:
        self._note(call)

    def visit_submit(self, call: Submit) -> None:
        self._note(call)

    def _note(self, call: Call | Submit) -> None:
        groups = {self._groups.get(arg, arg) for arg in call.args if isinstance(arg, Var)}
        for group in groups:
            self._operations.setdefault(group, []).append(call)
        self.visit_node(call)


def _groups(flows: TensorFlows) -> dict[Var, Var]:
    """Each Var that flows anywhere by the one that stands for its group."""
    above: dict[Var, Var] = {}

    def top(var: Var) -> Var:
        while above.setdefault(var, var) is not var:
            above[var] = above[above[var]]
            var = above[var]
        return var

    for source, targets in flows.targets.items():
        for target in targets:
            above[top(source)] = top(target)
    return {var: top(var) for var in list(above)}
