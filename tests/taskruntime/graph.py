# SPDX-License-Identifier: Apache-2.0
"""The tasks that an orchestration submits, and which come before which: by name, or because the runtime finds it out.

What the runtime finds out, in an automatic scope only:
- every tensor argument comes after the task that created its memory;
- what a task reads (input, inout) comes after every registered producer of an overlapping part;
- a task is registered as producer of what it writes; inout parts replace the producers that they cover.
It does not hold a writer back for those that still read what it overwrites. A manual scope looks nothing up and
registers nothing; so does an argument passed without dependencies, and a tensor created so.
Source: the guide to managing dependencies of the public documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple

from tests.taskruntime.memory import Tensor


class Mode(IntEnum):
    """How a task takes a tensor, by the number that the interface gives it."""

    INPUT = 0
    OUTPUT = 1  # created with the task
    INOUT = 2
    OUTPUT_EXISTING = 3
    NO_DEP = 4


class Kind(Enum):
    """What a task is; an access is one of the orchestration itself, which waits for it."""

    KERNELS = 0
    ALLOCATION = 1
    BARRIER = 2
    ACCESS = 3


class Argument(NamedTuple):
    """A tensor that a task takes."""

    tensor: Tensor
    mode: Mode


class Condition(NamedTuple):
    """A task runs only if an element, when it is due, compares so with a number."""

    tensor: Tensor
    indices: tuple[int, ...]
    operator: int
    target: int


@dataclass(frozen=True, slots=True)
class Task:
    """A task as it was submitted; kernels are those of the cube core and the two vector cores, -1 for none."""

    kind: Kind
    arguments: tuple[Argument, ...] = ()
    waits: frozenset[int] = frozenset()
    is_manual: bool = False
    kernels: tuple[int, int, int] = (-1, -1, -1)
    scalars: tuple[int, ...] = ()
    blocks: int = 1
    condition: Condition | None = None


@dataclass(slots=True)
class _Producers:
    """The registered producers of one buffer, latest last."""

    known: list[tuple[int, Tensor]] = field(default_factory=list[tuple[int, Tensor]])

    def of(self, tensor: Tensor) -> list[tuple[int, Tensor]]:
        return [(number, part) for number, part in self.known if part.meets(tensor)]


class Graph:
    """Tasks numbered from 1 on, and the order that has been recorded for them."""

    def __init__(self) -> None:
        self.tasks: list[Task] = [Task(Kind.BARRIER)]  # number 0 is nobody
        self.direct: list[frozenset[int]] = [frozenset()]
        self._before: list[int] = [0]  # bit n: task n comes before
        self._producers: dict[int, _Producers] = {}
        self._blocking = 0  # what is over before the orchestration goes on

    def add(self, task: Task) -> int:
        """Record a task; its number."""
        number = len(self.tasks)
        self.tasks.append(task)
        found = task.waits | frozenset(self._found(task))
        self.direct.append(found)
        before = self._blocking
        for other in found:
            before |= self._before[other] | 1 << other
        self._before.append(before)
        if task.kind is Kind.ACCESS:
            self._blocking |= before | 1 << number
        self._register(number, task)
        return number

    def comes_before(self, first: int, second: int) -> bool:
        """Whether the order of two tasks is recorded."""
        return bool(self._before[second] >> first & 1)

    def numbers(self) -> range:
        """The numbers of all tasks."""
        return range(1, len(self.tasks))

    def producers(self, tensor: Tensor) -> frozenset[int]:
        """Whom an access of the orchestration to a tensor waits for."""
        known = self._producers.get(tensor.buffer, _Producers()).of(tensor)
        return frozenset(number for number, _ in known) | (frozenset({tensor.owner}) if tensor.owner else frozenset())

    def consumers(self, producers: Iterable[int]) -> frozenset[int]:
        """The tasks that were found to need one of some producers."""
        wanted = frozenset(producers)
        return frozenset(number for number in self.numbers() if self.direct[number] & wanted)

    def _found(self, task: Task) -> Iterator[int]:
        if task.is_manual or task.kind is Kind.ACCESS:
            return
        for tensor, mode in task.arguments:
            if tensor.owner:
                yield tensor.owner
            if mode in (Mode.INPUT, Mode.INOUT) and not tensor.manual_dep:
                yield from (number for number, _ in self._producers.get(tensor.buffer, _Producers()).of(tensor))

    def _register(self, number: int, task: Task) -> None:
        if task.is_manual:
            return
        for tensor, mode in task.arguments:
            if mode in (Mode.INPUT, Mode.NO_DEP) or tensor.manual_dep:
                continue
            producers = self._producers.setdefault(tensor.buffer, _Producers())
            if mode is Mode.INOUT:
                producers.known = [(other, part) for other, part in producers.known if not tensor.covers(part)]
            producers.known.append((number, tensor))
