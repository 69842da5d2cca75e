# SPDX-License-Identifier: Apache-2.0
"""Saying whose code failed: an exception inside a contribution carries the plugin, the function and a reproducer."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager

from pypto_build.errors import UNKNOWN_SPAN, Span, UserError
from pypto_build.host.paths import shown_path

# Writes what is needed to see the failure again and returns one line that says how.
Reproduce = Callable[[], str]


@contextmanager
def attributed(
    owner: object,
    *,
    function: str = "",
    reproduce: Reproduce | None = None,
    passing: tuple[type[Exception], ...] = (),
) -> Generator[None]:
    """Run a contribution's code; what it raises flies on, with notes that name `owner` and the IR function.

    `owner` is anything that prints as the owner's name, such as a `Contribution`. A `UserError` is about the user's
    input and passes as it is, and so do those of `passing`. `reproduce` is called only on failure, before the exception
    leaves.
    """
    try:
        yield
    except (UserError, *passing):
        raise
    except Exception as error:
        where = f", function `{function}`" if function else ""
        error.add_note(f"raised in {owner}{where}")
        if reproduce is not None:
            error.add_note(_reproducer_note(reproduce))
        raise


def _reproducer_note(reproduce: Reproduce) -> str:
    """How to see the failure again; a reproducer that fails itself must not hide the failure."""
    try:
        return f"reproduce with: {reproduce()}"
    except Exception as error:  # whatever it is, the exception in flight matters more
        return f"no reproducer was written: {describe(error)}"


def describe(error: BaseException) -> str:
    """An exception in one line: its type and the first line of its message."""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def raised_at(error: BaseException) -> Span:
    """The line that raised while a plugin was imported: the innermost one that is neither Python's nor the host's.

    Of a syntax error it is the line that the error names.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return Span(shown_path(error.filename), error.lineno, error.offset or 1)
    import traceback  # only a failure should pay for it

    ours = (os.path.dirname(__file__), os.path.dirname(importlib.__file__), "<frozen ")
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(ours)]
    if not frames:
        return UNKNOWN_SPAN
    return Span(shown_path(frames[-1].filename), frames[-1].lineno or 1, (frames[-1].colno or 0) + 1)
