# SPDX-License-Identifier: Apache-2.0
"""Ids of tasks that a loop gathers over its iterations, for derived edges that name its results.

How many there will be is mostly known: then each iteration has slots of its own in an array. For a parallel loop that
is as long as the run says they go into one vector, and a task that does nothing but wait stands for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.analysis.iter_arg_carry import array_size, constant_trip_count
from pypto_build.ir import Expr, ForStmt, Var
from pypto_targets.orchestration.arrays import fill
from pypto_targets.orchestration.awaited import Loop
from pypto_targets.orchestration.barriers import emit_barrier
from pypto_targets.orchestration.loop_counts import iteration, trips
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Array, Value, hint
from pypto_targets.orchestration.writer import INVALID_TASK, Writer, is_task_id


@dataclass(frozen=True, slots=True)
class _Slots:
    """An array, with so many slots for each iteration."""

    array: Array
    each: int


@dataclass(frozen=True, slots=True)
class _Vector:
    """A vector, and how many ids are in it."""

    name: Name
    count: Name


class Gathering:
    """What one loop gathers, and the ids that it keeps from one iteration to the next."""

    def __init__(self, writer: Writer, loop: Loop) -> None:
        self.writer = writer
        self.loop = loop
        self.slots: dict[int, _Slots | None] = {}
        self.before: dict[int, Name] = {}
        self.vector: _Vector | None = None

    def declare(self, yielded: tuple[Expr, ...]) -> None:
        """Declare in front of the loop what its iterations fill."""
        awaited = self.writer.awaited
        for slot in sorted(awaited.before.get(self.loop, ())):
            arg = self.loop.iter_args[slot]
            if is_task_id(arg):
                continue  # the carry itself is that id
            name = self.writer.source.name(f"{hint(arg)}_before_tid")
            self.writer.source.emit(f"PTO2TaskId {name} = {INVALID_TASK};")
            self.before[slot] = self.writer.before[arg] = name
        for slot in sorted(awaited.gathered.get(self.loop, ())):
            if not (isinstance(self.loop, ForStmt) and array_size(self.loop, slot)):  # the carry has an array already
                self._declare_slots(slot, awaited.count(yielded[slot]))
        self._declare_vector()

    def _declare_slots(self, slot: int, each: int | None) -> None:
        count = constant_trip_count(self.loop) if isinstance(self.loop, ForStmt) else None
        if count is None or each is None:
            self.slots[slot] = None
            return
        arg, result = self.loop.iter_args[slot], self.loop.return_vars[slot]
        array = self._declare_array(result, max(count * each, 1))
        self.slots[slot] = _Slots(array, each)
        self.writer.task_of[arg] = self.writer.task_of[result] = array

    def _declare_array(self, result: Var, size: int) -> Array:
        """An array without tasks; one that is declared further out is emptied here as well."""
        writer, key = self.writer, self.writer.plan.task_id_of(result)
        here = writer.source.depth
        depth = min(writer.plan.hoisted.get(key, here), here)
        name = writer.source.name(f"{hint(result)}_tids", depth=depth, var=key)
        writer.source.emit(f"PTO2TaskId {name}[{size}];", depth=depth)
        for place in {depth, here}:
            fill(writer, name.text, size=size, value=INVALID_TASK, depth=place)
        return Array(name, size)

    def _declare_vector(self) -> None:
        """One vector for all results of a loop whose length only the run knows."""
        wanted = [slot for slot, slots in self.slots.items() if slots is None]
        if not wanted or not isinstance(self.loop, ForStmt):
            return
        source, number = self.writer.source, self.writer.count("vector")
        capacity = source.name(f"dynamic_tids_{number}_capacity")
        name, count = source.name(f"dynamic_tids_{number}"), source.name(f"dynamic_tids_{number}_count")
        source.emit(f"const int64_t {capacity} = {trips(self.writer, self.loop)} * {len(wanted)};")
        source.emit(f"std::vector<PTO2TaskId> {name}(static_cast<size_t>({capacity}));")
        source.emit(f"uint32_t {count} = 0;")
        self.vector = _Vector(name, count)

    # -- in the body -------------------------------------------------------------------------------------------------

    def take(self, values: tuple[Expr, ...]) -> None:
        """Keep the ids of one iteration."""
        for slot, slots in self.slots.items():
            if slots is not None and isinstance(self.loop, ForStmt):
                self._put(self.loop, slots, self.writer.task(values[slot]))
        if self.vector is not None:
            self._push(self.vector, [self.writer.task(values[slot]) for slot, slots in self.slots.items() if not slots])
        for slot, name in self.before.items():
            task = self.writer.task(values[slot])
            self.writer.source.emit(f"{name} = {task if isinstance(task, Name | str) else INVALID_TASK};")

    def _push(self, vector: _Vector, tasks: list[Value | None]) -> None:
        """Each task once, though it may have made several results; one that was not launched is left out."""
        for task in dict.fromkeys(task for task in tasks if isinstance(task, Name)):
            self.writer.require(task)
            line = f"{vector.name}[{vector.count}++] = {task};"
            self.writer.source.emit(line if task in self.writer.fresh else f"if ({task}.is_valid()) {line}")

    def _put(self, loop: ForStmt, slots: _Slots, task: Value | None) -> None:
        if task is None or task is slots.array:
            return  # a carry that is handed on stands for tasks that are here already
        array, number = slots.array.name, iteration(self.writer, loop)
        self.writer.require_value(task)
        if isinstance(task, Array):
            head = f"for (int64_t __tid_i = 0; __tid_i < {slots.each}; ++__tid_i)"
            self.writer.source.emit(f"{head} {array}[{number} * {slots.each} + __tid_i] = {task.name}[__tid_i];")
        else:
            self.writer.source.emit(f"{array}[{number}] = {task};")

    def finish(self) -> None:
        """Behind the loop, a task that waits for all that the vector holds stands for its results."""
        for slot in self.writer.awaited.gathered.get(self.loop, ()):
            result = self.loop.return_vars[slot]
            if slot not in self.slots and isinstance(self.writer.values.get(result), Array):
                self.writer.task_of[result] = self.writer.values[result]
        if self.vector is None:
            return
        self.writer.source.emit("")
        self.writer.source.emit("// Dynamic compiler-dependency barrier")
        key = self.writer.plan.task_id_of(self.loop.return_vars[min(self.slots)])
        task = emit_barrier(self.writer, f"{self.vector.name}.data()", self.vector.count, key)
        for slot, slots in self.slots.items():
            if slots is None:
                self.writer.task_of[self.loop.return_vars[slot]] = task
