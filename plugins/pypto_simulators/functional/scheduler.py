# SPDX-License-Identifier: Apache-2.0
"""Cores that work at once, as threads of which one runs at a time: it goes on until it must wait for another.

So a run is deterministic and needs no locks. A core waits for a tile that another pushes, for its peers at a barrier,
or for the cores that it started. When none can go on, those at a barrier do; when there are none, it is a deadlock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pypto_build.errors import UserError
from pypto_simulators.functional.values import results_of


class _Cancelled(Exception):
    """Unwinds a core whose peer has failed."""


class Core:
    """One thread of control; `turn` is open while it may run, `result` is what it yields when it is done."""

    def __init__(self, work: Callable[[], Any] | None) -> None:
        self.work = work
        self.turn = threading.Semaphore(0)
        self.done = False
        self.cancelled = False
        self.barrier: object = None
        self.result: Any = None
        self.error: BaseException | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """The result of a core that may still be at work, or an element of it."""

    core: Core
    path: tuple[int, ...] = ()

    def element(self, index: int) -> Pending:
        """An element of the result, which is a tuple."""
        return Pending(self.core, (*self.path, index))

    def value(self) -> Any:
        """The result, once the core is done."""
        found = self.core.result
        for index in self.path:
            found = results_of(found)[index]
        return found


class Scheduler:
    """The cores of one simulation; the caller is the first of them."""

    def __init__(self) -> None:
        self._cores = [Core(None)]
        self._running = self._cores[0]
        self._idle = 0  # how many cores in a row had nothing to do

    def run(self, jobs: Sequence[Callable[[], Any]]) -> list[Any]:
        """Let several cores work at once; what each of them yields. The first error of one of them is raised."""
        cores = self.start(jobs)
        self.join(cores)
        return [core.result for core in cores]

    def start(self, jobs: Sequence[Callable[[], Any]]) -> list[Core]:
        """Make cores that begin when this one waits."""
        cores = [Core(job) for job in jobs]
        at = self._cores.index(self._running) + 1
        self._cores[at:at] = cores
        for core in cores:
            threading.Thread(target=self._live, args=(core,), daemon=True).start()
        return cores

    def join(self, cores: Sequence[Core]) -> None:
        """Wait until cores are done."""
        failed = _first_error(cores)
        while failed is None and not all(core.done for core in cores):
            self._pass_on()
            failed = _first_error(cores)
        if failed is None:
            return
        for core in cores:
            core.cancelled = True
        while not all(core.done for core in cores):
            self._give_turn()
        raise failed

    def wait(self, ready: Callable[[], bool], stuck: Callable[[], UserError]) -> None:
        """Let others work until something is ready; `stuck` makes the error for when nothing ever will be."""
        while not ready():
            self._pass_on(stuck)
        self._idle = 0

    def barrier(self, key: object) -> None:
        """Wait until nobody can go on except those at barriers."""
        own = self._running
        own.barrier = key
        while own.barrier is not None:
            self._pass_on()
        self._idle = 0

    def progress(self) -> None:
        """Note that something happened that another core may wait for."""
        self._idle = 0

    def _pass_on(self, stuck: Callable[[], UserError] | None = None) -> None:
        """Give the turn to the next core; where nobody can go on, it is one that waits for a tile that complains."""
        self._idle += 1
        if self._idle > len(self._cores) and not self._open_barrier() and stuck is not None:
            raise stuck()
        self._give_turn()

    def _open_barrier(self) -> bool:
        key = next((core.barrier for core in self._cores if core.barrier is not None), None)
        if key is None:
            return False
        for core in self._cores:
            if core.barrier == key:
                core.barrier = None
        self._idle = 0
        return True

    def _give_turn(self) -> None:
        own = self._running
        following = self._cores[(self._cores.index(own) + 1) % len(self._cores)]
        if following is not own:
            self._switch(following)
            own.turn.acquire()
        if own.cancelled:
            raise _Cancelled

    def _switch(self, core: Core) -> None:
        self._running = core
        core.turn.release()

    def _live(self, core: Core) -> None:
        core.turn.acquire()
        try:
            if not core.cancelled and core.work is not None:
                core.result = core.work()
        except _Cancelled:
            pass
        except BaseException as problem:  # raised again by the core that waits for this one
            core.error = problem
        core.done = True
        self._idle = 0
        following = self._cores[(self._cores.index(core) + 1) % len(self._cores)]
        self._cores.remove(core)
        self._switch(following)


def _first_error(cores: Sequence[Core]) -> BaseException | None:
    return next((core.error for core in cores if core.error is not None), None)
