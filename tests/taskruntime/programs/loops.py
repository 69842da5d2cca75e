# SPDX-License-Identifier: Apache-2.0
"""Loops in loops, one after the other or side by side, upwards and downwards, with bounds that the run knows."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import band, copy, grow, join, made, step
from tests.taskruntime.programs.table import Table

LOOPS = Table()


@LOOPS.program(
    "x: in; out: out",
    """
    for i in pl.parallel(4):
        out = self.band(x, i * 4, out)
    return out
    """,
)
def bands_are_written_side_by_side(x: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, out)


@LOOPS.program(
    "x: in; mid: out; out: out",
    """
    for i in pl.parallel(4):
        mid = self.band(x, i * 4, mid)
    out = self.step(mid, out)
    return out
    """,
)
def who_comes_after_reads_all_bands(x: Any, mid: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, mid)
    step(mid, out)


@LOOPS.program(
    "x: in; mid: out; out: inout; n: 3",
    """
    for i in pl.range(n):
        for j in pl.parallel(4):
            mid = self.band(x, j * 4, mid)
        out = self.grow(mid, out)
    return out
    """,
)
def phases_of_bands_come_one_after_the_other(x: Any, mid: Any, out: Any, n: int) -> None:
    for _ in range(n):
        for j in range(4):
            band(x, j * 4, mid)
        grow(mid, out)


@LOOPS.program(
    "x: inout; y: inout; n: 3",
    """
    for i in pl.range(n):
        for j in pl.parallel(4):
            y = self.band(x, j * 4, y)
        for k in pl.parallel(4):
            x = self.band(y, k * 4, x)
    return x
    """,
)
def two_phases_write_what_the_other_reads(x: Any, y: Any, n: int) -> None:
    for _ in range(n):
        for j in range(4):
            band(x, j * 4, y)
        for k in range(4):
            band(y, k * 4, x)


@LOOPS.program(
    "x: in; out: inout; n: 4",
    """
    for i in pl.range(n, 0, -1):
        for j in pl.range(i):
            out = self.grow(x, out)
        out = self.join(x, out, out)
    return out
    """,
)
def an_inner_loop_shortens_while_the_outer_counts_down(x: Any, out: Any, n: int) -> None:
    for i in range(n, 0, -1):
        for _ in range(i):
            grow(x, out)
        join(x, out.copy(), out)


@LOOPS.program(
    "x: in; out: out; by: 8",
    """
    for i in pl.range(0, 16, by):
        out = self.band(x, i, out)
        out = self.band(x, i + 4, out)
    return out
    """,
)
def a_step_that_the_run_knows(x: Any, out: Any, by: int) -> None:
    for i in range(0, 16, by):
        band(x, i, out)
        band(x, i + 4, out)


@LOOPS.program(
    "x: in; y: inout; z: inout",
    """
    for i in pl.parallel(2):
        for j in pl.range(3):
            if i == 0:
                y = self.grow(x, y)
            else:
                z = self.grow(x, z)
    return y
    """,
)
def parallel_iterations_work_on_a_buffer_each(x: Any, y: Any, z: Any) -> None:
    for _ in range(3):
        grow(x, y)
        grow(x, z)


@LOOPS.program(
    "x: in; out: out",
    """
    state = x
    for i in pl.range(2):
        for j in pl.range(2):
            fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
            state = self.step(state, fresh)
        more = pl.create_tensor([16, 16], dtype=pl.FP32)
        state = self.join(x, state, more)
    out = self.copy(state, out)
    return out
    """,
)
def new_buffers_leave_an_inner_loop(x: Any, out: Any) -> None:
    state = x
    for _ in range(2):
        for _ in range(2):
            fresh = made()
            step(state, fresh)
            state = fresh
        more = made()
        join(x, state, more)
        state = more
    copy(state, out)


@LOOPS.program(
    "x: in; a: out; b: out; out: out",
    """
    for i in pl.parallel(4, 0, -1):
        a = self.band(x, i * 4 - 4, a)
    for j in pl.parallel(4):
        b = self.band(a, j * 4, b)
    out = self.join(a, b, out)
    return out
    """,
)
def parallel_loops_follow_each_other(x: Any, a: Any, b: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, a)
    for j in range(4):
        band(a, j * 4, b)
    join(a, b, out)


@LOOPS.program(
    "x: in; total: inout; n: 2; m: 3",
    """
    for i in pl.range(n):
        for j in pl.range(i, m):
            work = pl.create_tensor([16, 16], dtype=pl.FP32)
            work = self.step(total, work)
            total = self.grow(work, total)
    return total
    """,
)
def a_scratch_buffer_of_each_iteration(x: Any, total: Any, n: int, m: int) -> None:
    del x
    for i in range(n):
        for _ in range(i, m):
            work = made()
            step(total, work)
            grow(work, total)
