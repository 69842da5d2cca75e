# SPDX-License-Identifier: Apache-2.0
"""One worker process, seen from the build tool: a request, its answer, or how and where the process ended over it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import Any, BinaryIO, cast

from pypto_build.driver.progress import SharedPlace, shared_file
from pypto_build.driver.protocol import read_message, write_message


class WorkerDiedError(Exception):
    """A worker ended or did not answer in time; the message says how, and where it was."""


class Worker:
    """One worker process."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        descriptor = shared_file()
        try:
            self._place = SharedPlace(descriptor)
            self._process = subprocess.Popen(
                [*command, str(descriptor)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                pass_fds=(descriptor,),
                start_new_session=True,  # an interrupt at the terminal is for the build tool to handle
            )
        finally:
            os.close(descriptor)
        self.served = 0
        self.peak_bytes = 0

    @property
    def alive(self) -> bool:
        """Whether the process has not ended by itself."""
        return self._process.poll() is None

    def ask(self, message: dict[str, Any], *, timeout: float) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            WorkerDiedError: there was none.
        """
        expired = threading.Event()
        timer = threading.Timer(timeout, self._expire, (expired,))
        timer.daemon = True
        timer.start()
        try:
            write_message(cast(BinaryIO, self._process.stdin), {**message, "seconds": timeout})
            answer = read_message(cast(BinaryIO, self._process.stdout))
        except (BrokenPipeError, ValueError):
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            raise self._death(f"did not answer within {timeout:g} s" if expired.is_set() else "")
        self.served += 1
        self.peak_bytes = int(answer.get("peak_bytes", 0))
        return answer

    def close(self) -> None:
        """End the process: it stops when its input ends."""
        with contextlib.suppress(BrokenPipeError):
            cast(BinaryIO, self._process.stdin).close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._kill()
            self._process.wait()
        cast(BinaryIO, self._process.stdout).close()
        self._place.close()

    def _expire(self, expired: threading.Event) -> None:
        expired.set()
        self._kill()

    def _kill(self) -> None:
        """End the process and those that it started, which are in a group of their own."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except OSError:
            self._process.kill()

    def _death(self, how: str) -> WorkerDiedError:
        place = self._place.said()
        self._kill()
        code = self._process.wait()
        self.close()
        return WorkerDiedError(" ".join(("the worker process", how or _ended(code), place)).rstrip())


def _ended(code: int) -> str:
    """How a process ended: by a signal when the status is negative."""
    if code >= 0:
        return f"ended with status {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
