# SPDX-License-Identifier: Apache-2.0
"""Running foreign code in a process of its own: a crash or an endless loop there ends that process, not the build.

The process is a fork, so the program to work on need not be sent; only the result is, as bytes. Linux and macOS.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from pypto_build.errors import UNKNOWN_SPAN, InternalError, Span, UserError

_DONE, _FAILED, _REFUSED = b"D", b"F", b"R"
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Limit:
    """Whose code it is, how many seconds it may take (None: any), and the place that says so."""

    owner: str
    seconds: float | None = None
    span: Span = UNKNOWN_SPAN


def run_isolated(work: Callable[[], bytes], limit: Limit) -> bytes:
    """The bytes that `work` returns in a process of its own.

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
        _run_child(work, writer)
    os.close(writer)
    try:
        message = _read(reader, limit)
    except BaseException:
        _kill(child)
        raise
    finally:
        os.close(reader)
    _, status = os.waitpid(child, 0)
    return _result(message, status, limit=limit)


def _run_child(work: Callable[[], bytes], writer: int) -> None:
    """Work, send the outcome, and end without running anything that the parent wants to run at its end."""
    os.setpgid(0, 0)
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


def _read(reader: int, limit: Limit) -> bytes:
    deadline = None if limit.seconds is None else time.monotonic() + limit.seconds
    chunks: list[bytes] = []
    while True:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([reader], [], [], left)[0]:
            help = "`timeout:` in the pipeline says how long it may take"
            raise UserError("HOST008", f"{limit.owner} did not end within {limit.seconds:g} s", limit.span, help=help)
        chunk = os.read(reader, _CHUNK)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


def _kill(child: int) -> None:
    """End the process and what it started."""
    for end in (os.killpg, os.kill):  # the group is there once the child has made it
        try:
            end(child, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.waitpid(child, 0)


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
