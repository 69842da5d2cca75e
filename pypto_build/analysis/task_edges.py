# SPDX-License-Identifier: Apache-2.0
"""Dependencies between tasks that a pass has found: what AutoDeriveTaskDependencies writes and others read.

A derived edge names tasks by a variable: the id of a task, or a tensor or tuple that tasks have made; the result of a
loop stands for the tasks of all its iterations. A carried edge is a carry and stands for the task of the iteration
before.
"""

from __future__ import annotations

from typing import cast

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import Call, Expr, ForStmt, Function, IterArg, Submit, Var, WhileStmt, collect

DERIVED = "compiler_manual_dep_edges"
CARRIED = "compiler_carried_dep_edges"


def derived_edges(call: Call | Submit) -> tuple[Expr, ...]:
    """What a pass found that a task has to wait for."""
    return cast("tuple[Expr, ...]", call.attrs.get(DERIVED, ()))


def carried_edges(call: Call | Submit) -> tuple[Expr, ...]:
    """The carries whose tasks of the iteration before a task has to wait for."""
    return cast("tuple[Expr, ...]", call.attrs.get(CARRIED, ()))


class LoopSlots:
    """The carries and results of the loops of a function by their variables: the loop, and which of its slots it is."""

    def __init__(self, function: Function) -> None:
        self.by_var: dict[Var, tuple[ForStmt | WhileStmt, int]] = {}
        for loop in collect(function.body, ForStmt, WhileStmt):
            for variables in (loop.iter_args, loop.return_vars):
                self.by_var.update({var: (loop, slot) for slot, var in enumerate(variables)})

    def yielded(self, loop: ForStmt | WhileStmt, slot: int) -> Expr:
        """What an iteration hands on in a slot."""
        values = yielded_values(loop.body)
        return values[slot] if slot < len(values) else loop.iter_args[slot]

    def tasks(self, value: Expr) -> int | None:
        """How many tasks a derived edge stands for; None when that is known only at run time."""
        if not isinstance(value, Var) or isinstance(value, IterArg) or value not in self.by_var:
            return 1
        loop, slot = self.by_var[value]
        trips = constant_trip_count(loop) if isinstance(loop, ForStmt) else None
        inner = self.tasks(self.yielded(loop, slot))
        return trips * inner if trips is not None and inner is not None else None
