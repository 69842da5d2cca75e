# SPDX-License-Identifier: Apache-2.0
"""Orders that the memory of tasks demands, derived anew from what each touches, and those that nothing has recorded.

The program order says what must be seen: who reads a byte reads what was written to it last, and who overwrites it does
so after those that read it and the one that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from pypto_simulators.functional.numbers import Array

from tests.taskruntime.graph import Graph


class Touch(NamedTuple):
    """Bytes of a buffer that a task uses."""

    buffer: int
    places: Array
    writes: bool


class Hazard(NamedTuple):
    """Two tasks that must keep their order, and why: `read after write`, `write after read` or `write after write`."""

    kind: str
    before: int
    after: int
    buffer: int


@dataclass(slots=True)
class _History:
    """For each byte of a buffer who wrote it last; for each task since then which bytes it has read."""

    writers: Array
    readers: dict[int, set[int]] = field(default_factory=dict[int, set[int]])


class Hazards:
    """The hazards of tasks that are told in program order; of each what it reads before what it writes."""

    def __init__(self) -> None:
        self._histories: dict[int, _History] = {}

    def add(self, number: int, touches: Sequence[Touch]) -> list[Hazard]:
        """What the next task must come after."""
        found = {hazard for touch in touches for hazard in self._of(number, touch)}
        for touch in touches:
            self._note(number, touch)
        return sorted(found)

    def _history(self, touch: Touch) -> _History:
        history = self._histories.setdefault(touch.buffer, _History(np.zeros(0, np.int64)))
        missing = (int(touch.places.max()) + 1 if touch.places.size else 0) - len(history.writers)
        if missing > 0:
            history.writers = np.concatenate([history.writers, np.zeros(missing, np.int64)])
        return history

    def _of(self, number: int, touch: Touch) -> Iterator[Hazard]:
        history = self._history(touch)
        kind = "write after write" if touch.writes else "read after write"
        for writer in np.unique(history.writers[touch.places]):
            if writer not in (0, number):
                yield Hazard(kind, int(writer), number, touch.buffer)
        if touch.writes:
            written = set(touch.places.tolist())
            for reader, places in history.readers.items():
                if reader != number and places & written:
                    yield Hazard("write after read", reader, number, touch.buffer)

    def _note(self, number: int, touch: Touch) -> None:
        history, places = self._history(touch), set(touch.places.tolist())
        if not touch.writes:
            history.readers[number] = history.readers.get(number, set()) | places
            return
        history.writers[touch.places] = number
        left = {reader: read - places for reader, read in history.readers.items()}
        history.readers = {reader: read for reader, read in left.items() if read}


def hazards(touched: Iterable[tuple[int, Sequence[Touch]]]) -> list[Hazard]:
    """All orders that tasks, told in program order, must keep."""
    found = Hazards()
    return [hazard for number, touches in touched for hazard in found.add(number, touches)]


def missing(graph: Graph, touched: Iterable[tuple[int, Sequence[Touch]]]) -> list[Hazard]:
    """Those that a graph does not record."""
    return [hazard for hazard in hazards(touched) if not graph.comes_before(hazard.before, hazard.after)]
