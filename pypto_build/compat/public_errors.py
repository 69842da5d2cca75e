# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the public interface, and ours turned into them where the two meet."""

from __future__ import annotations

import builtins
from collections.abc import Generator
from contextlib import contextmanager

from pypto_build.dsl.diagnostics import ParserError
from pypto_build.errors import InternalError, UserError
from pypto_build.passes import VerificationError


class Error(Exception):
    """An error without a nearer Python counterpart, such as a failed verification."""


class ValueError(builtins.ValueError):  # the public name
    """A wrong value."""


class TypeError(builtins.TypeError):  # the public name
    """A wrong type."""


class RuntimeError(builtins.RuntimeError):  # the public name
    """Something that failed."""


class NotImplementedError(builtins.NotImplementedError):  # the public name
    """Something that is not there yet."""


class IndexError(builtins.IndexError):  # the public name
    """An index out of bounds."""


class AssertionError(builtins.AssertionError):  # the public name
    """A condition that does not hold."""


_INTERNAL = frozenset({"TILE001", "TILE004"})
"""Limits of the conversion to tiles, which the public interface reports as errors of its own."""


@contextmanager
def translated() -> Generator[None]:
    """Our errors as the public ones: a failed verification is an Error, the user's mistake mostly a ValueError."""
    try:
        yield
    except ParserError:
        raise
    except VerificationError as error:
        raise Error(str(error)) from error
    except UserError as error:
        raise (InternalError if error.code in _INTERNAL else ValueError)(_with_place(error)) from error


def _with_place(error: UserError) -> str:
    """The sentence and, in brackets, where it belongs."""
    return f"{error.message} [{error.span}]" if error.span.is_valid() else error.message


__all__ = [
    "AssertionError",
    "Error",
    "IndexError",
    "InternalError",
    "NotImplementedError",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "translated",
]
