# SPDX-License-Identifier: Apache-2.0
"""Loops that carry tensors: in place, anew in every iteration, changing places, going round."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import copy, grow, join, made, step
from tests.taskruntime.programs.table import Table

CARRIES = Table()


@CARRIES.program(
    "x: in; out: inout",
    """
    for i, (acc,) in pl.range(4, init_values=(out,)):
        new = self.grow(x, acc)
        last = pl.yield_(new)
    return last
    """,
)
def a_buffer_grows_in_place(x: Any, out: Any) -> None:
    for _ in range(4):
        grow(x, out)


@CARRIES.program(
    "x: in; out: out",
    """
    state = x
    for i in pl.range(4):
        fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
        state = self.step(state, fresh)
    out = self.copy(state, out)
    return out
    """,
)
def every_iteration_makes_a_new_buffer(x: Any, out: Any) -> None:
    for _ in range(4):
        x, before = made(), x
        step(before, x)
    copy(x, out)


@CARRIES.program(
    "a: inout; b: inout",
    """
    for i, (p, q) in pl.range(5, init_values=(a, b)):
        done = self.step(p, q)
        c, d = pl.yield_(done, p)
    return c
    """,
)
def two_parameters_change_places(a: Any, b: Any) -> None:
    for _ in range(5):
        step(a, b)
        a, b = b, a


@CARRIES.program(
    "a: inout; b: inout; out: out",
    """
    for i, (p, q) in pl.range(4, init_values=(a, b)):
        done = self.grow(p, q)
        c, d = pl.yield_(done, p)
    out = self.join(c, d, out)
    return out
    """,
)
def what_changed_places_is_read_after_the_loop(a: Any, b: Any, out: Any) -> None:
    for _ in range(4):
        grow(a, b)
        a, b = b, a
    join(a, b, out)


@CARRIES.program(
    "a: inout; b: inout; c: inout",
    """
    for i, (p, q, r) in pl.range(4, init_values=(a, b, c)):
        done = self.join(p, q, r)
        d, e, f = pl.yield_(q, done, p)
    return d
    """,
)
def three_parameters_go_round(a: Any, b: Any, c: Any) -> None:
    for _ in range(4):
        join(a, b, c)
        a, b, c = b, c, a


@CARRIES.program(
    "a: inout; b: inout; c: inout; d: inout",
    """
    for i, (p, q, r, s) in pl.range(6, init_values=(a, b, c, d)):
        done = self.grow(p, q)
        more = self.grow(r, s)
        e, f, g, h = pl.yield_(done, p, more, r)
    return e
    """,
)
def two_pairs_change_places(a: Any, b: Any, c: Any, d: Any) -> None:
    for _ in range(6):
        grow(a, b)
        grow(c, d)
        a, b, c, d = b, a, d, c


@CARRIES.program(
    "x: in; out: out",
    """
    p = pl.create_tensor([16, 16], dtype=pl.FP32)
    q = pl.create_tensor([16, 16], dtype=pl.FP32)
    p = self.copy(x, p)
    q = self.step(x, q)
    for i, (a, b) in pl.range(5, init_values=(p, q)):
        done = self.grow(a, b)
        c, d = pl.yield_(done, a)
    out = self.join(c, d, out)
    return out
    """,
)
def created_buffers_change_places(x: Any, out: Any) -> None:
    a, b = made(), made()
    copy(x, a)
    step(x, b)
    for _ in range(5):
        grow(a, b)
        a, b = b, a
    join(a, b, out)


@CARRIES.program(
    "x: in; y: in; out: out",
    """
    for i, (newer, older) in pl.range(4, init_values=(x, y)):
        fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
        done = self.join(newer, older, fresh)
        new, old = pl.yield_(done, newer)
    out = self.join(new, old, out)
    return out
    """,
)
def each_iteration_reads_the_last_two(x: Any, y: Any, out: Any) -> None:
    for _ in range(4):
        fresh = made()
        join(x, y, fresh)
        x, y = fresh, x
    join(x, y, out)


@CARRIES.program(
    "x: in; out: out",
    """
    for i, (state,) in pl.range(3, init_values=(x,)):
        kept = state
        fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
        done = self.step(kept, fresh)
        again = pl.create_tensor([16, 16], dtype=pl.FP32)
        both = self.join(done, kept, again)
        last = pl.yield_(both)
    out = self.copy(last, out)
    return out
    """,
)
def a_name_for_a_carry_keeps_what_it_was(x: Any, out: Any) -> None:
    for _ in range(3):
        fresh, again = made(), made()
        step(x, fresh)
        join(fresh, x, again)
        x = again
    copy(x, out)


@CARRIES.program(
    "x: in; out: out; n: 0",
    """
    state = x
    for i in pl.range(n):
        fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
        state = self.step(state, fresh)
    out = self.copy(state, out)
    return out
    """,
)
def a_loop_that_does_not_run_leaves_what_entered_it(x: Any, out: Any, n: int) -> None:
    assert n == 0
    copy(x, out)


@CARRIES.program(
    "a: inout; b: inout; out: out",
    """
    for i, (p, q) in pl.range(2, init_values=(a, b)):
        for j, (r, s) in pl.range(3, init_values=(p, q)):
            done = self.grow(r, s)
            t, u = pl.yield_(done, r)
        c, d = pl.yield_(u, t)
    out = self.join(c, d, out)
    return out
    """,
)
def buffers_change_places_in_a_loop_in_a_loop(a: Any, b: Any, out: Any) -> None:
    for _ in range(2):
        for _ in range(3):
            grow(a, b)
            a, b = b, a
        a, b = b, a
    join(a, b, out)


@CARRIES.program(
    "x: in; out: inout",
    """
    for i, (a, b) in pl.range(5, init_values=(1, 2)):
        out = self.grow(x, out)
        c, d = pl.yield_(b, a + b)
    for j in pl.range(d - c):
        out = self.grow(x, out)
    return out
    """,
)
def numbers_that_change_together_bound_a_loop(x: Any, out: Any) -> None:
    a, b = 1, 2
    for _ in range(5):
        grow(x, out)
        a, b = b, a + b
    for _ in range(b - a):
        grow(x, out)


@CARRIES.program(
    "a: inout; b: inout; n: 3",
    """
    left = n
    p = a
    q = b
    while left > 0:
        done = self.step(p, q)
        q = p
        p = done
        left = left - 1
    return p
    """,
)
def buffers_change_places_while_a_number_lasts(a: Any, b: Any, n: int) -> None:
    for _ in range(n):
        step(a, b)
        a, b = b, a
