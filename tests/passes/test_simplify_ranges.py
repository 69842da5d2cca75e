# SPDX-License-Identifier: Apache-2.0
"""What Simplify knows of loop indices, of conditions and of what was assigned."""

from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.simplify import Simplify

from pypto_build.ir import IfStmt, collect
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.passes.simplified import assert_simplified, body


def test_an_index_stays_below_a_stop_that_is_not_known():
    assert_simplified(
        """
        for i in pl.range(n):
            for j in pl.range(i, pl.min(n, 64)):
                if j < n:
                    pl.tensor.write(out, [j], pl.min(i, 64))
        """,
        """
        for i in pl.range(n):
            for j in pl.range(i, pl.min(n, 64)):
                pl.tensor.write(out, [j], i)
        """,
    )


def test_an_index_is_a_number_of_steps_away_from_the_start():
    assert_simplified(
        """
        for i in pl.range(0, 128, 32):
            pl.tensor.write(out, [i // 32 * 32], pl.min(32, 128 - i))
            for j in pl.range(i + 1, i + 9, 4):
                pl.tensor.write(out, [i % 32], j % 2)
        """,
        """
        for i in pl.range(0, 128, 32):
            pl.tensor.write(out, [i], 32)
            for j in pl.range(i + 1, i + 9, 4):
                pl.tensor.write(out, [0], 1)
        """,
    )


def test_an_index_that_counts_down_lies_above_the_stop():
    assert_simplified(
        """
        for i in pl.range(n, 0, -1):
            if i > 0:
                pl.tensor.write(out, [i], pl.min(i, n))
        """,
        """
        for i in pl.range(n, 0, -1):
            pl.tensor.write(out, [i], i)
        """,
    )


def test_a_loop_that_counts_down_once_becomes_its_body():
    assert_simplified(
        """
        for i in pl.range(n + 4, n, -4):
            pl.tensor.write(out, [i], i - n)
        """,
        """
        pl.tensor.write(out, [n + 4], 4)
        """,
    )


def test_a_value_that_a_decided_branch_yields_is_folded_where_it_is_read():
    assert_simplified(
        """
        if 1 < 2:
            below: pl.Scalar[pl.BOOL] = pl.yield_(n < m)
        else:
            below: pl.Scalar[pl.BOOL] = pl.yield_(m < n)
        if below:
            if below:
                pl.tensor.write(out, [n], pl.min(n, m))
        """,
        """
        if n < m:
            pl.tensor.write(out, [n], n)
        """,
    )


def test_a_long_value_that_a_decided_branch_yields_is_computed_once():
    assert_simplified(
        """
        if 1 < 2:
            v: pl.Scalar[pl.INDEX] = pl.yield_(n * n // 3 + m * m // 5)
        else:
            v: pl.Scalar[pl.INDEX] = pl.yield_(m)
        pl.tensor.write(out, [v], v + v * v)
        """,
        """
        v: pl.Scalar[pl.INDEX] = n * n // 3 + m * m // 5
        pl.tensor.write(out, [v], v + v * v)
        """,
    )


def test_a_loop_that_runs_once_becomes_its_body_when_no_branch_leaves_it_any_more():
    assert_simplified(
        """
        for i in pl.range(1, 3, 2):
            if i < 1:
                break
            pl.tensor.write(out, [i], n)
        """,
        """
        pl.tensor.write(out, [1], n)
        """,
    )


def test_the_condition_of_a_while_loop_holds_at_the_top_of_its_body():
    before = """
        k: pl.Scalar[pl.INDEX] = 0
        while k < n:
            if k < n:
                pl.tensor.write(out, [0], k)
            k = k + 1
        """
    made = apply_pass(Simplify(), apply_pass(ConvertToSSA(), body(before)))
    assert not collect(programs.method(made, "f"), IfStmt)


def test_a_scalar_is_known_to_be_what_was_assigned_to_it():
    assert_simplified(
        """
        for i in pl.range(n):
            k: pl.Scalar[pl.INDEX] = i * 8 + m
            if k - i * 8 == m:
                pl.tensor.write(out, [k], k)
        """,
        """
        for i in pl.range(n):
            k: pl.Scalar[pl.INDEX] = i * 8 + m
            pl.tensor.write(out, [k], k)
        """,
    )


def test_comparisons_of_nested_branches_are_chained():
    assert_simplified(
        """
        for i in pl.range(8):
            if i < n:
                if n <= m:
                    pl.tensor.write(out, [i], pl.min(i, m))
        """,
        """
        for i in pl.range(8):
            if i < n:
                if n <= m:
                    pl.tensor.write(out, [i], i)
        """,
    )
