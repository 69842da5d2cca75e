# SPDX-License-Identifier: Apache-2.0
"""LowerPipelineLoops: one copy of the body per stage, and what the trip count leaves over."""

from textwrap import dedent, indent

import pytest
from pypto_passes.lower_pipeline_loops import LowerPipelineLoops

from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.passes.pipelines import HEAD, kernel, load, loops, names


def text(lines: str) -> Program:
    """A kernel; `LOAD(row, g:s)` loads a tile that belongs to a stage."""
    done = dedent(lines).strip()
    while "LOAD(" in done:
        before, rest = done.split("LOAD(", 1)
        row, rest = rest.split(", ", 1)
        stage, behind = rest.split(")", 1)
        done = before + load("", stage if ":" in stage else "", row).removeprefix(" = ") + behind
    return programs.body(HEAD, done)


def assert_lowered(before: str, expected: str) -> None:
    """The expected program comes out, and lowering it again changes nothing."""
    made = programs.assert_becomes(LowerPipelineLoops(), text(before), text(expected))
    programs.assert_unchanged(LowerPipelineLoops(), made)


def test_each_stage_gets_a_copy_of_the_body():
    before = """
        for i in pl.pipeline(0, 6, stage=3):
            t = LOAD(i, -)
    """
    expected = """
        for i in pl.pipeline(0, 6, 3, stage=1):
            t0 = LOAD(i, 0:0)
            t1 = LOAD(i + 1, 0:1)
            t2 = LOAD(i + 2, 0:2)
    """
    assert_lowered(before, expected)


def test_a_step_is_multiplied():
    before = "for i in pl.pipeline(2, 18, 4, stage=2):\n    t = LOAD(i, -)"
    expected = """
        for i in pl.pipeline(2, 18, 8, stage=1):
            t0 = LOAD(i, 0:0)
            t1 = LOAD(i + 4, 0:1)
    """
    assert_lowered(before, expected)


def test_what_is_left_over_follows_as_bare_copies_of_a_group_of_their_own():
    before = "for i in pl.pipeline(0, 5, stage=3):\n    t = LOAD(i, -)"
    expected = """
        for i in pl.pipeline(0, 3, 3, stage=1):
            t0 = LOAD(i, 0:0)
            t1 = LOAD(i + 1, 0:1)
            t2 = LOAD(i + 2, 0:2)
        t3 = LOAD(3, 1:0)
        t4 = LOAD(4, 1:1)
    """
    assert_lowered(before, expected)


def test_a_loop_that_counts_down_is_lowered():
    before = "for i in pl.pipeline(6, 0, -2, stage=2):\n    t = LOAD(i, -)"
    expected = """
        for i in pl.pipeline(6, 2, -4, stage=1):
            t0 = LOAD(i, 0:0)
            t1 = LOAD(i - 2, 0:1)
        t2 = LOAD(2, 1:0)
    """
    assert_lowered(before, expected)


def test_fewer_iterations_than_stages_leave_no_loop():
    before = "for i in pl.pipeline(0, 2, stage=4):\n    t = LOAD(i, -)"
    assert_lowered(before, "t0 = LOAD(0, 0:0)\nt1 = LOAD(1, 0:1)")


def test_a_loop_that_never_runs_becomes_an_ordinary_one():
    assert_lowered(
        "for i in pl.pipeline(4, 4, stage=2):\n    t = LOAD(i, -)", "for i in pl.range(4, 4):\n    t = LOAD(i, -)"
    )


def test_a_value_is_handed_from_copy_to_copy():
    before = """
        for i, (a,) in pl.pipeline(0, 5, stage=2, init_values=(out,)):
            b = pl.tensor.adds(a, 1.0)
            c = pl.yield_(b)
        d = pl.tensor.adds(c, 2.0)
    """
    expected = """
        for i, (a,) in pl.pipeline(0, 4, 2, stage=1, init_values=(out,)):
            b0 = pl.tensor.adds(a, 1.0)
            b1 = pl.tensor.adds(b0, 1.0)
            main = pl.yield_(b1)
        b2 = pl.tensor.adds(main, 1.0)
        c = b2
        d = pl.tensor.adds(c, 2.0)
    """
    assert_lowered(before, expected)


def test_a_bound_of_run_time_gives_a_cascade_of_what_may_be_left_over():
    before = "for i in pl.pipeline(0, n, stage=3):\n    t = LOAD(i, -)"
    expected = """
        end: pl.Scalar[pl.INDEX] = 0 + (n - 0) // 3 * 3
        for i in pl.pipeline(0, end, 3, stage=1):
            t0 = LOAD(i, 0:0)
            t1 = LOAD(i + 1, 0:1)
            t2 = LOAD(i + 2, 0:2)
        rest: pl.Scalar[pl.INDEX] = n - end
        if rest == 1:
            t3 = LOAD(end, 2:0)
        else:
            if rest == 2:
                t4 = LOAD(end, 1:0)
                t5 = LOAD(end + 1, 1:1)
    """
    assert_lowered(before, expected)


def test_an_outer_pipeline_is_a_further_stage_of_what_is_in_an_inner_one():
    before = """
        for i in pl.pipeline(0, 2, stage=2):
            for j in pl.pipeline(0, 2, stage=2):
                t = LOAD(j, -)
    """
    expected = """
        for i in pl.pipeline(0, 2, 2, stage=1):
            for j in pl.pipeline(0, 2, 2, stage=1):
                t0 = LOAD(j, 0:0;1:0)
                t1 = LOAD(j + 1, 0:1;1:0)
            for k in pl.pipeline(0, 2, 2, stage=1):
                t2 = LOAD(k, 0:0;1:1)
                t3 = LOAD(k + 1, 0:1;1:1)
    """
    assert_lowered(before, expected)


def test_variables_of_copies_are_different_ones():
    made = apply_pass(LowerPipelineLoops(), text("for i in pl.pipeline(0, 4, stage=2):\n    t = LOAD(i, -)"))
    (loop,) = loops(made)
    first, second = loop.body.stmts
    assert first.var is not second.var


@pytest.mark.parametrize("head", ["pl.range(8)", "pl.pipeline(0, 8, stage=1)", "pl.parallel(8)"])
def test_a_loop_without_stages_is_left_alone(head: str):
    programs.assert_unchanged(LowerPipelineLoops(), kernel(f"for i in {head}:", "    " + load("t")))


def refused(head: str) -> tuple[str, str, bool]:
    """Code and message, and whether the place is that of the loop."""
    before = kernel(f"for i in {head}:", indent(load("t"), "    "))
    with pytest.raises(UserError) as caught:
        apply_pass(LowerPipelineLoops(), before)
    return caught.value.code, caught.value.message, caught.value.span == loops(before)[0].span


def test_a_step_of_run_time_is_refused():
    message = "pl.pipeline needs a constant step that is not zero"
    assert refused("pl.pipeline(0, 8, n, stage=2)") == ("PIPE001", message, True)


def test_counting_down_from_a_bound_of_run_time_is_refused():
    message = "pl.pipeline with bounds known only at run time needs a positive step"
    assert refused("pl.pipeline(n, 0, -1, stage=2)") == ("PIPE002", message, True)


def test_what_is_no_tile_belongs_to_no_stage():
    made = apply_pass(LowerPipelineLoops(), kernel("for i in pl.pipeline(0, 4, stage=2):", "    k = i + 1"))
    assert "pipeline_membership" not in str(made)
    assert names(loops(made)[0].body) == "k k"
