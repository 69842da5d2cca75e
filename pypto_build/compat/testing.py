# SPDX-License-Identifier: Apache-2.0
"""`pypto.testing`: errors on demand, and what the registry knows beyond the public questions."""

from __future__ import annotations

from typing import NoReturn

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.compat import public_errors
from pypto_build.errors import InternalError, Span
from pypto_build.ir import Call
from pypto_build.ops import builtin_registry


def raise_value_error(message: str) -> NoReturn:
    """Raise a ValueError."""
    raise public_errors.ValueError(message)


def raise_type_error(message: str) -> NoReturn:
    """Raise a TypeError."""
    raise public_errors.TypeError(message)


def raise_runtime_error(message: str) -> NoReturn:
    """Raise a RuntimeError."""
    raise public_errors.RuntimeError(message)


def raise_not_implemented_error(message: str) -> NoReturn:
    """Raise a NotImplementedError."""
    raise public_errors.NotImplementedError(message)


def raise_index_error(message: str) -> NoReturn:
    """Raise an IndexError."""
    raise public_errors.IndexError(message)


def raise_assertion_error(message: str) -> NoReturn:
    """Raise an AssertionError."""
    raise public_errors.AssertionError(message)


def raise_generic_error(message: str) -> NoReturn:
    """Raise an Error."""
    raise public_errors.Error(message)


def raise_internal_error(message: str) -> NoReturn:
    """Raise an InternalError."""
    raise InternalError(message)


def raise_internal_error_with_span(message: str, filename: str, line: int, col: int) -> NoReturn:
    """Raise an InternalError with a place."""
    span = Span(filename, line, col)
    raise InternalError(f"Check failed: {message} [{span}]", span)


def rethrow_with_message(kind: str, original: str, replacement: str) -> NoReturn:
    """Raise an error of a kind with another message than it first had."""
    del original
    raise getattr(public_errors, kind)(replacement)


def get_execution_memory_access_evidence(op_name: str) -> str:
    """What is known of the memory that an operation touches."""
    return builtin_registry().get(op_name).access.value


def get_declared_core_affinity(op_name: str) -> str | None:
    """The core that an operation declares, or None."""
    found = builtin_registry().get(op_name).core_affinity
    return None if found is None else found.value


def classify_call_affinity(call: Call) -> str:
    """The core that executes a call."""
    return core_affinity(call, builtin_registry()).value


def is_no_duplicate_op(op_name: str) -> bool:
    """Whether an operation must not run on a second core."""
    return builtin_registry().get(op_name).no_duplicate
