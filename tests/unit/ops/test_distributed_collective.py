# SPDX-License-Identifier: Apache-2.0
"""Operations in which all ranks take part."""

import pytest

from pypto_build.ir import (
    ReduceOp,
)
from pypto_build.ops import builtin_registry
from pypto_build.ops.build import distributed_tensor as copies
from tests.unit.ops.parts import BF16, FP16, INT32, INT64, shown, tensor, window

COUNTERS = window(4, dtype=INT32)


@pytest.mark.parametrize(
    ("build", "operands", "result"),
    [
        (copies.allreduce, (window(16), COUNTERS), 0),
        (copies.allreduce, (window(16),), 0),
        (copies.reduce_scatter, (window(16), COUNTERS), 0),
        (copies.barrier, (COUNTERS,), 0),
        (copies.allgather, (tensor(4), window(16), COUNTERS), 1),
        (copies.all_to_all, (tensor(16), window(16), COUNTERS), 1),
    ],
)
def test_a_collective_yields_the_window_it_updates(build, operands, result):
    assert build(*operands).type is operands[result].type


def test_a_reduction_says_what_how_and_on_how_many_cores():
    made = copies.allreduce(window(16), COUNTERS, op=ReduceOp.Max, mode="ring", core_num=4)
    assert dict(made.kwargs) == {"op": int(ReduceOp.Max), "mode": "ring", "core_num": 4}
    assert dict(copies.broadcast(window(16), COUNTERS, root=1).kwargs) == {"root": 1}


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: copies.allreduce(window(16), None), TypeError, "signal cannot be None"),
        (lambda: copies.allreduce(window(16), core_num=True), TypeError, "core_num must be static, a compile-time int"),
        (lambda: copies.allreduce(window(16), core_num=0), ValueError, "core_num must be positive, got 0"),
        (lambda: copies.allreduce(window(16), op=9), ValueError, r"ReduceOp\.Sum, Max, Min, or Prod, but got 9"),
        (lambda: copies.allreduce(window(16, dtype=BF16)), ValueError, "target dtype must be FP16 or FP32"),
        (lambda: copies.allreduce(tensor(16)), ValueError, "must be a DistributedTensor"),
        (lambda: copies.barrier(window(4)), ValueError, "signal must have INT32 element type"),
        (lambda: copies.broadcast(window(16), COUNTERS, root=-1), ValueError, "root must be a rank number"),
        (lambda: copies.reduce_scatter(window(16), COUNTERS, op=ReduceOp.Max), ValueError, r"ReduceOp\.Sum only"),
        (lambda: copies.allgather(tensor(4, dtype=FP16), window(16), COUNTERS), ValueError, "the same element type"),
    ],
)
def test_a_collective_that_cannot_run_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()


def exchanged(*, rows=8, signal=(4, 1), sent=(4, 1), received=(4, 1), count_dtype=INT32):
    return copies.all_to_all_v(
        tensor(rows, 64),
        window(rows, 64),
        window(*signal, dtype=INT32),
        tensor(*sent, dtype=count_dtype),
        window(*received, dtype=INT32),
    )


def test_an_exchange_by_count_yields_the_target():
    assert shown(exchanged()).startswith("pld.DistributedTensor[[8, 64], FP32")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 9}, "must divide target dim 0, but got 9"),
        ({"signal": (4,)}, "signal must be 2D"),
        ({"sent": (4, 2)}, "send_counts must be 1D, or 2D with one column"),
        ({"sent": (2, 1)}, "send_counts dim 0 must be the number of ranks"),
        ({"received": (4, 2)}, "recv_counts second dimension must be 1"),
        ({"count_dtype": INT64}, "send_counts must have INT32 element type"),
    ],
)
def test_counts_that_do_not_fit_the_ranks_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        exchanged(**options)


def test_an_exchange_by_count_has_five_operands():
    operands = [tensor(8, 64), window(8, 64), window(4, 1, dtype=INT32), tensor(4, 1, dtype=INT32)]
    with pytest.raises(ValueError, match=r"requires 5 args .* but got 4"):
        builtin_registry().create_call("pld.tensor.all_to_all_v", operands)
