# SPDX-License-Identifier: Apache-2.0
"""LowerCompositeOps on collectives: what all ranks have in the end, in whatever order they run, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pypto_passes.lower_composite_ops import LowerCompositeOps

from pypto_build.errors import UserError
from pypto_build.ir import Call, Function, Program, ReduceOp, collect
from pypto_build.passes import apply_pass
from tests.passes.programs import assert_unchanged, body
from tests.passes.rank_machine import run_ranks
from tests.passes.tile_places import after, function_of

PASS = LowerCompositeOps()
DTYPES = {"FP32": np.float32, "FP16": np.float16}
REDUCTIONS = {
    ReduceOp.Sum: np.add.reduce,
    ReduceOp.Max: np.maximum.reduce,
    ReduceOp.Min: np.minimum.reduce,
    ReduceOp.Prod: np.multiply.reduce,
}


def window(shape: str, dtype: str = "FP32", view: str = "") -> str:
    return f"pld.DistributedTensor[{shape}, pl.{dtype}{view}]"


def program(params: str, text: str, kind: str = "type=pl.FunctionType.InCore") -> Program:
    return body(f"@pl.function({kind})\ndef main(self, {params}):", text)


def lowered(params: str, text: str) -> Function:
    """The kernel after the pass, which changes nothing in its own result."""
    return function_of(after((PASS,), program(params, text)))


def signal(ranks: int, mode: str = "mesh") -> str:
    return window(f"[{2 * (ranks - 1)}, {ranks}]" if mode == "ring" else f"[{ranks}, 1]", "INT32")


def counters(ranks: int, mode: str = "mesh") -> list[Any]:
    shape = (2 * (ranks - 1), ranks) if mode == "ring" else (ranks, 1)
    return [np.zeros(shape, np.int32) for _ in range(ranks)]


def numbers(ranks: int, shape: tuple[int, ...], dtype: Any = np.float32) -> list[Any]:
    """Small integers, so that sums are exact in any order."""
    random = np.random.default_rng(sum(shape) + ranks)
    return [random.integers(-3, 4, shape).astype(dtype) for _ in range(ranks)]


def reduced(mode: str, op: ReduceOp, data: list[Any], *, seed: int, view: str = "", times: int = 1) -> None:
    """Reduce in place, some times in a row on one signal."""
    ranks, shape = len(data), str(list(data[0].shape))
    dtype = {kind: name for name, kind in DTYPES.items()}[data[0].dtype.type]
    call = f'data = pld.tensor.allreduce(data, signal, op={int(op)}, mode="{mode}")'
    text = "\n".join([*[call] * times, "return data"])
    kernel = lowered(f"data: {window(shape, dtype, view)}, signal: {signal(ranks, mode)}", text)
    cells = counters(ranks, mode)
    run_ranks(kernel, {"data": data, "signal": cells}, seed=seed)
    assert not np.any(cells), "the signal is not cleared"


@pytest.mark.parametrize("mode", ["mesh", "ring"])
@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda op: op.name)
def test_every_rank_gets_the_reduction(mode: str, ranks: int, op: ReduceOp) -> None:
    data = numbers(ranks, (2, 3, 17))
    expected = REDUCTIONS[op](np.stack(data))
    reduced(mode, op, data, seed=ranks)
    assert all(np.array_equal(found, expected) for found in data)


@pytest.mark.parametrize("mode", ["mesh", "ring"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 3, 16, 17, 33, 4096, 8193, 20000])
def test_rows_of_any_length_are_reduced(mode: str, dtype: str, size: int) -> None:
    data = numbers(4, (1, size), DTYPES[dtype])
    expected = np.add.reduce(np.stack(data))
    reduced(mode, ReduceOp.Sum, data, seed=size)
    assert all(np.array_equal(found, expected) for found in data)


@pytest.mark.parametrize("mode", ["mesh", "ring"])
@pytest.mark.parametrize("seed", range(12))
def test_a_signal_serves_again_in_whatever_order_the_ranks_run(mode: str, seed: int) -> None:
    data = numbers(3, (1, 9))
    once = np.add.reduce(np.stack(data))
    reduced(mode, ReduceOp.Sum, data, seed=seed, times=3)
    assert all(np.array_equal(found, once * 9) for found in data)


def test_only_the_valid_rows_are_reduced_in_the_mesh() -> None:
    data = numbers(2, (2, 3, 4))
    expected = data[0].copy()
    expected[0, :, :2] += data[1][0, :, :2]
    reduced("mesh", ReduceOp.Sum, data, seed=1, view=", pl.TensorView(valid_shape=[1, 3, 2], stride=[])")
    assert np.array_equal(data[0], expected)


def test_only_the_first_elements_are_reduced_in_the_ring() -> None:
    data = numbers(2, (2, 3, 4))
    expected = data[0].copy()
    expected[0] += data[1][0]
    reduced("ring", ReduceOp.Sum, data, seed=1, view=", pl.TensorView(valid_shape=[1, 3, 4], stride=[])")
    assert np.array_equal(data[0], expected)


@pytest.mark.parametrize("size", [5, 5000])
def test_reduce_scatter_leaves_its_sum_to_each_rank(size: int) -> None:
    data, cells = numbers(3, (3, size)), counters(3)
    expected = np.add.reduce(np.stack(data))
    text = "data = pld.tensor.reduce_scatter(data, signal)\nreturn data"
    kernel = lowered(f"data: {window(f'[3, {size}]')}, signal: {signal(3)}", text)
    run_ranks(kernel, {"data": data, "signal": cells}, seed=size)
    assert all(np.array_equal(data[rank][rank], expected[rank]) for rank in range(3))
    assert not np.any(cells)


def test_allgather_brings_every_row_everywhere() -> None:
    rows, data, cells = numbers(3, (1, 5)), numbers(3, (3, 5)), counters(3)
    params = f"row: pl.Tensor[[1, 5], pl.FP32], data: {window('[3, 5]')}, signal: {signal(3)}"
    kernel = lowered(params, "all_rows = pld.tensor.allgather(row, data, signal)\nreturn all_rows")
    run_ranks(kernel, {"row": rows, "data": data, "signal": cells}, seed=0)
    assert all(np.array_equal(found, np.concatenate(rows)) for found in data)


def test_all_to_all_transposes_the_rows() -> None:
    rows, data, cells = numbers(3, (3, 5)), numbers(3, (3, 5)), counters(3)
    params = f"rows: pl.Tensor[[3, 5], pl.FP32], data: {window('[3, 5]')}, signal: {signal(3)}"
    kernel = lowered(params, "result = pld.tensor.all_to_all(rows, data, signal)\nreturn result")
    run_ranks(kernel, {"rows": rows, "data": data, "signal": cells}, seed=0)
    assert all(np.array_equal(data[to], np.stack(rows)[:, to]) for to in range(3))


@pytest.mark.parametrize("counts_shape", ["[2, 1]", "[2]"])
def test_all_to_all_v_sends_as_many_rows_as_were_asked_for(counts_shape: str) -> None:
    rows, data, cells, received = numbers(2, (6, 5)), numbers(2, (6, 5)), counters(2), counters(2)
    before = [array.copy() for array in data]
    sent = [np.array([1, 9], np.int32), np.array([-1, 2], np.int32)]  # 9 are more than fit, -1 fewer than none
    counts = [array.reshape((2, 1) if "1" in counts_shape else 2) for array in sent]
    params = f"rows: pl.Tensor[[6, 5], pl.FP32], data: {window('[6, 5]')}, signal: {signal(2)}, "
    params += f"counts: pl.Tensor[{counts_shape}, pl.INT32], received: {signal(2)}"
    kernel = lowered(params, "result = pld.tensor.all_to_all_v(rows, data, signal, counts, received)\nreturn result")
    run_ranks(kernel, {"rows": rows, "data": data, "signal": cells, "counts": counts, "received": received}, seed=0)
    assert [array.ravel().tolist() for array in received] == [[1, 0], [3, 2]]
    assert np.array_equal(data[0], np.concatenate([rows[0][:1], before[0][1:]]))
    assert np.array_equal(data[1], np.concatenate([rows[0][3:], rows[1][3:5], before[1][5:]]))


def test_broadcast_brings_the_window_of_the_root_everywhere() -> None:
    data, cells = numbers(3, (2, 5)), counters(3)
    expected = data[1].copy()
    text = "data = pld.tensor.broadcast(data, signal, root=1)\nreturn data"
    run_ranks(lowered(f"data: {window('[2, 5]')}, signal: {signal(3)}", text), {"data": data, "signal": cells}, seed=0)
    assert all(np.array_equal(found, expected) for found in data)


def test_a_barrier_in_a_loop_starts_from_zero_every_time() -> None:
    cells = counters(4)
    kernel = lowered(f"signal: {signal(4)}", "for i in pl.range(5):\n    pld.tensor.barrier(signal)\nreturn signal")
    run_ranks(kernel, {"signal": cells}, seed=3)
    assert not np.any(cells)


def test_a_host_orchestrator_keeps_its_collectives() -> None:
    params = f"data: {window('[1, 16]')}, signal: {signal(2)}"
    text = "data = pld.tensor.allreduce(data, signal)\nreturn data"
    assert_unchanged(PASS, program(params, text, "level=pl.Level.HOST, role=pl.Role.Orchestrator"))


def test_one_reduction_reads_each_window_once() -> None:
    kernel = lowered(f"data: {window('[1, 16]')}, signal: {signal(2)}", "return pld.tensor.allreduce(data, signal)")
    names = [call.op.name for call in collect(kernel.body, Call)]
    assert (names.count("pld.tile.remote_load"), names.count("tile.load"), names.count("tile.store")) == (1, 1, 1)


DN = ", pl.TensorView(stride=[12, 1, 3], layout=pl.TensorLayout.DN)"
GAPS = ", pl.TensorView(stride=[100, 10, 1], layout=pl.TensorLayout.ND)"
REFUSED = {
    "no signal": ("[1, 16]", "", "pld.tensor.allreduce(data)", "RANKS004"),
    "several cores": ("[1, 16]", "", "pld.tensor.allreduce(data, signal, core_num=2)", "RANKS005"),
    "no column of cells": ("[1, 16]", "", "pld.tensor.allreduce(data, wide)", "RANKS001"),
    "too few rows of cells": ("[1, 16]", "", "pld.tensor.allreduce(data, signal, mode='ring')", "RANKS003"),
    "three dimensions": ("[2, 3, 4]", "", "pld.tensor.reduce_scatter(data, signal)", "RANKS002"),
    "another layout": ("[2, 3, 4]", DN, "pld.tensor.allreduce(data, signal)", "WINDOW001"),
    "gaps between rows": ("[2, 3, 4]", GAPS, "pld.tensor.allreduce(data, wide, mode='ring')", "WINDOW002"),
    "no rectangle": (
        "[2, 3, 4]",
        ", pl.TensorView(valid_shape=[2, 2, 4], stride=[])",
        "pld.tensor.allreduce(data, signal)",
        "WINDOW003",
    ),
    "no first elements": (
        "[2, 3, 4]",
        ", pl.TensorView(valid_shape=[1, 3, 2], stride=[])",
        "pld.tensor.allreduce(data, wide, mode='ring')",
        "WINDOW003",
    ),
    "a large part": (
        "[2, 65537]",
        ", pl.TensorView(valid_shape=[1, 65537], stride=[])",
        "pld.tensor.allreduce(data, signal)",
        "WINDOW004",
    ),
}


@pytest.mark.parametrize(("shape", "view", "call", "code"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_at_its_line(shape: str, view: str, call: str, code: str) -> None:
    params = f"data: {window(shape, view=view)}, signal: {signal(2)}, wide: {signal(2, 'ring')}"
    with pytest.raises(UserError) as caught:
        apply_pass(PASS, program(params, f"{call}\nreturn data"))
    assert (caught.value.code, caught.value.span.begin_line) == (code, 5)
