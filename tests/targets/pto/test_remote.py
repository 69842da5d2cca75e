# SPDX-License-Identifier: Apache-2.0
"""Windows of other ranks: addresses that are computed where they are used, transfers, counters."""

from __future__ import annotations

import pytest

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError
from pypto_build.ir import Program
from tests.targets.pto.emitting import instructions, last, lines, program

PARAMS = (
    "data: pld.DistributedTensor[[16, 64], pl.FP16], count: pld.DistributedTensor[[4, 8], pl.INT32], "
    "peer: pl.Scalar[pl.INT32], n: pl.Scalar[pl.INDEX], data_ctx: pld.CommCtx, count_ctx: pld.CommCtx"
)
LOAD = "t = pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[16, 32])\n"
STAGE = "s = pl.tile.create([16, 64], dtype=pl.FP16, target_memory=pl.Mem.Vec)\n"
WHOLE = "<16x64xf16>"


def written(body: str) -> Program:
    return program(body, params=PARAMS, kind="AIV")


def test_a_peers_element_is_as_far_away_as_the_windows_are():
    """The distance in bytes becomes one in elements of two bytes."""
    assert instructions(written(LOAD))[:12] == [
        "%0 = pto.load_scalar %arg4[%c2_index] : !pto.ptr<i64> -> i64",
        "%1 = arith.trunci %0 : i64 to i32",
        "%2 = arith.index_cast %1 : i32 to index",
        "%3 = arith.addi %c4_index, %2 : index",
        "%4 = pto.load_scalar %arg4[%3] : !pto.ptr<i64> -> i64",
        "%5 = arith.index_cast %arg2 : i32 to index",
        "%6 = arith.addi %c4_index, %5 : index",
        "%7 = pto.load_scalar %arg4[%6] : !pto.ptr<i64> -> i64",
        "%8 = arith.subi %7, %4 : i64",
        "%9 = arith.divsi %8, %c2_i64 : i64",
        "%10 = arith.index_cast %9 : i64 to index",
        "%11 = pto.addptr %arg0, %10 : !pto.ptr<f16> -> !pto.ptr<f16>",
    ]


def test_a_load_reads_a_part_of_the_peers_window():
    assert instructions(written(LOAD))[-2:] == [
        "%data_peer_pview = pto.partition_view %12, offsets = [%c0_index, %c0_index], sizes = [%c16_index, %c32_index]"
        " : view<?x?xf16> -> <16x32xf16>",
        "pto.tload ins(%data_peer_pview : <16x32xf16>) outs(%t : f16[16,32])",
    ]


def test_a_store_is_seen_by_the_peer_before_what_follows():
    body = LOAD + "pld.tile.remote_store(t, data, peer, [0, 0], atomic=pl.AtomicType.Add)"
    store, invalidation, fence = instructions(written(body))[-3:]
    assert store.startswith("pto.tstore ins(%t ")
    assert store.endswith("{atomicType = #pto<atomic_type atomic_add>}")
    region = store.split("outs(", 1)[1].split(" ", 1)[0]
    assert invalidation == f"pto.cmo.cacheinvalid {region} single_cache_line : <16x32xf16>"
    assert fence == "pto.fence.barrier_all #pto.fence_scope<gm>"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            "pld.tile.put(data, peer, data, s)",
            f"pto.comm.tput(%data_peer_pview, %data_local_pview, buf(%s) : {WHOLE}, {WHOLE}, f16[16,64]) "
            "{atomicType = #pto<atomic_type atomic_none>}",
        ),
        (
            "pld.tile.get(data, peer, data, s)",
            f"pto.comm.tget(%data_local_pview, %data_peer_pview, buf(%s) : {WHOLE}, {WHOLE}, f16[16,64])",
        ),
        (
            "pld.tile.get(data, peer, data, s, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[n, 64])",
            "pto.comm.tget(%data_local_pview, %data_peer_pview, buf(%s) : <?x64xf16>, <?x64xf16>, f16[16,64])",
        ),
    ],
)
def test_a_transfer_waits_before_and_after(call: str, line: str):
    found = instructions(written(STAGE + call))
    place = found.index(line)
    assert found[place - 1] == found[place + 1] == "pto.barrier <PIPE_ALL>"


def test_a_counter_of_a_peer_is_raised_after_everything_before():
    body = "pld.system.notify(count, peer=peer, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)"
    assert instructions(written(body))[-2:] == [
        "pto.barrier <PIPE_ALL>",
        "pto.comm.tnotify(%count_peer_pview, %c1_i32 : <1x1xi32>, i32) {notifyOp = #pto<notify_op set>}",
    ]


def test_a_core_waits_for_a_counter_of_its_own():
    body = "pld.system.wait(count, offsets=[0, 0], expected=3, cmp=pld.WaitCmp.Ge)"
    assert last(written(body)) == (
        "pto.comm.twait(%count_local_pview, %c3_i32 : <1x1xi32>, i32) {cmp = #pto<wait_cmp ge>}"
    )


@pytest.mark.parametrize(
    ("call", "tail"),
    [
        ("rank", ["%r = arith.trunci %0 : i64 to i32"]),
        ("nranks", ["%1 = arith.shrui %0, %c32_i64 : i64", "%r = arith.trunci %1 : i64 to i32"]),
    ],
)
def test_the_rank_and_their_number_are_halves_of_one_slot(call: str, tail: list[str]):
    assert instructions(written(f"r = pld.system.{call}(data_ctx)")) == [
        "%0 = pto.load_scalar %arg4[%c2_index] : !pto.ptr<i64> -> i64",
        *tail,
    ]


def test_the_context_of_a_tensor_is_the_parameter_in_its_place():
    body = "c = pld.system.get_comm_ctx(count)\nr = pld.system.rank(c)"
    assert instructions(written(body))[0] == "%0 = pto.load_scalar %arg5[%c2_index] : !pto.ptr<i64> -> i64"


DEFERRED = "pld.system.defer_wait(count, offsets=[n, 2], expected=1, cmp=pld.WaitCmp.Ge)"


def test_the_runtime_is_told_which_counter_to_wait_for():
    found = lines(written(DEFERRED))
    assert "%__pypto_deferred_raw_args: !pto.ptr<i64>" in found[1]
    assert found[-2] == "func.func private @pypto_register_counter_completion(!pto.ptr<i64>, !pto.ptr<i32>, i64, i64)"
    assert any(
        line.startswith("func.call @pypto_register_counter_completion(%__pypto_deferred_raw_args, %arg1, ")
        and line.endswith(", %c1_i64) : (!pto.ptr<i64>, !pto.ptr<i32>, i64, i64) -> ()")
        for line in found
    )


def test_a_counter_outside_of_its_tensor_has_the_number_minus_one():
    found = instructions(written(DEFERRED))
    checks = [line.split(" = ")[1] for line in found if "cmpi" in line]
    assert checks[:2] == ["arith.cmpi slt, %arg3, %c0_index : index", "arith.cmpi sge, %arg3, %c4_index : index"]
    assert sum("arith.select" in line and "%cn1_index" in line for line in found) == len(checks)


def test_the_name_of_the_adapter_is_taken():
    source = str(written(DEFERRED)).replace("def main(", "def pypto_register_counter_completion(")
    with pytest.raises(UserError, match="reserved for PyPTO's deferred-completion runtime adapter"):
        lines(parse_program(source))
