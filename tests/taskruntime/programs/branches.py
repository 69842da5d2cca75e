# SPDX-License-Identifier: Apache-2.0
"""Branches: one side or the other, none, inside each other and inside loops, yielding buffers that differ."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import copy, grow, join, made, pair, step
from tests.taskruntime.programs.table import Table

BRANCHES = Table()


@BRANCHES.program(
    "x: in; a: inout; b: inout; out: out; n: 1",
    """
    if n > 0:
        p = self.grow(x, a)
        chosen = pl.yield_(p)
    else:
        q = self.grow(x, b)
        chosen = pl.yield_(q)
    out = self.copy(chosen, out)
    return out
    """,
)
def the_side_that_runs_chooses_the_buffer(x: Any, a: Any, b: Any, out: Any, n: int) -> None:
    chosen = a if n > 0 else b
    grow(x, chosen)
    copy(chosen, out)


@BRANCHES.program(
    "x: in; out: out; n: 0",
    """
    if n > 0:
        a = pl.create_tensor([16, 16], dtype=pl.FP32)
        p = self.step(x, a)
        chosen = pl.yield_(p)
    else:
        b = pl.create_tensor([16, 16], dtype=pl.FP32)
        q = self.copy(x, b)
        chosen = pl.yield_(q)
    out = self.join(x, chosen, out)
    return out
    """,
)
def both_sides_make_a_buffer(x: Any, out: Any, n: int) -> None:
    chosen = made()
    (step if n > 0 else copy)(x, chosen)
    join(x, chosen, out)


@BRANCHES.program(
    "x: in; out: inout; n: 5",
    """
    for i in pl.range(n):
        if i % 2 == 0:
            out = self.grow(x, out)
    out = self.join(x, out, out)
    return out
    """,
)
def a_task_of_every_other_iteration(x: Any, out: Any, n: int) -> None:
    for i in range(n):
        if i % 2 == 0:
            grow(x, out)
    join(x, out.copy(), out)


@BRANCHES.program(
    "a: inout; b: inout; out: out; n: 6",
    """
    for i, (p, q) in pl.range(n, init_values=(a, b)):
        if i % 3 == 0:
            done = self.grow(p, q)
            r, s = pl.yield_(done, p)
        else:
            more = self.grow(q, p)
            r, s = pl.yield_(more, q)
        c, d = pl.yield_(r, s)
    out = self.join(c, d, out)
    return out
    """,
)
def what_changes_places_is_decided_in_each_iteration(a: Any, b: Any, out: Any, n: int) -> None:
    for i in range(n):
        if i % 3 == 0:
            grow(a, b)
            a, b = b, a
        else:
            grow(b, a)
    join(a, b, out)


@BRANCHES.program(
    "x: in; a: inout; b: inout; out: out; n: 2",
    """
    if n > 3:
        p = self.grow(x, a)
        chosen = pl.yield_(p)
    else:
        if n == 2:
            q = self.grow(x, b)
            inner = pl.yield_(q)
        else:
            r = self.step(x, a)
            inner = pl.yield_(r)
        chosen = pl.yield_(inner)
    out = self.step(chosen, out)
    return out
    """,
)
def a_branch_in_a_branch(x: Any, a: Any, b: Any, out: Any, n: int) -> None:
    del a
    assert n == 2
    grow(x, b)
    step(b, out)


@BRANCHES.program(
    "x: in; first: out; second: out; out: out; n: 1",
    """
    if n == 1:
        a, b = self.pair(x, first, second)
        c, d = pl.yield_(b, a)
    else:
        e = self.copy(x, first)
        f = self.copy(x, second)
        c, d = pl.yield_(e, f)
    out = self.join(c, d, out)
    return out
    """,
)
def a_branch_yields_two_results_the_other_way_round(x: Any, first: Any, second: Any, out: Any, n: int) -> None:
    assert n == 1
    pair(x, first, second)
    join(second, first, out)


@BRANCHES.program(
    "x: in; flags: in[INT32 4]; out: inout",
    """
    for i in pl.range(4):
        flag = pl.tensor.read(flags, [i])
        if flag > 0:
            out = self.grow(x, out)
        else:
            out = self.join(x, out, out)
    return out
    """,
)
def an_element_decides(x: Any, flags: Any, out: Any) -> None:
    for flag in flags:
        if flag > 0:
            grow(x, out)
        else:
            join(x, out.copy(), out)


@BRANCHES.program(
    "x: in; state: inout; out: out; n: 4",
    """
    kept = x
    for i in pl.range(n):
        if i > 1:
            fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
            kept = self.step(kept, fresh)
        state = self.grow(kept, state)
    out = self.copy(kept, out)
    return out
    """,
)
def a_new_buffer_of_a_branch_lives_on(x: Any, state: Any, out: Any, n: int) -> None:
    kept = x
    for i in range(n):
        if i > 1:
            fresh = made()
            step(kept, fresh)
            kept = fresh
        grow(kept, state)
    copy(kept, out)


@BRANCHES.program(
    "x: in; a: inout; b: inout; out: out; n: 0",
    """
    first = self.grow(x, a)
    other = self.grow(x, b)
    if n > 0:
        p = self.grow(x, first)
        c, d = pl.yield_(p, other)
    else:
        c, d = pl.yield_(other, first)
    out = self.join(c, d, out)
    return out
    """,
)
def a_branch_that_launches_nothing_hands_buffers_on(x: Any, a: Any, b: Any, out: Any, n: int) -> None:
    grow(x, a)
    grow(x, b)
    c, d = (a, b) if n > 0 else (b, a)
    join(c, d, out)
