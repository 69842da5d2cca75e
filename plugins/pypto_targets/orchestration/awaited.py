# SPDX-License-Identifier: Apache-2.0
"""Which variables stand for tasks: passes name a dependency by the tensor that a task makes, or by what carries it.

A name is followed back to the tasks: through other names, branches, and what a loop yields. The result of a loop stands
for the tasks of all its iterations, so their ids are gathered; the carry of a carried edge for that of the iteration
before. Source: CIC-39.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.task_edges import LoopSlots, carried_edges, derived_edges
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    Submit,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    collect,
)

Loop = ForStmt | WhileStmt


@dataclass(slots=True)
class Awaited:
    """What the edges of a function need.

    names: the variables whose tasks are kept; gathered: the slots of a loop whose ids are gathered over its iterations;
    before: those whose id of the iteration before is kept.
    """

    names: set[Var] = field(default_factory=set[Var])
    gathered: dict[Loop, set[int]] = field(default_factory=dict[Loop, set[int]])
    before: dict[Loop, set[int]] = field(default_factory=dict[Loop, set[int]])
    slots: LoopSlots | None = None

    def count(self, value: Expr) -> int | None:
        """How many tasks a yielded value stands for; None when that is known only at run time."""
        return self.slots.tasks(value) if self.slots is not None else 1


def awaited(function: Function) -> Awaited:
    """What the derived and carried edges of a function need."""
    calls = collect(function.body, Call, Submit)
    derived = [edge for call in calls for edge in derived_edges(call) if isinstance(edge, Var)]
    carried = [edge for call in calls for edge in carried_edges(call) if isinstance(edge, IterArg)]
    if not derived and not carried:
        return Awaited()
    sources, slots = _sources(function), LoopSlots(function)
    found = Awaited(slots=slots)
    pending: list[Expr] = []
    for edge in carried:
        loop, slot = slots.by_var[edge]
        found.before.setdefault(loop, set()).add(slot)
        pending.append(slots.yielded(loop, slot))
    for edge in derived:
        pending.append(edge)
        if isinstance(edge, IterArg):
            pending.append(_gathered(found, slots, edge))
    while pending:
        var = pending.pop()
        if isinstance(var, Var) and not isinstance(var, IterArg) and var not in found.names:
            found.names.add(var)
            pending += [_gathered(found, slots, var)] if var in slots.by_var else sources.get(var, [])
    return found


def _gathered(found: Awaited, slots: LoopSlots, var: Var) -> Expr:
    loop, slot = slots.by_var[var]
    found.gathered.setdefault(loop, set()).add(slot)
    return slots.yielded(loop, slot)


def _sources(function: Function) -> dict[Var, list[Expr]]:
    """The other names of variables, and what branches yield for them."""
    found: dict[Var, list[Expr]] = {}
    for stmt in collect(function.body, AssignStmt, IfStmt):
        if isinstance(stmt, AssignStmt):
            value = stmt.value.tuple if isinstance(stmt.value, TupleGetItemExpr) else stmt.value
            found[stmt.var] = [value] if isinstance(value, Var) else []
            continue
        for values in (yielded_values(stmt.then_body), yielded_values(stmt.else_body)):
            for var, value in zip(stmt.return_vars, values, strict=False):
                found.setdefault(var, []).append(value)
    return found
