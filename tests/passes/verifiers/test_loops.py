# SPDX-License-Identifier: Apache-2.0
"""Verifiers of loops: jumps, pipelines, unrolling."""

import pytest
from pypto_passes.verifiers.break_continue_valid import verify_break_continue_valid
from pypto_passes.verifiers.pipeline_loop_valid import verify_pipeline_loop_valid
from pypto_passes.verifiers.structured_ctrl_flow import verify_structured_ctrl_flow
from pypto_passes.verifiers.unroll_resolved import verify_unroll_resolved

from pypto_build import ir
from tests.passes.verifiers.findings import codes, found
from tests.unit.ir.build import function, loop, number, program, scalar

JUMPS = """
@pl.function(type=pl.FunctionType.InCore)
def f(self, n: pl.Scalar[pl.INDEX]):
    for i in pl.range(8):
        if i > n:
            break
        continue
"""


def looped(kind, jump, **attrs):
    made = loop(scalar("i"), number(4), jump, kind=kind, attrs=ir.frozen_map(attrs))
    return program(function("f", (), made))


def test_jumps_in_sequential_loops_are_valid():
    assert found(verify_break_continue_valid, JUMPS) == []


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(ir.ForKind.Parallel, "not supported in parallel loops"), (ir.ForKind.Unroll, "not supported in unrolled loops")],
)
def test_jumps_in_loops_without_an_order_are_found(kind, reason):
    assert found(verify_break_continue_valid, looped(kind, ir.BreakStmt())) == [(0, f"'break' {reason}")]
    assert found(verify_break_continue_valid, looped(kind, ir.ContinueStmt())) == [(0, f"'continue' {reason}")]


def test_a_jump_outside_loops_is_found():
    outside = program(function("f", (), ir.BreakStmt()))
    assert found(verify_break_continue_valid, outside) == [(0, "'break' outside loop")]


def test_jumps_left_in_a_kernel_are_found_with_their_lines():
    left = "is left in kernel 'f': only structured control flow can be generated"
    assert found(verify_structured_ctrl_flow, JUMPS) == [(5, f"BreakStmt {left}"), (6, f"ContinueStmt {left}")]


def test_jumps_in_orchestration_are_structured_enough():
    assert found(verify_structured_ctrl_flow, JUMPS.replace("InCore", "Orchestration")) == []


def test_a_pipeline_with_stages_is_valid_and_a_plain_loop_without():
    assert found(verify_pipeline_loop_valid, looped(ir.ForKind.Pipeline, ir.YieldStmt(), pipeline_stages=2)) == []
    assert found(verify_pipeline_loop_valid, JUMPS) == []


def test_a_pipeline_without_stages_is_found():
    of = looped(ir.ForKind.Pipeline, ir.YieldStmt())
    message = "pipeline loop over 'i' in function 'f' has no 'pipeline_stages'"
    assert found(verify_pipeline_loop_valid, of) == [(0, message)]
    assert codes(verify_pipeline_loop_valid, of) == [0]


def test_stages_of_a_loop_that_is_no_pipeline_are_found():
    of = looped(ir.ForKind.Sequential, ir.YieldStmt(), pipeline_stages=2)
    message = "Sequential loop over 'i' in function 'f' has 'pipeline_stages'"
    assert found(verify_pipeline_loop_valid, of) == [(0, message)]
    assert codes(verify_pipeline_loop_valid, of) == [1]


def test_a_loop_that_is_to_be_unrolled_is_found():
    text = "@pl.function\ndef f(self, x: pl.Tensor[[4], pl.FP32]):\n    for i in pl.{}(2):\n        y = pl.add(x, x)"
    message = "an unrolled loop over 'i' is left in function 'f'"
    assert found(verify_unroll_resolved, text.format("unroll")) == [(3, message)]
    assert found(verify_unroll_resolved, text.format("range")) == []
