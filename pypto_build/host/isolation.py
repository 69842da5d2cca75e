# SPDX-License-Identifier: Apache-2.0
"""Running foreign code in a process of its own: a crash or an endless loop there ends that process, not the build.

The process is a fork, so the program to work on need not be sent; only the result is, as bytes. Linux and macOS. What
the code prints goes to stderr, and what it started and left running ends with it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pypto_build.errors import UNKNOWN_SPAN, InternalError, Span, UserError

_DONE, _FAILED, _REFUSED = b"D", b"F", b"R"
_CHUNK = 1 << 16
_GRACE = 5.0  # seconds after its time that a process ends itself if nobody did
_POLL = 0.1  # seconds between two looks whether a silent process is still there
_PAUSE = 0.001  # seconds between two looks whether a process that has sent everything has ended


@dataclass(frozen=True, slots=True)
class Limit:
    """Whose code it is, how many seconds it may take (None: any), and the place that says so."""

    owner: str
    seconds: float | None = None
    span: Span = UNKNOWN_SPAN


def run_isolated(work: Callable[[], bytes], limit: Limit) -> bytes:
    """The bytes that `work` returns in a process of its own; nothing that it started outlives the call.

    Raises:
        UserError: `work` raised one, or took longer than the limit.
        InternalError: `work` raised something else, or its process died.
    """
    for stream in (sys.stdout, sys.stderr):  # or the child would write once more what is waiting in them
        stream.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_child(work, writer, limit.seconds)
    os.close(writer)
    try:
        message, status = _read(reader, child, limit)
    except BaseException:
        os.kill(child, signal.SIGKILL)  # it is not its group's leader before it has run
        _end_group(child)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reader)
    _end_group(child)
    return _result(message, status, limit=limit)


def _run_child(work: Callable[[], bytes], writer: int, seconds: float | None) -> None:
    """Work, send the outcome, and end without running anything that the parent wants to run at its end."""
    os.setpgid(0, 0)
    os.dup2(2, 1)  # stdout may be the answer of a command, or speak a protocol
    sys.stdout = sys.stderr
    if seconds is not None:  # the parent may be killed before it can end this process
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)
    status = 0
    try:
        message = _outcome(work)
        sys.stdout.flush()
        sys.stderr.flush()
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(message)
    except BaseException:
        status = 1
    finally:
        os._exit(status)


def _outcome(work: Callable[[], bytes]) -> bytes:
    try:
        return _DONE + work()
    except UserError as error:
        return _REFUSED + _encode_error(error)
    except BaseException:  # the process ends here, so the traceback goes where it can be shown
        import traceback

        return _FAILED + traceback.format_exc().encode()


def _read(reader: int, child: int, limit: Limit) -> tuple[bytes, int]:
    """What the process sent until it ended, and its status.

    That it ended is what counts, not that the pipe did: a process that it left behind may hold the pipe open.
    """
    began = time.monotonic()
    chunks: list[bytes] = []
    while True:
        at_end = _take(reader, chunks, wait=_POLL)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _take(reader, chunks, wait=0)
            return b"".join(chunks), status
        if limit.seconds is not None and time.monotonic() - began > limit.seconds:
            help = "`timeout:` in the pipeline or `--isolate SECONDS` says how long it may take"
            raise UserError("HOST008", f"{limit.owner} did not end within {limit.seconds:g} s", limit.span, help=help)
        if at_end:
            time.sleep(_PAUSE)


def _take(reader: int, chunks: list[bytes], wait: float) -> bool:
    """Read what is there, waiting so many seconds for the first of it; whether that was the end."""
    while select.select([reader], [], [], wait)[0]:
        chunk = os.read(reader, _CHUNK)
        if not chunk:
            return True
        chunks.append(chunk)
        wait = 0
    return False


def _end_group(child: int) -> None:
    """End what the process started and left running."""
    with suppress(ProcessLookupError, PermissionError):  # PermissionError is what macOS says of a group of zombies
        os.killpg(child, signal.SIGKILL)


def _result(message: bytes, status: int, *, limit: Limit) -> bytes:
    kind, body = message[:1], message[1:]
    if kind == _REFUSED:
        raise _decode_error(body)
    if kind == _FAILED:
        lines = body.decode().strip().splitlines()
        error = InternalError(f"{limit.owner} failed: {lines[-1] if lines else 'for no reason given'}", limit.span)
        error.add_note("in a process of its own:\n" + "\n".join(lines))
        raise error
    code = os.waitstatus_to_exitcode(status)
    if kind != _DONE or code:
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else "ended without a result"
        raise InternalError(f"{limit.owner} {how}", limit.span)
    return body


def _encode_error(error: UserError) -> bytes:
    import json

    def span(place: Span) -> list[object]:
        return [place.filename, place.begin_line, place.begin_column, place.end_line, place.end_column]

    notes = [[text, span(place)] for text, place in error.notes]
    return json.dumps([error.code, error.message, span(error.span), error.help, notes]).encode()


def _decode_error(body: bytes) -> UserError:
    import json

    code, message, place, help, notes = json.loads(body)
    return UserError(code, message, Span(*place), help=help, notes=tuple((text, Span(*at)) for text, at in notes))
