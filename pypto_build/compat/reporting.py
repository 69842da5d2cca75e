# SPDX-License-Identifier: Apache-2.0
"""Logging of the public interface: levels, and lines on standard error."""

from __future__ import annotations

import os
import sys
import threading
from datetime import datetime
from enum import IntEnum

from pypto_build.errors import InternalError, Span


class LogLevel(IntEnum):
    """How much a line matters."""

    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3
    FATAL = 4
    EVENT = 5
    NONE = 6


_MARKS = {
    LogLevel.DEBUG: "D",
    LogLevel.INFO: "I",
    LogLevel.WARN: "W",
    LogLevel.ERROR: "E",
    LogLevel.FATAL: "F",
    LogLevel.EVENT: "V",
}


class _Levels(threading.local):
    """The level of the process, and the one of this thread if it has its own."""

    process = LogLevel.__members__.get(os.environ.get("PYPTO_LOG_LEVEL", "").upper(), LogLevel.INFO)
    own: LogLevel | None = None


_levels = _Levels()


def set_log_level(level: LogLevel) -> None:
    """Show lines of this level and above, in the whole process."""
    _Levels.process = LogLevel(level)


def get_log_level() -> LogLevel:
    """The level of the process."""
    return _Levels.process


def set_thread_log_level(level: LogLevel) -> None:
    """Show lines of this level and above, in this thread."""
    _levels.own = LogLevel(level)


def clear_thread_log_level() -> None:
    """Let this thread follow the process again."""
    _levels.own = None


def log(level: LogLevel, message: str) -> None:
    """Write one line, if the level is shown."""
    shown = _levels.own if _levels.own is not None else _Levels.process
    if level >= shown:
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        sys.stderr.write(f"{stamp} {_MARKS[level]} | {message}\n")
        sys.stderr.flush()


def log_debug(message: str) -> None:
    """A line for developers."""
    log(LogLevel.DEBUG, message)


def log_info(message: str) -> None:
    """A line of progress."""
    log(LogLevel.INFO, message)


def log_warn(message: str) -> None:
    """A line of warning."""
    log(LogLevel.WARN, message)


def log_error(message: str) -> None:
    """A line of an error."""
    log(LogLevel.ERROR, message)


def log_fatal(message: str) -> None:
    """A line of an error that ends the work."""
    log(LogLevel.FATAL, message)


def log_event(message: str) -> None:
    """A line of an event."""
    log(LogLevel.EVENT, message)


def check(condition: bool, message: str) -> None:
    """Raise ValueError unless the condition holds."""
    from pypto_build.compat import public_errors

    if not condition:
        raise public_errors.ValueError(message)


def internal_check(condition: bool, message: str) -> None:
    """Raise InternalError unless the condition holds."""
    if not condition:
        raise InternalError(message)


def internal_check_span(condition: bool, message: str, span: Span) -> None:
    """Raise InternalError with a place unless the condition holds."""
    if not condition:
        raise InternalError(f"Check failed: {message} [{span}]", span)


CORE_ONLY = {
    **LogLevel.__members__,
    "_set_thread_log_level": set_thread_log_level,
    "_clear_thread_log_level": clear_thread_log_level,
}
