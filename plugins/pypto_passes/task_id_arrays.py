# SPDX-License-Identifier: Apache-2.0
"""Which tasks a dependency names that the program writes: one, those behind a barrier, or those in an array.

An array names a task for sure only when no slot of it is written twice: constants that differ, or one write per
iteration of a loop that fills all slots. An array is updated in place, and a carry is another name for what enters its
loop, so arrays that can be the same storage are put into one class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    ArrayType,
    AssignStmt,
    Call,
    DataType,
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
    collect,
)

UPDATE = "array.update_element"
_ELEMENT, _BARRIER = "array.get_element", "system.task_dummy"


@dataclass(frozen=True, slots=True)
class Named:
    """A task by the variable of its id: the one of this round, or that of every iteration of a loop."""

    task_id: Var
    loop: ForStmt | None = None


@dataclass(frozen=True, slots=True)
class _Update:
    """A write into an array, the loop directly around it, and its place in the order of statements."""

    index: Expr
    value: Expr
    loop: ForStmt | WhileStmt | None
    order: int


class TaskIdArrays:
    """The answers for one function."""

    def __init__(self, function: Function) -> None:
        self._storage = array_storages(function)
        self._updates: dict[Var, list[_Update]] = {}
        self._unsure: set[Var] = set()  # storages that a branch updates
        self._values: dict[Var, tuple[Call, int]] = {}
        self._order = 0
        self._walk(function.body, None, sure=True)

    def named(self, deps: Sequence[Expr]) -> frozenset[Named]:
        """The tasks that waiting for some ids surely waits for."""
        found: set[Named] = set()
        slots: dict[Var, set[int]] = {}
        seen: set[Expr] = set()
        pending = [(dep, self._order) for dep in deps]
        while pending:
            dep, order = pending.pop()
            if dep not in seen:
                seen.add(dep)
                pending += self._behind(dep, order, found, slots=slots)
        for storage, read in slots.items():
            found |= self._filled(storage, read)
        return frozenset(found)

    def _behind(
        self, dep: Expr, order: int, found: set[Named], *, slots: dict[Var, set[int]]
    ) -> list[tuple[Expr, int]]:
        """What a dependency names at once goes to `found` and `slots`; the rest are dependencies to look at."""
        if isinstance(dep, Var):
            if is_task_ids(dep):
                return self._contents(dep, found)
            found.add(Named(dep))
        value, order = self._values.get(dep, (dep, order)) if isinstance(dep, Var) else (dep, order)
        if isinstance(value, Call) and value.op.name == _BARRIER:
            return [(edge, order) for edge in written_edges(value)]
        if isinstance(value, Call) and value.op.name == _ELEMENT:
            self._note_slot(slots, value, order)
        return []

    def _note_slot(self, slots: dict[Var, set[int]], read: Call, order: int) -> None:
        """A slot that is read after its array has been filled."""
        array, index = read.args[0], as_int(read.args[1])
        if isinstance(array, Var) and index is not None:
            storage = self._storage_of(array)
            if all(update.order < order for update in self._updates_of(storage)):
                slots.setdefault(storage, set()).add(index)

    def _contents(self, array: Var, found: set[Named]) -> list[tuple[Expr, int]]:
        """The ids that are in an array, each in a slot of its own; what a loop has filled is found at once."""
        storage = self._storage_of(array)
        updates = self._updates_of(storage)
        found |= self._filled(storage, set(range(as_int(cast(ArrayType, array.type).extent) or 0)))
        indices = [as_int(update.index) for update in updates]
        distinct = None not in indices and len(set(indices)) == len(updates)
        return [(update.value, update.order) for update in updates] if distinct else []

    def _filled(self, storage: Var, slots: set[int]) -> set[Named]:
        """The task of every iteration of the loop that fills an array, if these slots are all of them."""
        updates = self._updates_of(storage)
        loop = updates[0].loop if len(updates) == 1 else None
        if not isinstance(loop, ForStmt) or not isinstance(updates[0].value, Var):
            return set()
        trips = constant_trip_count(loop)
        from_zero = updates[0].index is loop.loop_var and as_int(loop.start) == 0 and as_int(loop.step) == 1
        complete = from_zero and trips is not None and slots >= set(range(trips))
        return {Named(updates[0].value, loop)} if complete else set()

    # -- what is written ---------------------------------------------------------------------------------------------

    def _storage_of(self, array: Var) -> Var:
        return self._storage.get(array, array)

    def _updates_of(self, storage: Var) -> Sequence[_Update]:
        return () if storage in self._unsure else self._updates.get(storage, ())

    def _walk(self, stmt: Stmt | None, loop: ForStmt | WhileStmt | None, *, sure: bool) -> None:
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    self._walk(inner, loop, sure=sure)
            case AssignStmt():
                self._note(stmt, loop, sure=sure)
            case ForStmt() | WhileStmt():
                self._walk(stmt.body, stmt, sure=sure)
            case IfStmt():
                self._walk(stmt.then_body, loop, sure=False)
                self._walk(stmt.else_body, loop, sure=False)
            case ScopeStmt():
                self._walk(stmt.body, loop, sure=sure)
            case _:
                pass

    def _note(self, stmt: AssignStmt, loop: ForStmt | WhileStmt | None, *, sure: bool) -> None:
        self._order += 1
        value = stmt.value
        if isinstance(value, Call) and value.op.name == UPDATE and isinstance(value.args[0], Var):
            storage = self._storage_of(value.args[0])
            update = _Update(value.args[1], value.args[2], loop, self._order)
            self._updates.setdefault(storage, []).append(update)
            if not sure:
                self._unsure.add(storage)
        elif isinstance(value, Call):
            self._values[stmt.var] = (value, self._order)


def written_edges(call: Call | Submit) -> tuple[Expr, ...]:
    """The dependencies that the program writes at a task."""
    return call.deps if isinstance(call, Submit) else cast("tuple[Expr, ...]", call.attrs.get("manual_dep_edges", ()))


def is_task_ids(var: Var) -> bool:
    """Whether a variable is an array of task ids."""
    return isinstance(var.type, ArrayType) and var.type.dtype is DataType.TASK_ID


def array_storages(function: Function) -> Mapping[Var, Var]:
    """For arrays that may share their storage with others, one of them that stands for all."""
    classes: dict[Var, Var] = {}
    for stmt in collect(function.body, AssignStmt, ForStmt, WhileStmt, IfStmt):
        for var, source in _shared(stmt):
            if isinstance(source, Var) and is_task_ids(var):
                classes[_root(classes, var)] = _root(classes, source)
    return {var: _root(classes, var) for var in list(classes)}


def _shared(stmt: AssignStmt | ForStmt | WhileStmt | IfStmt) -> list[tuple[Var, Expr]]:
    if isinstance(stmt, AssignStmt):
        is_update = isinstance(stmt.value, Call) and stmt.value.op.name == UPDATE
        return [(stmt.var, stmt.value.args[0])] if is_update and isinstance(stmt.value, Call) else []
    if isinstance(stmt, IfStmt):
        branches = (yielded_values(stmt.then_body), yielded_values(stmt.else_body))
        return [pair for values in branches for pair in zip(stmt.return_vars, values, strict=False)]
    entering = [(arg, arg.init_value) for arg in stmt.iter_args]
    return [*entering, *zip(stmt.return_vars, stmt.iter_args, strict=False)]


def _root(classes: dict[Var, Var], var: Var) -> Var:
    root = var
    while classes.get(root, root) is not root:
        root = classes[root]
    while classes.get(var, root) is not root:
        classes[var], var = root, classes[var]
    return root
