# SPDX-License-Identifier: Apache-2.0
"""Builders of operations as the public interface calls them: modes by position, the span by position or name."""

from __future__ import annotations

import pytest

from pypto_build.compat.op_builders import PLD_SYSTEM
from pypto_build.ir import Call, DataType, DistributedTensorType, NotifyOp, Span, Var, WaitCmp, dims

SIGNAL = Var("signal", DistributedTensorType(dims([4, 1]), DataType.INT32))
WHERE = Span("kernel.py", 3, 5)


def built(name: str, *args: object, **options: object) -> Call:
    """The call that a builder makes."""
    build = PLD_SYSTEM[name]
    assert callable(build)
    call = build(*args, **options)
    assert isinstance(call, Call)
    return call


@pytest.mark.parametrize("name", ["wait", "defer_wait"])
def test_a_comparison_is_taken_by_position(name: str):
    call = built(name, SIGNAL, [0, 0], 1, WaitCmp.Ge, WHERE)
    assert call.kwargs["cmp"] == WaitCmp.Ge
    assert call.span == WHERE


def test_the_kind_of_a_notification_is_taken_by_position():
    call = built("notify", SIGNAL, 1, [0, 0], 1, NotifyOp.AtomicAdd, span=WHERE)
    assert call.kwargs["op"] == NotifyOp.AtomicAdd
    assert call.span == WHERE
