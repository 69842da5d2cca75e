# SPDX-License-Identifier: Apache-2.0
"""Counters in a window that ranks raise and wait for."""

from __future__ import annotations

from pypto_build.ir import DataType, NotifyOp, ScalarType, UnknownType, WaitCmp, as_int
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.deduce_distributed import coordinates, one_of, scalar, window
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.effects import notify_effect
from pypto_build.ops.operands import Operands

_INT32_MAX = 2**31 - 1


def notified(operands: Operands) -> UnknownType:
    """A peer's counter is raised or set."""
    target = window(operands, 0, "target")
    scalar(operands, 1, "peer")
    coordinates(operands, 2, "offsets", rank=len(target.shape))
    scalar(operands, 3, "value")
    one_of(operands, "op", len(NotifyOp), default=NotifyOp.AtomicAdd, wanted="NotifyOp.AtomicAdd or NotifyOp.Set")
    return UNKNOWN_TYPE


def awaited(operands: Operands) -> UnknownType:
    """The core waits until a counter of its own has a value."""
    _waited_for(operands)
    return UNKNOWN_TYPE


def deferred(operands: Operands) -> UnknownType:
    """The task counts as done only once a counter has reached a value."""
    comparison = _waited_for(operands)
    operands.check(comparison == WaitCmp.Ge, "only supports WaitCmp.Ge: counters of deferred tasks only grow")
    counters = window(operands, 0, "signal")
    operands.check(counters.dtype is DataType.INT32, f"signal dtype must be INT32, but got {counters.dtype}")
    operands.check(len(counters.shape) >= 1, "signal rank must be at least 1")
    offsets = coordinates(operands, 1, "offsets", rank=len(counters.shape))
    named = [*((f"offset {i}", offset) for i, offset in enumerate(offsets)), ("expected", operands.args[2])]
    for what, value in named:
        kind = value.type
        integer = isinstance(kind, ScalarType) and kind.dtype.is_int()
        operands.check(integer, f"{what} must be an integer or index scalar")
    threshold = as_int(operands.args[2])
    fits = threshold is None or 0 <= threshold <= _INT32_MAX
    operands.check(fits, f"expected must be in [0, INT32_MAX], but got {threshold}")
    return UNKNOWN_TYPE


def _waited_for(operands: Operands) -> int:
    counters = window(operands, 0, "signal")
    coordinates(operands, 1, "offsets", rank=len(counters.shape))
    scalar(operands, 2, "expected")
    return one_of(operands, "cmp", len(WaitCmp), default=WaitCmp.Eq, wanted="WaitCmp.Eq or WaitCmp.Ge")


_OFFSETS = ArgDef("offsets", "tuple of ScalarType")
_WAIT = (ArgDef("signal", "DistributedTensorType"), _OFFSETS, ArgDef("expected", "ScalarType"))

OPS = (
    OpDef(
        name="pld.system.notify",
        category="DistributedOp",
        args=(
            ArgDef("target", "DistributedTensorType"),
            ArgDef("peer", "ScalarType"),
            _OFFSETS,
            ArgDef("value", "ScalarType"),
        ),
        kwargs=(KwargDef("op", int, default=int(NotifyOp.AtomicAdd)),),
        deduce=notified,
        no_memory=True,
        effects={0: notify_effect},
        no_duplicate=True,  # a copy on the other core could release the peer before the data has landed
        description="raise or set a counter of a peer",
    ),
    OpDef(
        name="pld.system.wait",
        category="DistributedOp",
        args=_WAIT,
        kwargs=(KwargDef("cmp", int, required=True),),
        deduce=awaited,
        no_memory=True,
        no_arg_writes=True,
        description="wait for a counter",
    ),
    OpDef(
        name="pld.system.defer_wait",
        category="DistributedOp",
        args=_WAIT,
        kwargs=(KwargDef("cmp", int, required=True),),
        deduce=deferred,
        no_memory=True,
        no_arg_writes=True,
        description="complete the task once a counter has grown",
    ),
)
