# SPDX-License-Identifier: Apache-2.0
"""An orchestration executed: its C++ submits tasks, which run as it goes on, or later in another order that is allowed.

Running everything as late as possible and in an order that nothing but the record forbids is what shows that an order
is missing: then an answer is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pypto_simulators.functional.numbers import NUMPY_TYPES, convert, unwritten

from pypto_build.ir import DataType
from tests.taskruntime.graph import Argument, Condition, Graph, Kind, Mode, Task
from tests.taskruntime.hazards import Hazard, Hazards, Touch, missing
from tests.taskruntime.interface import ChipTensor, Host, Orchestration
from tests.taskruntime.kernels import Kernels, raw_of
from tests.taskruntime.memory import Memory, described

_DTYPES = {str(dtype): dtype for dtype in NUMPY_TYPES}
_COMPARISONS: tuple[Callable[[Any, int], bool], ...] = (
    lambda value, target: value == target,
    lambda value, target: value != target,
    lambda value, target: value < target,
    lambda value, target: value <= target,
    lambda value, target: value > target,
    lambda value, target: value >= target,
)


@dataclass(frozen=True, slots=True)
class Order:
    """In which order tasks run: at once, or when they must, whichever `choose` says of those that may."""

    name: str
    choose: Callable[[Sequence[int]], int] | None


def orders() -> tuple[Order, ...]:
    """As submitted, the last one first, and two that are random."""
    chance = [random.Random(seed).choice for seed in (1, 2)]
    some = (Order(f"random {number}", choose) for number, choose in enumerate(chance))
    return (Order("as submitted", None), Order("last first", max), *some)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has left: parameters by name, the tasks, and what each that ran has touched."""

    outputs: dict[str, Any]
    graph: Graph
    touched: dict[int, list[Touch]]

    def missing(self) -> list[Hazard]:
        """Orders that memory demands, that nothing records, and that are not left to the program."""
        found = missing(self.graph, sorted(self.touched.items()))
        return [hazard for hazard in found if not is_left_to_program(self.graph, hazard)]


def is_left_to_program(graph: Graph, hazard: Hazard) -> bool:
    """Whether a hazard is one of those that the runtime does not look for in automatic scopes."""
    return hazard.kind == "write after read" and not graph.tasks[hazard.after].is_manual


@dataclass(slots=True)
class _Run:
    """The host of one run."""

    kernels: Kernels
    order: Order
    memory: Memory = field(default_factory=Memory)
    graph: Graph = field(default_factory=Graph)
    touched: dict[int, list[Touch]] = field(default_factory=dict[int, list[Touch]])
    done: set[int] = field(default_factory=set[int])
    needs: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    hazards: Hazards = field(default_factory=Hazards)

    # -- what the orchestration asks for ----------------------------------------------------------------------------

    def submit(self, submission: Any) -> int:
        """Record a task."""
        task = task_of(submission, self.memory)
        number = self.graph.add(task)
        touches = self.kernels.touches(task) if task.kind is Kind.KERNELS else []
        self._note(number, touches)
        if self.order.choose is None or task.kind is Kind.ALLOCATION:
            self._finish({number})
        return number

    def settle(self, described_: ChipTensor, at: int, writes: bool) -> None:
        """Run what the runtime waits for before the orchestration itself accesses an element."""
        tensor = self.memory.tensor(described_)
        start = at - int(self.memory.buffers[tensor.buffer].__array_interface__["data"][0])
        touch = Touch(tensor.buffer, np.arange(start, start + tensor.itemsize), writes)
        waits = self.graph.producers(tensor)
        waits |= self.graph.consumers(waits) if writes else frozenset()
        number = self.graph.add(Task(Kind.ACCESS, waits=waits))
        self._note(number, [touch])
        self.touched[number] = [touch]
        self._finish({number})

    # -- running -----------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Run all that has not run."""
        self._finish(set(self.graph.numbers()))

    def _note(self, number: int, touches: list[Touch]) -> None:
        """What a task waits for when it runs: a program is taken to mind the hazards that are left to it."""
        left = [h.before for h in self.hazards.add(number, touches) if is_left_to_program(self.graph, h)]
        self.needs[number] = self.graph.direct[number].union(left)

    def _finish(self, wanted: set[int]) -> None:
        pending, found = list(wanted), set[int]()
        while pending:
            number = pending.pop()
            if number not in found and number not in self.done:
                found.add(number)
                pending += self.needs[number]
        while found:
            ready = sorted(number for number in found if self.needs[number] <= self.done)
            number = (self.order.choose or min)(ready)
            self._run(number)
            self.done.add(number)
            found.remove(number)

    def _run(self, number: int) -> None:
        task = self.graph.tasks[number]
        if task.kind is Kind.KERNELS and (task.condition is None or self._holds(task.condition)):
            self.touched[number] = self.kernels.run(task, self.memory)

    def _holds(self, condition: Condition) -> bool:
        value = self.memory.array(condition.tensor)[condition.indices]
        return bool(_COMPARISONS[condition.operator](value, condition.target))


def task_of(submission: Any, memory: Memory) -> Task:
    """A task as the interface describes it."""
    s = submission
    tensors = [memory.tensor(s.tensors[i]) for i in range(s.tensor_count)]
    pairs = zip(tensors, s.modes[: s.tensor_count], strict=True)
    return Task(
        Kind(s.kind),
        tuple(Argument(tensor, Mode(mode)) for tensor, mode in pairs),
        frozenset(s.dependencies[: s.dependency_count]),
        bool(s.is_manual),
        tuple(s.kernels),  # type: ignore[arg-type]  # the structure has three
        tuple(s.scalars[: s.scalar_count]),
        s.blocks,
        _condition(s.predicate.contents, memory) if s.predicate else None,
    )


def _condition(predicate: Any, memory: Memory) -> Condition:
    tensor = memory.tensor(predicate.tensor.contents)
    return Condition(tensor, tuple(predicate.indices[: predicate.ndims]), predicate.op, predicate.target)


def run(entry: Orchestration, kernels: Kernels, inputs: Mapping[str, Any], *, order: Order) -> Outcome:
    """Run an orchestration on named arrays and numbers; parameters that it only writes need not be given.

    Raises:
        Refusal: it does something that the interface forbids.
        AssertionError, UserError: a kernel does something that it must not.
    """
    host = _Run(kernels, order)
    arrays: dict[str, Any] = {}
    tensors: list[ChipTensor] = []
    scalars: list[int] = []
    for param in kernels.description["params"]:
        dtype = _DTYPES[param["dtype"]]
        if param["shape"] is None:
            scalars.append(raw_of(inputs[param["name"]], dtype))
            continue
        array = arrays[param["name"]] = _array(param, inputs, dtype)
        tensors.append(described(array, host.memory.keep(array), dtype))
    entry.run(Host(host.memory.allocate, host.submit, host.settle), tensors, scalars)
    host.finish()
    return Outcome(arrays, host.graph, host.touched)


def _array(param: Mapping[str, Any], inputs: Mapping[str, Any], dtype: DataType) -> Any:
    given = inputs.get(param["name"])
    if given is None:
        return unwritten(tuple(param["shape"]), dtype)
    return np.array(convert(np.asarray(given), dtype), order="C")
