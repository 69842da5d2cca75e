# SPDX-License-Identifier: Apache-2.0
"""The worker process: answers requests until its input ends, so that imports and plans are paid once.

It runs in a process of its own because passes hold the interpreter lock and a build tool's threads have small stacks.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import signal
import sys
import traceback
from typing import Any, BinaryIO

from pypto_build.deep_stack import on_deep_stack
from pypto_build.driver.memory import peak_bytes
from pypto_build.driver.progress import at, report_to
from pypto_build.driver.protocol import read_message, write_message
from pypto_build.errors import EXIT_INTERNAL_ERROR, EXIT_USER_ERROR, UserError, render

GC_THRESHOLD = (100_000, 20, 20)  # building IR at the default threshold is 2.4 times slower
_GRACE = 10  # seconds; the alarm is for orphans, and must not be what ends a worker that is watched


def main() -> int:
    """Serve on stdin and stdout; what user code prints goes to stderr. An argument is a file to say in where we are."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if len(sys.argv) > 1:
        report_to(int(sys.argv[1]))
    gc.set_threshold(*GC_THRESHOLD)
    on_deep_stack(lambda: serve(requests, answers))
    return 0


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the input ends or nobody listens any more; each answer says how large the process has been.

    Who asks ends a worker that takes longer than the `seconds` of a request; if that one has died, the alarm does.
    """
    with contextlib.suppress(BrokenPipeError):
        while (message := read_message(requests)) is not None:
            signal.alarm(math.ceil(message.pop("seconds", 0.0)) + _GRACE)
            answered = answer(message)
            signal.alarm(0)
            write_message(answers, {**answered, "peak_bytes": peak_bytes()})


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """The result of one request, whatever happens inside it."""
    try:
        return _handled(message)
    except UserError as error:
        return {"status": EXIT_USER_ERROR, "error": render(error)}
    except Exception:  # the one place that turns a bug into an answer, so that it fails one target only
        return {"status": EXIT_INTERNAL_ERROR, "error": traceback.format_exc() + "\nThis is a bug: please report it."}


def _handled(message: dict[str, Any]) -> dict[str, Any]:
    kind = message.pop("kind")
    at("")
    if kind == "compile":
        from pypto_build.driver.compile import compile_source
        from pypto_build.driver.request import CompileRequest

        return compile_source(CompileRequest.from_json(message)).to_json()
    if kind == "simulate":
        from pypto_build.driver.request import SimulateRequest
        from pypto_build.driver.simulate import simulate_object

        return simulate_object(SimulateRequest.from_json(message)).to_json()
    raise UserError("WORK001", f"a worker cannot {kind!r}")


if __name__ == "__main__":
    sys.exit(main())
