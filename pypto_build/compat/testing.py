# SPDX-License-Identifier: Apache-2.0
"""`pypto.testing`: errors on demand, and what the registry knows beyond the public questions."""

from __future__ import annotations

from typing import NoReturn, Protocol, cast

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.analysis.execution_pipes import execution_pipe
from pypto_build.compat import public_errors
from pypto_build.compat.backend_state import current_hardware
from pypto_build.compat.pass_context import own_context
from pypto_build.compat.providers import pass_class
from pypto_build.errors import InternalError, Span
from pypto_build.ir import Call, Function
from pypto_build.ops import builtin_registry
from pypto_build.passes import PassContext


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


def try_infer_pipe(call: Call) -> int | None:
    """The pipe that executes a call, or None."""
    found = execution_pipe(call, builtin_registry(), current_hardware().moves)
    return None if found is None else int(found)


def recognize_dsa_reuse_penalties(function: Function) -> list[dict[str, str | int]]:
    """The tiles that the planner DSA_RP had better not put into the same bytes."""
    planner = cast("_Planner", pass_class("allocate_memory_addr"))
    pairs = planner.reuse_penalties(function, own_context())
    return [{"first_name": first, "second_name": second, "cost": 1} for first, second in pairs]


class _Planner(Protocol):
    """What the pass that assigns addresses tells beyond what a pass has to."""

    @staticmethod
    def reuse_penalties(function: Function, context: PassContext) -> list[tuple[str, str]]: ...


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
