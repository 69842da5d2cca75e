# SPDX-License-Identifier: Apache-2.0
"""SkewCrossCorePipeline: the sending half runs ahead, messages stay in order, and the answer stays the same."""

from __future__ import annotations

import numpy as np
import pytest
from pypto_passes.canonicalize_io_order import CanonicalizeIOOrder
from pypto_passes.lower_pipeline_loops import LowerPipelineLoops
from pypto_passes.skew_cross_core_pipeline import SkewCrossCorePipeline

from pypto_build.analysis.pipeline_membership import membership
from pypto_build.ir import Call, ForKind, ForStmt, Program, collect
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.simulators.running import program, simulate

X = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
TENSOR = "pl.Tensor[[64, 8], pl.FP32]"
PARTNER = f"""
@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, x: {TENSOR}, out: pl.Out[{TENSOR}]) -> {TENSOR}:
        for step in pl.range(TRIPS):
            got: pl.Tile[[8, 8], pl.FP32, pl.Mem.Mat] = pl.tpop_from_aiv(split=0)
            product = pl.tile.matmul(pl.move(got, target_memory=pl.Mem.Left), pl.move(got, target_memory=pl.Mem.Right))
            pl.tpush_to_aiv(product, split=0)
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, x: {TENSOR}, out: pl.Out[{TENSOR}]) -> {TENSOR}:
        LOOP
        return RESULT

    @pl.function(type=pl.FunctionType.Group)
    def group(self, x: {TENSOR}, out: pl.Out[{TENSOR}]) -> {TENSOR}:
        self.cube(x, out)
        result = self.vector(x, out)
        return result
"""
SENDS_FIRST = """for i in pl.pipeline(0, TRIPS, stage=STAGES):
            offset: pl.Scalar[pl.INDEX] = i * 8
            own = pl.load(x, [offset, 0], [8, 8])
            pl.tpush_to_aic(pl.add(own, 1.0), split=0)
            back: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
            pl.tile.store(back, [offset, 0], out)"""
CARRIES = """for i, (acc,) in pl.pipeline(0, TRIPS, stage=STAGES, init_values=(out,)):
            own = pl.load(x, [i * 8, 0], [8, 8])
            pl.tpush_to_aic(pl.add(own, 1.0), split=0)
            back: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
            following = pl.tile.store(back, [i * 8, 0], acc)
            result = pl.yield_(following)"""
SKEW = SkewCrossCorePipeline()


def cores(loop: str, *, trips: int = 4, stages: int = 2, result: str = "out") -> Program:
    text = PARTNER.replace("LOOP", loop).replace("TRIPS", str(trips)).replace("STAGES", str(stages))
    return program(text.replace("RESULT", result))


def vector_loop(made: Program) -> ForStmt:
    (loop,) = collect(programs.method(made, "vector"), ForStmt)
    return loop


def bounds(loop: ForStmt) -> str:
    return f"{loop.start}, {loop.stop}, {loop.step}"


def answer(made: Program) -> np.ndarray:
    return simulate(made, {"x": X}, entry="group").outputs["out"]


def wanted(trips: int) -> np.ndarray:
    out = np.zeros_like(X)
    for row in range(0, trips * 8, 8):
        out[row : row + 8] = (X[row : row + 8] + 1) @ (X[row : row + 8] + 1)
    return out


@pytest.mark.parametrize(("loop", "result"), [(SENDS_FIRST, "out"), (CARRIES, "result")], ids=["plain", "carries"])
@pytest.mark.parametrize(("trips", "stages"), [(2, 2), (3, 2), (4, 2), (6, 4), (8, 3), (7, 4)])
def test_the_answer_stays_the_same(loop: str, result: str, trips: int, stages: int):
    made = apply_pass(SKEW, cores(loop, trips=trips, stages=stages, result=result))
    rows = trips * 8
    assert vector_loop(made).kind is ForKind.Sequential
    assert np.array_equal(answer(made)[:rows], wanted(trips)[:rows])


@pytest.mark.parametrize(
    ("trips", "stages", "expected"), [(4, 2, "2, 4, 2"), (3, 2, "1, 3, 1"), (6, 4, "3, 6, 3"), (8, 5, "4, 8, 4")]
)
def test_as_many_iterations_ahead_as_stages_ask_for_and_the_trips_allow(trips: int, stages: int, expected: str):
    made = apply_pass(SKEW, cores(SENDS_FIRST, trips=trips, stages=stages))
    assert bounds(vector_loop(made)) == expected


def test_tiles_of_one_loop_are_one_group_with_a_stage_for_each_iteration():
    made = apply_pass(SKEW, cores(SENDS_FIRST))
    found = {pair for call in collect(programs.method(made, "vector"), Call) for pair in membership(call.attrs)}
    assert found == {(0, 0), (0, 1)}


def test_groups_of_later_passes_are_other_ones():
    loop = (
        SENDS_FIRST
        + """
        for j in pl.pipeline(0, 4, stage=2):
            again = pl.load(x, [j * 8, 0], [8, 8])
            pl.tile.store(again, [j * 8, 0], out)"""
    )
    made = apply_pass(LowerPipelineLoops(), apply_pass(SKEW, cores(loop)))
    found = {pair for call in collect(programs.method(made, "vector"), Call) for pair in membership(call.attrs)}
    assert {group for group, _ in found} == {0, 1}


STORES, SENDS_AGAIN = "pl.tile.store(back", "pl.tpush_to_aic(back, split=0)\n            pl.tile.store(back"
ORDINARY = {
    "takes first": SENDS_FIRST.replace("pl.tpush_to_aic(pl.add(own, 1.0), split=0)\n            ", "").replace(
        STORES, SENDS_AGAIN
    ),
    "sends twice": SENDS_FIRST.replace(STORES, SENDS_AGAIN),
    "takes what it sent": SENDS_FIRST.replace(STORES, "pl.tile.store(own"),
    "reads what it writes": SENDS_FIRST.replace("pl.load(x, ", "pl.load(out, "),
    "runs once": SENDS_FIRST.replace("TRIPS", "1"),
    "open bounds": SENDS_FIRST.replace("TRIPS", "pl.tile.get_block_idx()"),
}


@pytest.mark.parametrize("case", ORDINARY)
def test_what_cannot_be_split_becomes_an_ordinary_loop_with_the_same_body(case: str):
    before = cores(ORDINARY[case])
    loop = vector_loop(before)
    made = vector_loop(apply_pass(SKEW, before))
    assert (made.kind, dict(made.attrs), made.body is loop.body) == (ForKind.Sequential, {}, True)


def test_a_pipeline_of_one_core_is_left_alone():
    head = f"@pl.function(type=pl.FunctionType.InCore)\ndef f(self, x: {TENSOR}, out: pl.Out[{TENSOR}]):"
    body = "for i in pl.pipeline(0, 4, stage=2):\n    pl.tile.store(pl.load(x, [i * 8, 0], [8, 8]), [i * 8, 0], out)"
    programs.assert_unchanged(SKEW, programs.body(head, body))


@pytest.mark.parametrize("loop", [SENDS_FIRST, CARRIES], ids=["sends first", "carries"])
def test_what_was_split_is_not_ordered_again(loop: str):
    """CIO-28: no pipelined loop arrives there."""
    made = apply_pass(SKEW, cores(loop, result="result" if loop is CARRIES else "out"))
    assert ForKind.Pipeline not in {one.kind for one in collect(made, ForStmt)}
    programs.assert_unchanged(CanonicalizeIOOrder(), made)
