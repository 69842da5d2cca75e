# SPDX-License-Identifier: Apache-2.0
"""Persistent worker processes, one per job, started only when something must run.

SCons runs actions in threads with small stacks under one interpreter lock; the work is done in these processes. A
worker that dies or hangs fails the target that it was at, and the next request starts another one.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, BinaryIO, cast

from pypto_build.driver.protocol import read_message, write_message

RECYCLE_AFTER = 2_000  # requests; bounds what a leak in user code can hold on to
TIMEOUT = 600.0  # seconds for one request


class WorkerDiedError(Exception):
    """A worker ended or did not answer in time; the message says how."""


class Worker:
    """One worker process."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # an interrupt at the terminal is for the build tool to handle
        )
        self.served = 0

    def ask(self, message: dict[str, Any], *, timeout: float) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            WorkerDiedError: there was none.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(timeout, self._process.kill)
        timer.start()
        try:
            write_message(cast(BinaryIO, self._process.stdin), message)
            answer = read_message(cast(BinaryIO, self._process.stdout))
        except (BrokenPipeError, ValueError):
            answer = None
        finally:
            expired = not timer.is_alive()
            timer.cancel()
        if answer is None:
            self._process.kill()
            code = self._process.wait()
            how = f"did not answer within {timeout:.0f} s" if expired else f"ended with status {code}"
            raise WorkerDiedError(f"the worker process {how}")
        self.served += 1
        return answer

    def close(self) -> None:
        """End the process: it stops when its input ends."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class WorkerPool:
    """At most `jobs` workers at a time."""

    def __init__(self, jobs: int, *, command: Sequence[str] | None = None, timeout: float = TIMEOUT) -> None:
        self._command = tuple(command or (sys.executable, "-m", "pypto_build.driver.worker"))
        self._timeout = timeout
        self._free = threading.BoundedSemaphore(jobs)
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._started = 0
        self._lock = threading.Lock()
        atexit.register(self.close)

    @property
    def started(self) -> int:
        """How many workers were started so far."""
        return self._started

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer of a free worker; WorkerDiedError when it died over it."""
        with self._free:
            worker = self._take()
            answer = worker.ask(message, timeout=self._timeout)
            if worker.served >= RECYCLE_AFTER:
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
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            with self._lock:
                self._started += 1
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            return Worker(self._command, environment)
