# SPDX-License-Identifier: Apache-2.0
"""Windows that ranks share, the numbers of ranks, and counters that they raise and wait for."""

import pytest

from pypto_build.ir import (
    CommCtxType,
    ConstFloat,
    ConstInt,
    MakeTuple,
    NotifyOp,
    PtrType,
    UnknownType,
    WaitCmp,
)
from pypto_build.ops.build import distributed as pld
from pypto_build.ops.build import distributed_system as signals
from tests.unit.ops.parts import FP16, FP32, INT32, INT64, M, N, scalar, shown, tensor, window

COUNTERS = window(4, dtype=INT32)
PEER = scalar(INT32, "peer")


def buffer(size=1024):
    return pld.alloc_window_buffer(size, name="buf")


def test_a_buffer_has_a_size_in_bytes_and_a_name():
    made = buffer()
    assert isinstance(made.type, PtrType)
    assert (made.args[0].value, made.kwargs["name"]) == (1024, "buf")
    with pytest.raises(ValueError, match="requires a non-empty 'name'"):
        pld.alloc_window_buffer(1024)


def test_a_buffer_for_a_shape_has_as_many_bytes():
    size = pld.alloc_window_buffer([16, 32], dtype=FP16, name="buf").args[0]
    assert (size.value, size.dtype) == (1024, INT64)


@pytest.mark.parametrize(
    ("size", "dtype", "message"),
    [
        ([16], None, "requires dtype="),
        (16, FP32, "dtype= is only valid when the first argument is a shape"),
        ([], FP32, "shape must be non-empty"),
        ([16, 0], FP32, "all dimensions must be positive"),
        ([16, N], FP32, "all dimensions must be constants"),
    ],
)
def test_a_buffer_of_no_size_is_refused(size, dtype, message):
    with pytest.raises(ValueError, match=message):
        pld.alloc_window_buffer(size, dtype=dtype, name="buf")


def test_a_window_is_a_buffer_as_a_tensor():
    assert shown(pld.window(buffer(), [N, 32], dtype=FP32)).startswith("pld.DistributedTensor[[n, 32], FP32")
    with pytest.raises(ValueError, match="requires a Ptr handle of a window buffer"):
        pld.window(N, [4], dtype=FP32)
    with pytest.raises(ValueError, match="requires positive extents, but got 0"):
        pld.window(buffer(), [0], dtype=FP32)


def test_ranks_are_numbered_in_the_group_of_a_window():
    context = pld.get_comm_ctx(COUNTERS)
    assert isinstance(context.type, CommCtxType)
    assert {shown(pld.rank(context)), shown(pld.nranks(context))} == {"Scalar[INT32]"}
    assert shown(pld.world_size()) == "Scalar[INT64]"
    with pytest.raises(ValueError, match="must be a DistributedTensor"):
        pld.get_comm_ctx(tensor(4))
    with pytest.raises(ValueError, match="ctx must be a CommCtx"):
        pld.rank(N)


def test_a_counter_of_a_peer_is_raised():
    made = signals.notify(COUNTERS, PEER, [N], 1, op=NotifyOp.AtomicAdd)
    assert isinstance(made.type, UnknownType)
    assert isinstance(made.args[2], MakeTuple)
    assert made.kwargs["op"] == int(NotifyOp.AtomicAdd)


def test_a_counter_is_waited_for_now_or_at_the_end_of_the_task():
    for build in (signals.wait, signals.defer_wait):
        made = build(COUNTERS, [N], M, cmp=WaitCmp.Ge)
        assert (made.args[2], made.kwargs["cmp"]) == (M, 1)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: signals.notify(tensor(4, dtype=INT32), PEER, [0], 1, op=0), "must be a DistributedTensor"),
        (
            lambda: signals.notify(COUNTERS, PEER, [0, 0], 1, op=0),
            "offsets rank must match the tensor rank: got 2 for 1",
        ),
        (lambda: signals.notify(COUNTERS, PEER, [0], 1, op=5), "op must be NotifyOp.AtomicAdd or NotifyOp.Set"),
        (lambda: signals.wait(COUNTERS, [0], 1, cmp=5), "cmp must be WaitCmp.Eq or WaitCmp.Ge, but got 5"),
        (lambda: signals.defer_wait(COUNTERS, [0], 1, cmp=WaitCmp.Eq), "only supports WaitCmp.Ge"),
        (lambda: signals.defer_wait(window(4), [0], 1, cmp=1), "signal dtype must be INT32"),
        (lambda: signals.defer_wait(window(dtype=INT32), [], 1, cmp=1), "signal rank must be at least 1"),
        (lambda: signals.defer_wait(COUNTERS, [0.0], 1, cmp=1), "offset 0 must be an integer or index scalar"),
        (lambda: signals.defer_wait(COUNTERS, [0], 1.0, cmp=1), "expected must be an integer or index scalar"),
        (lambda: signals.defer_wait(COUNTERS, [0], 2**31, cmp=1), r"expected must be in \[0, INT32_MAX\]"),
    ],
)
def test_a_counter_that_cannot_be_used_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_numbers_become_index_constants_and_floats_stay_floats():
    made = signals.notify(COUNTERS, 1, [0], 2, op=NotifyOp.Set)
    assert [type(arg) for arg in (made.args[1], made.args[3])] == [ConstInt, ConstInt]
    assert isinstance(signals.wait(COUNTERS, [0], 1.0, cmp=0).args[2], ConstFloat)
