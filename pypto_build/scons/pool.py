# SPDX-License-Identifier: Apache-2.0
"""Persistent worker processes, one per job, started only when something must run.

SCons runs actions in threads with small stacks under one interpreter lock; the work is done in these processes. A
worker that dies or hangs fails the target that it was at, and the next request starts another one. One that has served
long or grown large is replaced as well.
"""

from __future__ import annotations

import atexit
import os
import queue
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pypto_build.scons.worker_process import Worker

TIMEOUT = 600.0  # seconds for one request


@dataclass(frozen=True, slots=True)
class Bounds:
    """After how many requests a worker is replaced, or above which size: what a leak in user code can hold on to."""

    requests: int = 2_000
    bytes: int = 1 << 30


_USUAL = Bounds()


class WorkerPool:
    """At most `jobs` workers at a time."""

    def __init__(self, jobs: int, *, command: Sequence[str] | None = None, bounds: Bounds = _USUAL) -> None:
        self._command = tuple(command or (sys.executable, "-m", "pypto_build.driver.worker"))
        self._bounds = bounds
        self._free = threading.BoundedSemaphore(jobs)
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._started = 0
        self._lock = threading.Lock()
        atexit.register(self.close)

    @property
    def started(self) -> int:
        """How many workers were started so far."""
        return self._started

    def run(self, message: dict[str, Any], *, timeout: float = TIMEOUT) -> dict[str, Any]:
        """The answer of a free worker.

        Raises:
            WorkerDiedError: it died over the request, or needed more than `timeout` seconds.
        """
        with self._free:
            worker = self._take()
            answer = worker.ask(message, timeout=timeout)
            if worker.served >= self._bounds.requests or worker.peak_bytes > self._bounds.bytes:
                worker.close()
            else:
                self._idle.put(worker)
            return answer

    def close(self) -> None:
        """End the idle workers."""
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    def _take(self) -> Worker:
        """An idle worker that is still alive, or a new one."""
        while True:
            try:
                worker = self._idle.get_nowait()
            except queue.Empty:
                return self._new()
            if worker.alive:
                return worker
            worker.close()

    def _new(self) -> Worker:
        with self._lock:
            self._started += 1
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        return Worker(self._command, environment)
