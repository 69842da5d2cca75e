# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeIOOrder on loops that keep two accumulators: stages in pairs, and two slots in turn."""

from textwrap import indent

from pypto_passes.lower_pipeline_loops import LowerPipelineLoops

from pypto_build.analysis.pipeline_membership import MEMBERSHIP
from pypto_build.ir import AssignStmt, Program, collect
from pypto_build.passes import apply_pass
from tests.passes.pipelines import canonical, kernel, loops, names

OPERANDS = """
left = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Left)
right = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Right)
whole = pl.tile.create([64, 16], dtype=pl.FP32, target_memory=pl.Mem.Mat)
""".strip()


def products(*stages: int, drain: str = "pl.tile.store(m{0}, [0, 0], out)", **attrs: bool) -> Program:
    """A lowered loop with a product and its drain per stage."""
    stage = "m{0} = pl.tile.matmul(left, right, attrs={{'pipeline_membership': '0:{0}'}})\ns{0} = " + drain
    body = indent("\n".join(stage.format(number) for number in stages), "    ")
    return kernel(OPERANDS, f"for i in pl.pipeline(0, 8, 4, stage=1, attrs={attrs}):", body)


def memberships(program: Program) -> str:
    """The membership of each product."""
    stmts = [stmt for stmt in collect(loops(program)[0].body, AssignStmt) if stmt.var.name_hint.startswith("m")]
    return " ".join(str(stmt.value.attrs.get(MEMBERSHIP, "none")) for stmt in stmts)


def test_two_stages_compute_before_both_drain():
    """CIO-48."""
    made = canonical(products(0, 1, 2, 3, pipeline_double_buffer_c=True))
    assert names(loops(made)[0].body) == "m0 m1 s0 s1 m2 m3 s2 s3"


def test_the_stages_of_a_pair_follow_each_other():
    """CIO-48: whatever the order in which they stand."""
    made = canonical(products(3, 2, 1, 0, pipeline_double_buffer_c=True))
    assert names(loops(made)[0].body) == "m0 m1 s0 s1 m2 m3 s2 s3"


def test_accumulators_take_turns_between_two_slots():
    """CIO-48."""
    made = canonical(products(0, 1, 2, 3, pipeline_double_buffer_c=True))
    assert memberships(made) == "0:0 0:1 0:0 0:1"


def test_assembling_counts_as_a_store():
    """CIO-48: both products stand before the first window is written, although that is a computation elsewhere."""
    drain = "pl.tile.assemble(whole, m{0}, [0, 0], attrs={{'pipeline_membership': '0:{0}'}})"
    made = canonical(products(0, 1, drain=drain, pipeline_double_buffer_c=True))
    assert names(loops(made)[0].body) == "m0 m1 s0 s1"
    assert names(loops(canonical(products(0, 1, drain=drain)))[0].body) == "m0 s0 m1 s1"


def test_without_double_buffering_each_stage_drains_first():
    """CIO-48: and stages stay what they are."""
    made = canonical(products(0, 1, 2, 3))
    assert names(loops(made)[0].body) == "m0 s0 m1 s1 m2 s2 m3 s3"
    assert memberships(made) == "0:0 0:1 0:2 0:3"


LOOP = """
    m = pl.tile.matmul(left, right)
    s = pl.tile.store(m, [0, 0], out)
"""


def test_lowering_gives_an_accumulator_its_stage_only_if_there_are_two():
    """CIO-48: the cube finishes one product before it begins the next, so elsewhere one buffer is enough."""
    head = "for i in pl.pipeline(0, 8, stage=4{}):"
    twice = kernel(OPERANDS, head.format(", attrs={'pipeline_double_buffer_c': True}"), LOOP.strip("\n"))
    once = kernel(OPERANDS, head.format(""), LOOP.strip("\n"))
    assert memberships(apply_pass(LowerPipelineLoops(), twice)) == "0:0 0:1 0:2 0:3"
    assert memberships(apply_pass(LowerPipelineLoops(), once)) == "none none none none"
