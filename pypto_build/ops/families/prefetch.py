# SPDX-License-Identifier: Apache-2.0
"""Asynchronous prefetches of global memory into the second-level cache: hints that change no value."""

from __future__ import annotations

from pypto_build.ir import (
    AsyncEventType,
    AsyncSessionType,
    DataType,
    PrefetchAsyncContextType,
    ScalarType,
    Type,
    Var,
    as_int,
    scalar_type,
)
from pypto_build.ops.deduce_tensor import require
from pypto_build.ops.definition import ArgDef, CoreAffinity, Deduce, OpDef
from pypto_build.ops.operands import Operands, kind_of

_CONTEXT = PrefetchAsyncContextType()
_EVENT = AsyncEventType()
_SESSION = AsyncSessionType()


def context(_: Operands) -> PrefetchAsyncContextType:
    """The context that prefetches of a kernel share."""
    return _CONTEXT


def prefetched(operands: Operands) -> AsyncEventType:
    """Start a prefetch of a flat, contiguous piece of memory that has a name."""
    source = operands.tensor(0)
    named = isinstance(operands.args[0], Var)
    operands.check(named, f"expects src to be a Var or IterArg, but got {type(operands.args[0]).__name__}")
    shape = source.shape
    flat = bool(shape) and all(as_int(dim) == 1 for dim in shape[:-1]) and as_int(shape[-1]) is not None
    require(operands, flat, "expects src to be a flat contiguous logical 1D region of known size, but got {}", shape)
    _handle(operands, 1, PrefetchAsyncContextType, what="ctx to be a PrefetchAsyncContext")
    return _EVENT


def session(operands: Operands) -> AsyncSessionType:
    """The session in which prefetches of a context are awaited."""
    _handle(operands, 0, PrefetchAsyncContextType, what="ctx to be a PrefetchAsyncContext")
    return _SESSION


def awaited(operands: Operands) -> ScalarType:
    """Whether a prefetch has landed, once it has."""
    _handle(operands, 0, AsyncEventType, what="event to be an AsyncEvent")
    _handle(operands, 1, AsyncSessionType, what="session to be an AsyncSession")
    return scalar_type(DataType.BOOL)


def _handle(operands: Operands, index: int, kind: type[Type], *, what: str) -> None:
    found = operands.args[index].type
    operands.check(isinstance(found, kind), f"expects {what}, but got {kind_of(found)}")


_CTX = ArgDef("ctx", "PrefetchAsyncContextType")
_TABLE: tuple[tuple[str, tuple[ArgDef, ...], Deduce, str], ...] = (
    ("make_context", (), context, "the context of a kernel's prefetches"),
    ("async_prefetch", (ArgDef("src", "TensorType"), _CTX), prefetched, "start a prefetch"),
    ("session", (_CTX,), session, "the session that waits for prefetches"),
    (
        "wait",
        (ArgDef("event", "AsyncEventType"), ArgDef("session", "AsyncSessionType")),
        awaited,
        "wait until a prefetch has landed",
    ),
)

OPS = tuple(
    OpDef(
        name=f"prefetch.{name}",
        category="PrefetchOp",
        args=args,
        deduce=deduce,
        no_memory=True,
        core_affinity=CoreAffinity.VECTOR,  # the transfer bounces through a buffer that only vector cores have
        description=description,
    )
    for name, args, deduce, description in _TABLE
)
