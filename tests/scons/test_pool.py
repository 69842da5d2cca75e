# SPDX-License-Identifier: Apache-2.0
"""The pool of workers: how many it starts, when it replaces one, what it says of one that is gone."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO

import pytest

from pypto_build.driver.protocol import write_message
from pypto_build.driver.worker import answer, serve
from pypto_build.scons.pool import Bounds, WorkerPool
from pypto_build.scons.worker_process import WorkerDiedError

WORKER = """
import os, sys, time
from pypto_build.driver.progress import report_to, at
from pypto_build.driver.protocol import read_message, write_message

report_to(int(sys.argv[1]))
while (message := read_message(sys.stdin.buffer)) is not None:
    at(f"in pass {message['pass']}")
    exec(message["do"])
    write_message(sys.stdout.buffer, {"pid": os.getpid(), "peak_bytes": message.get("bytes", 0)})
"""
COMMAND = (sys.executable, "-c", WORKER)
QUIET = {"pass": "none", "do": ""}


@contextmanager
def pool(bounds: Bounds | None = None, *, command: Sequence[str] = COMMAND) -> Iterator[WorkerPool]:
    """A pool that is closed in the end."""
    made = WorkerPool(1, command=command, bounds=bounds or Bounds())
    try:
        yield made
    finally:
        made.close()


def test_no_worker_is_started_before_something_must_run_and_then_it_stays() -> None:
    with pool() as workers:
        assert workers.started == 0
        assert workers.run(QUIET)["pid"] == workers.run(QUIET)["pid"]
        assert workers.started == 1


def test_a_worker_is_replaced_after_so_many_requests() -> None:
    with pool(Bounds(requests=2)) as workers:
        first, second, third = (workers.run(QUIET)["pid"] for _ in range(3))
        assert (first == second, second == third) == (True, False)


def test_a_worker_that_has_grown_is_replaced() -> None:
    with pool(Bounds(bytes=1000)) as workers:
        first, second, third = (workers.run({**QUIET, "bytes": size})["pid"] for size in (1000, 1001, 0))
        assert (first == second, second == third) == (True, False)


def test_the_worker_itself_says_how_large_it_has_been() -> None:
    with pool(command=(sys.executable, "-m", "pypto_build.driver.worker")) as workers:
        found = workers.run({"kind": "nothing"})
    assert (found["status"], found["peak_bytes"] > 1 << 20) == (2, True)


def test_one_that_ends_is_reported_with_its_place_and_another_takes_over() -> None:
    with pool() as workers:
        with pytest.raises(WorkerDiedError, match=r"^the worker process ended with status 3 in pass fold$"):
            workers.run({"pass": "fold", "do": "os._exit(3)"})
        assert workers.run(QUIET)["pid"]
        assert workers.started == 2


def test_one_that_does_not_answer_is_ended_with_what_it_started() -> None:
    with pool() as workers, pytest.raises(WorkerDiedError, match=r"did not answer within 3 s"):
        workers.run({"pass": "spin", "do": "os.fork(); time.sleep(10_000)"}, timeout=3)


def test_one_that_was_killed_while_idle_fails_nothing() -> None:
    with pool() as workers:
        process = workers.run(QUIET)["pid"]
        os.kill(process, signal.SIGKILL)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        assert workers.run(QUIET)["pid"] != process


def test_no_alarm_is_set_while_a_worker_waits_for_the_next_request() -> None:
    requests, answers = BytesIO(), BytesIO()
    write_message(requests, {"kind": "nothing", "seconds": 5})
    requests.seek(0)
    serve(requests, answers)
    assert signal.alarm(0) == 0
    assert answers.getvalue()


def test_an_answer_is_given_whatever_a_request_is() -> None:
    assert answer({"kind": "nothing"})["error"].startswith("error[WORK001]")
