# SPDX-License-Identifier: Apache-2.0
"""Barriers, fences, cache maintenance, events between cores, prefetches."""

from __future__ import annotations

import pytest

from tests.targets.pto.emitting import ARCHITECTURES, X, instructions, last, lines, program

PARAMS = (
    f"{X}, e: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INT32], ws: pl.Tensor[[16], pl.INT32], f: pl.Tensor[[256], pl.INT64]"
)
SOFT = "mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<mix>"
ROWS = [
    ("bar_v()", "pto.barrier <PIPE_V>"),
    ("bar_m()", "pto.barrier <PIPE_M>"),
    ("bar_all()", "pto.barrier <PIPE_ALL>"),
    ("fence()", "pto.fence.barrier_all #pto.fence_scope<gm>"),
    ("cacheinvalid()", "pto.cmo.cacheinvalid all #pto.address_space<gm>"),
    ("cacheinvalid(x, [1, 8], [0, 0])", "pto.cmo.cacheinvalid %x_pview single_cache_line : <1x8xf32>"),
    ("sync_set(event_id=3, pipe=pl.PipeType.MTE3, ffts_mode=1)", "pto.sync.set <PIPE_MTE3>, 3 {ffts_mode = 1 : i32}"),
    ("sync_set(e, pipe=pl.PipeType.FIX)", "pto.sync.set <PIPE_FIX>, %arg3"),
    ("sync_wait(event_id=3, pipe=pl.PipeType.MTE2)", "pto.sync.wait <PIPE_MTE2>, 3"),
    ("set_ffts(f)", "pto.set_ffts %arg2 : !pto.ptr<i64>"),
    (
        "syncall(core_type='aiv_only')",
        "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>",
    ),
    ("syncall(mode='soft', gm_workspace=ws, used_cores=0)", f"pto.syncall(%syncgm_pview : <16xi32>) {SOFT}"),
    (
        "syncall(mode='soft', gm_workspace=ws, used_cores=n)",
        f"pto.syncall(%syncgm_pview, %arg4 : <16xi32>, i32) {SOFT}",
    ),
]


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(("call", "line"), ROWS)
def test_the_call_becomes_its_instruction(call: str, line: str, arch: str):
    assert last(program(f"pl.system.{call}", params=PARAMS, kind="AIV"), arch) == line


def test_what_is_only_taken_as_a_pointer_gets_no_view():
    found = lines(program("pl.system.set_ffts(f)", params=PARAMS, kind="AIV"))
    assert not [line for line in found if "make_tensor_view" in line]


def test_a_prefetch_works_in_a_workspace_of_the_runtime():
    body = """
    ctx = pl.prefetch.make_context()
    evt = pl.prefetch.async_prefetch(x, ctx)
    session = pl.prefetch.session(ctx)
    pl.prefetch.wait(evt, session)
    """
    context, event = "!pto.prefetch_async_context", "!pto.async_event"
    written = program(body, params="x: pl.Tensor[[1, 256], pl.FP32]", kind="AIV")
    assert "(%arg0: !pto.ptr<f32>, %arg1: !pto.ptr<i8>)" in lines(written)[1]
    assert [line for line in instructions(written) if "partition" not in line] == [
        f"%ctx = pto.make_prefetch_async_context(%arg1 : !pto.ptr<i8>) -> {context}",
        f"%evt = pto.tprefetch_async(%x_pview, %ctx : <1x256xf32>, {context}) -> {event}",
        f"%session = pto.get_prefetch_async_session %ctx : {context} -> !pto.async_session",
        f"%0 = pto.comm.wait_async_event(%evt, %session : {event}, !pto.async_session) -> i1",
    ]
