# SPDX-License-Identifier: Apache-2.0
"""The order that tasks of an orchestration function must keep, and the names of the tasks to wait for.

One walk in program order, with what was accessed before each place. A task that must come after another waits for it by
name; where no name exists the scope has failed and the runtime goes on finding out for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    ArgDirection,
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    IterArg,
    RuntimeScopeStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Submit,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    collect,
)
from pypto_passes.access_journal import Accesses, Changes
from pypto_passes.branch_hazards import Side, settled_by_branches
from pypto_passes.carried_hazards import add_carried_hazards
from pypto_passes.derive_call_directions import DIRECTIONS
from pypto_passes.storage_locations import StorageLocations
from pypto_passes.storage_regions import DYNAMIC, UNKNOWN, WHOLE
from pypto_passes.task_accesses import Access, Loop, RuntimeScope, is_task_id, out_of_branch, out_of_loop
from pypto_passes.task_id_arrays import Named, TaskIdArrays, written_edges
from pypto_passes.task_plans import READS, WRITES, Slot, TaskPlan


class TaskHazards:
    """The plans of the tasks of one function, in program order; `scope` is the one around the whole body."""

    def __init__(self, function: Function, locations: StorageLocations, *, scope: RuntimeScope) -> None:
        self.plans: list[TaskPlan] = []
        self.scope = scope
        self._locations = locations
        self._arrays = TaskIdArrays(function)
        self._elements = _tuple_elements(function)
        self._by_task: dict[object, TaskPlan] = {}
        self._loops: tuple[Loop, ...] = ()
        self._born: dict[Var, tuple[Loop, ...]] = {}
        self._before = Accesses()
        self._walk(function.body)

    # -- statements --------------------------------------------------------------------------------------------------

    def _walk(self, stmt: Stmt) -> None:
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    self._walk(inner)
            case AssignStmt():
                self._born[stmt.var] = self._loops
                self._value(stmt.value, stmt.var)
            case EvalStmt():
                self._value(stmt.expr, None)
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case IfStmt():
                self._if(stmt)
            case RuntimeScopeStmt():
                self._scope(stmt)
            case ScopeStmt():
                self._walk(stmt.body)
            case _:
                pass

    def _scope(self, stmt: RuntimeScopeStmt) -> None:
        outer = self.scope
        analyzed = not stmt.manual and not outer.by_hand
        self.scope = RuntimeScope(analyzed, by_hand=stmt.manual, parent=outer)
        self._walk(stmt.body)
        self.scope = outer

    def _if(self, stmt: IfStmt) -> None:
        sides = [self._side(stmt, body) for body in (stmt.then_body, stmt.else_body)]
        self._before.remove(dict.fromkeys(settled_by_branches(stmt.return_vars, *sides)))
        self._before.add(access for side in sides for access in side.changes.added)

    def _side(self, stmt: IfStmt, body: Stmt | None) -> Side:
        """What a branch changes, as it is seen after the branches."""
        place, yielded = self._before.place, yielded_values(body)
        if body is not None:
            self._walk(body)
        changes = self._before.back_to(place)
        added = tuple(out_of_branch(access, stmt.return_vars, yielded) for access in changes.added)
        return Side(Changes(added, changes.removed), yielded)

    def _loop(self, loop: Loop) -> None:
        place, first = self._before.place, len(self.plans)
        self._loops = (*self._loops, loop)
        self._walk(loop.body)
        self._loops = self._loops[:-1]
        changes, yielded = self._before.back_to(place), yielded_values(loop.body)
        trips = constant_trip_count(loop) if isinstance(loop, ForStmt) else None
        if not (isinstance(loop, ForStmt) and loop.kind is ForKind.Parallel) and trips not in (0, 1):
            own = Accesses(changes.added)
            add_carried_hazards(self.plans[first:], loop, own, yielded=yielded, by_task=self._by_task)
        if trips:
            self._before.remove(changes.removed)
        if trips != 0:
            self._before.add(out_of_loop(access, loop, yielded) for access in changes.added)

    # -- tasks -------------------------------------------------------------------------------------------------------

    def _value(self, value: Expr, var: Var | None) -> None:
        if isinstance(value, Call | Submit) and isinstance(value.op, GlobalVar):
            self._task(value, var)

    def _task(self, task: Call | Submit, var: Var | None) -> None:
        plan = TaskPlan(task, self.scope, self._loops)
        located = self._find_slots(plan)
        self._find_hazards(plan)
        if self.scope.analyzed:
            self.plans.append(plan)
            self._by_task[task] = plan
            self.scope.failed = self.scope.failed or not located
        names = self._names(var)
        made = [self._access(plan, root, names) for root in self._locations.made_by(task)]
        accesses = [access for slot in plan.slots for access in self._accesses(plan, slot, names=names)]
        if not located:
            accesses.append(Access(task, None, UNKNOWN, True, (), self.scope, self._loops))
        self._forget_overwritten(plan, accesses)
        self._before.add([*accesses, *made])

    def _find_slots(self, plan: TaskPlan) -> bool:
        """The arguments that the runtime would look at; False when it is not known where one lies."""
        directions = cast("tuple[ArgDirection, ...]", plan.task.attrs.get(DIRECTIONS, ()))
        located = True
        for index, (arg, direction) in enumerate(zip(plan.task.args, directions, strict=False)):
            if direction in READS or direction in WRITES:
                location = self._locations.of(arg)
                located = located and location is not None
                plan.slots.append(Slot(index, direction, location or {}))
        return located

    def _find_hazards(self, plan: TaskPlan) -> None:
        named = self._arrays.named(written_edges(plan.task))
        for slot in plan.slots:
            for root, region in slot.location.items():
                near = self._before.near(root, region, writes=slot.writes)
                slot.hazards += [access for access in near if access.conflicts(root, region, writes=slot.writes)]
            for access in slot.hazards:
                self._resolve(plan, slot, access, named=named)

    def _resolve(self, plan: TaskPlan, slot: Slot, access: Access, *, named: frozenset[Named]) -> None:
        """Name the task of an earlier access as one to wait for, unless the program does."""
        if access.scope.is_opaque:
            slot.is_open = True
        elif _is_named(access, named):
            plan.waits.append(access)
        elif access.names:
            plan.edges[access.names[0]] = None
            plan.waits.append(access)
        else:
            slot.is_open = True
            plan.scope.failed = plan.scope.failed or plan.scope.analyzed

    def _names(self, var: Var | None) -> tuple[Var, ...]:
        """The variables that name the task whose results a variable holds, its id first."""
        names = (var, *self._elements.get(var, ())) if var is not None else ()
        return tuple(sorted(names, key=lambda name: not is_task_id(name)))

    def _access(self, plan: TaskPlan, root: Var, names: tuple[Var, ...]) -> Access:
        return Access(plan.task, root, WHOLE, True, names, self.scope, self._loops, self._loops)

    def _accesses(self, plan: TaskPlan, slot: Slot, *, names: tuple[Var, ...]) -> list[Access]:
        """What an argument means to later tasks; a task without a result is named by what it writes.

        Not by a carry, which stands for what earlier iterations have made. Of several buffers none is certain.
        """
        arg = plan.task.args[slot.index]
        by = names or ((arg,) if slot.writes and isinstance(arg, Var) and not isinstance(arg, IterArg) else ())
        one = Access(
            plan.task, None, DYNAMIC, slot.writes, by, self.scope, self._loops, looks_up=slot.direction in READS
        )
        sure = len(slot.location) == 1
        return [
            replace(one, root=root, region=region if sure else DYNAMIC, born=self._born.get(root, ()))
            for root, region in slot.location.items()
        ]

    def _forget_overwritten(self, plan: TaskPlan, accesses: list[Access]) -> None:
        """Whoever must come after an access that this task has waited for and overwritten comes after this task."""
        waits = dict.fromkeys(plan.waits)
        for new in accesses:
            if new.writes and new.root is not None and len([a for a in accesses if a.root is new.root]) == 1:
                gone = [old for old in waits if old.root is new.root and new.region.contains(old.region)]
                self._before.remove(gone)


def _is_named(access: Access, named: frozenset[Named]) -> bool:
    if access.filled is not None and access.filled in named:
        return True
    return not access.repeated and any(Named(var) in named for var in access.names)


def _tuple_elements(function: Function) -> Mapping[Var, list[Var]]:
    """The variables that hold elements of a tuple."""
    found: dict[Var, list[Var]] = {}
    for stmt in collect(function.body, AssignStmt):
        if isinstance(stmt.value, TupleGetItemExpr) and isinstance(stmt.value.tuple, Var):
            found.setdefault(stmt.value.tuple, []).append(stmt.var)
    return found
