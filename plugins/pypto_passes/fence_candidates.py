# SPDX-License-Identifier: Apache-2.0
"""Which names of many tasks the tasks of a loop wait for, and which of them stay as they are while the loop runs.

A name is an array of task ids that is all that a submitted task waits for, or a derived edge that stands for the tasks
of a loop. An array is updated in place, and a carry is another name for what enters its loop; so arrays that can be the
same storage are put into one class, and an update of one of them counts for all. Each loop is summed up once, from the
sums of the loops in it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.analysis.statement_walk import branches
from pypto_build.analysis.task_edges import LoopSlots, derived_edges
from pypto_build.ir import (
    ArrayType,
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Submit,
    Var,
    WhileStmt,
    as_int,
)
from pypto_passes.task_id_arrays import UPDATE, array_storages, is_task_ids


@dataclass(slots=True)
class LoopFacts:
    """Below one statement: how often tasks wait for a name, what is defined, and which storages change."""

    waits: Counter[Var] = field(default_factory=Counter[Var])
    defined: set[Var] = field(default_factory=set[Var])
    updated: set[Var] = field(default_factory=set[Var])

    def add(self, other: LoopFacts) -> None:
        """Take in what is below another statement of the same body."""
        self.waits.update(other.waits)
        self.defined |= other.defined
        self.updated |= other.updated


class FenceCandidates:
    """The facts of the loops of one function."""

    def __init__(self, function: Function) -> None:
        self._storage = array_storages(function)
        self._slots = LoopSlots(function)
        self._facts: dict[Stmt, LoopFacts] = {}

    def of(self, loop: ForStmt) -> list[Var]:
        """The names for which one task in front of the loop may wait instead of its tasks, in order of first use.

        It pays when the edges of the tasks are more than those of the barrier and those to it.
        """
        trips = constant_trip_count(loop)
        if not trips:
            return []
        facts = self._of(loop.body)
        inside = {loop.loop_var, *loop.iter_args, *loop.return_vars} | facts.defined
        return [
            name
            for name, waits in facts.waits.items()
            if name not in inside
            and self._storage.get(name, name) not in facts.updated
            and self._pays(name, waits * trips)
        ]

    def _pays(self, name: Var, waits: int) -> bool:
        size = as_int(name.type.extent) if isinstance(name.type, ArrayType) else self._slots.tasks(name)
        return size is not None and size * waits > size + waits

    def _of(self, stmt: Stmt) -> LoopFacts:
        known = self._facts.get(stmt)
        if known is None:
            known = self._facts[stmt] = self._below(stmt)
        return known

    def _below(self, stmt: Stmt) -> LoopFacts:
        facts = LoopFacts()
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    facts.add(self._of(inner))
            case AssignStmt():
                facts.defined.add(stmt.var)
                self._note(facts, stmt.value)
            case EvalStmt():
                self._note(facts, stmt.expr)
            case IfStmt():
                self._add_branches(facts, stmt)
            case ForStmt() | WhileStmt():
                self._add_loop(facts, stmt)
            case ScopeStmt():
                facts = self._of(stmt.body)
            case _:
                pass
        return facts

    def _note(self, facts: LoopFacts, value: Expr) -> None:
        if isinstance(value, Call | Submit):
            facts.waits.update(awaited_names(value))
        if isinstance(value, Call) and value.op.name == UPDATE and isinstance(value.args[0], Var):
            facts.updated.add(self._storage.get(value.args[0], value.args[0]))

    def _add_branches(self, facts: LoopFacts, stmt: IfStmt) -> None:
        """Only one branch runs, so that an array is waited for as often as in the branch with more tasks."""
        for branch in map(self._of, branches(stmt)):
            facts.defined |= branch.defined
            facts.updated |= branch.updated
            facts.waits |= branch.waits
        facts.defined.update(stmt.return_vars)

    def _add_loop(self, facts: LoopFacts, loop: ForStmt | WhileStmt) -> None:
        """A loop counts as often as it runs; one whose trip count is not known counts once."""
        inner = self._of(loop.body)
        trips = constant_trip_count(loop) if isinstance(loop, ForStmt) else None
        known = 1 if trips is None else trips
        facts.waits = Counter({array: waits * known for array, waits in inner.waits.items()})
        facts.updated |= inner.updated
        facts.defined |= inner.defined | {*loop.iter_args, *loop.return_vars}
        if isinstance(loop, ForStmt):
            facts.defined.add(loop.loop_var)


def awaited_names(call: Call | Submit) -> list[Var]:
    """The names for which a barrier may stand: the only array that a submitted task waits for, and derived edges."""
    written = call.deps if isinstance(call, Submit) and len(call.deps) == 1 else ()
    arrays = [edge for edge in written if isinstance(edge, Var) and is_task_ids(edge)]
    return arrays + [edge for edge in derived_edges(call) if isinstance(edge, Var)]
