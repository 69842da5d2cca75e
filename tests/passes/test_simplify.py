# SPDX-License-Identifier: Apache-2.0
"""Simplify: expressions, decided branches, loops that run at most once, and what nobody reads."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.simplify import Simplify

from pypto_build.ir import IfStmt, collect
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.passes.simplified import assert_simplified, body


def assert_kept(text):
    programs.assert_unchanged(Simplify(), body(text))


def test_a_constant_at_the_top_replaces_its_variable_in_expressions_shapes_and_bounds():
    assert_simplified(
        """
        k: pl.Scalar[pl.INDEX] = 4
        t: pl.Tensor[[k * 2, 8], pl.FP32] = pl.tensor.create([k * 2, 8], dtype=pl.FP32)
        for i in pl.range(0, 64, k):
            pl.tensor.write(out, [i + k], n + 0)
        """,
        """
        t: pl.Tensor[[8, 8], pl.FP32] = pl.tensor.create([8, 8], dtype=pl.FP32)
        for i in pl.range(0, 64, 4):
            pl.tensor.write(out, [i + 4], n)
        """,
    )


def test_a_constant_inside_a_loop_only_bounds_its_variable():
    assert_simplified(
        """
        for i in pl.range(8):
            k: pl.Scalar[pl.INDEX] = 4
            if k > 9:
                pl.tensor.write(out, [i], k)
            pl.tensor.write(out, [i], k + 1)
        """,
        """
        for i in pl.range(8):
            k: pl.Scalar[pl.INDEX] = 4
            pl.tensor.write(out, [i], k + 1)
        """,
    )


def test_a_variable_that_is_assigned_again_is_left_alone():
    assert_kept(
        """
        k: pl.Scalar[pl.INDEX] = 0
        while k < n:
            k = k + 1
        pl.tensor.write(out, [0], k)
        """
    )


def test_a_loop_range_and_a_condition_decide_what_is_asked_inside():
    assert_simplified(
        """
        for i in pl.range(8):
            if i < 4:
                pl.tensor.write(out, [i // 4], i % 4)
            else:
                pl.tensor.write(out, [i], pl.min(i, 9))
        """,
        """
        for i in pl.range(8):
            if i < 4:
                pl.tensor.write(out, [0], i)
            else:
                pl.tensor.write(out, [i], i)
        """,
    )


def test_what_a_branch_taught_is_forgotten_behind_it():
    assert_kept(
        """
        if n < 4:
            pl.tensor.write(out, [0], n)
        pl.tensor.write(out, [0], n // 4)
        """
    )


@pytest.mark.parametrize(("condition", "kept"), [("i >= 0", 1), ("i == 8", 2)])
def test_of_a_decided_branch_the_taken_side_stays(condition, kept):
    assert_simplified(
        f"""
        for i in pl.range(8):
            if {condition}:
                pl.tensor.write(out, [i], 1)
            else:
                pl.tensor.write(out, [i], 2)
        """,
        f"""
        for i in pl.range(8):
            pl.tensor.write(out, [i], {kept})
        """,
    )


def test_results_of_a_decided_branch_are_what_it_yields():
    before = """
        if 1 < 2:
            v: pl.Scalar[pl.INDEX] = n
        else:
            v: pl.Scalar[pl.INDEX] = m
        pl.tensor.write(out, [0], v)
        """
    made = apply_pass(Simplify(), apply_pass(ConvertToSSA(), body(before)))
    assert not collect(programs.method(made, "f"), IfStmt)


def test_what_a_call_yields_is_computed_where_the_branch_was():
    assert_simplified(
        """
        if 1 < 2:
            v: pl.Scalar[pl.INDEX] = pl.yield_(pl.tensor.read(out, [0]))
        else:
            v: pl.Scalar[pl.INDEX] = pl.yield_(m)
        pl.tensor.write(out, [0], n)
        pl.tensor.write(out, [1], v)
        """,
        """
        v: pl.Scalar[pl.INDEX] = pl.tensor.read(out, [0])
        pl.tensor.write(out, [0], n)
        pl.tensor.write(out, [1], v)
        """,
    )


def test_what_enters_and_leaves_a_loop_that_runs_once_is_computed_there():
    assert_simplified(
        """
        for i, (c,) in pl.range(1, init_values=(pl.tensor.read(out, [0]),)):
            pl.tensor.write(out, [0], c)
            r = pl.yield_(pl.tensor.read(out, [i]) + c)
        pl.tensor.write(out, [0], n)
        pl.tensor.write(out, [1], r)
        """,
        """
        c: pl.Scalar[pl.INDEX] = pl.tensor.read(out, [0])
        pl.tensor.write(out, [0], c)
        r: pl.Scalar[pl.INDEX] = pl.tensor.read(out, [0]) + c
        pl.tensor.write(out, [0], n)
        pl.tensor.write(out, [1], r)
        """,
    )


def test_a_value_that_is_assigned_again_is_kept_where_the_branch_was():
    assert_simplified(
        """
        k: pl.Scalar[pl.INDEX] = n
        if 1 < 2:
            v: pl.Scalar[pl.INDEX] = pl.yield_(k)
        else:
            v: pl.Scalar[pl.INDEX] = pl.yield_(m)
        k = m
        pl.tensor.write(out, [k], v)
        """,
        """
        k: pl.Scalar[pl.INDEX] = n
        v: pl.Scalar[pl.INDEX] = k
        k = m
        pl.tensor.write(out, [k], v)
        """,
    )


def test_a_loop_whose_bounds_call_something_stays():
    assert_kept(
        """
        for i in pl.range(pl.tensor.read(out, [0]), 0 - pl.tensor.read(out, [1]) * 0, 4):
            pl.tensor.write(out, [i], n)
        """
    )


def test_a_loop_that_runs_once_becomes_its_body_with_the_start_for_the_index():
    assert_simplified(
        """
        for i in pl.range(n, n + 4, 4):
            if i == n:
                pl.tensor.write(out, [i], 1)
        """,
        """
        pl.tensor.write(out, [n], 1)
        """,
    )


@pytest.mark.parametrize("bounds", ["n, n", "n + 1, n", "n, n, -1", "n, n + 4, -2"])
def test_a_loop_that_never_runs_goes(bounds):
    assert_simplified(
        f"""
        for i in pl.range({bounds}):
            pl.tensor.write(out, [i], 1)
        pl.tensor.write(out, [0], 2)
        """,
        """
        pl.tensor.write(out, [0], 2)
        """,
    )


@pytest.mark.parametrize("loop", ["pl.parallel(1)", "pl.unroll(1)", "pl.range(m)"])
def test_other_loops_stay(loop):
    assert_kept(
        f"""
        for i in {loop}:
            pl.tensor.write(out, [i], 1)
        """
    )


def test_a_loop_that_is_left_early_stays():
    assert_kept(
        """
        for i in pl.range(1):
            if flag:
                break
            pl.tensor.write(out, [i], 1)
        """
    )


def test_scalars_that_nobody_reads_go_one_after_the_other():
    assert_simplified(
        """
        a: pl.Scalar[pl.INDEX] = n + 1
        b: pl.Scalar[pl.INDEX] = a * m
        pl.tensor.write(out, [0], n)
        """,
        """
        pl.tensor.write(out, [0], n)
        """,
    )


def test_a_scalar_that_only_a_shape_reads_stays():
    assert_kept(
        """
        a: pl.Scalar[pl.INDEX] = n + m
        t: pl.Tensor[[a], pl.FP32] = pl.tensor.create([a], dtype=pl.FP32)
        """
    )


def test_another_round_uses_what_the_one_before_found_out():
    text = "x = 1\nif n != n:\n    x = n\npl.tensor.write(out, [0], x)"
    once, twice = (str(apply_pass(Simplify(max_iterations=rounds), body(text))) for rounds in (1, 2))
    assert ("write(out, [0], x)" in once, "write(out, [0], 1)" in twice) == (True, True)


def test_a_division_by_zero_is_left_to_the_run_that_meets_it():
    made = str(apply_pass(Simplify(), body("x = n // (n - n)\npl.tensor.write(out, [0], x)")))
    assert "n // 0" in made


def test_a_call_stays_even_when_nobody_reads_it():
    assert_kept(
        """
        a: pl.Scalar[pl.INDEX] = pl.tensor.read(out, [0])
        """
    )


def test_results_of_a_branch_that_nobody_takes_go_and_its_effects_stay():
    before = """
        if flag:
            v: pl.Scalar[pl.INDEX] = 1
            pl.tensor.write(out, [0], v)
        else:
            v: pl.Scalar[pl.INDEX] = 2
            pl.tensor.write(out, [1], v)
        """
    made = apply_pass(Simplify(), apply_pass(ConvertToSSA(), body(before)))
    (branch,) = collect(programs.method(made, "f"), IfStmt)
    assert branch.return_vars == ()
    programs.assert_unchanged(Simplify(), made)


def test_a_view_that_only_states_the_layout_is_its_operand():
    made = apply_pass(Simplify(), body("t = pl.tensor.view(out, layout=pl.TensorLayout.ND)"))
    function = programs.method(made, "f")
    assert function.body.value is function.params[3]
