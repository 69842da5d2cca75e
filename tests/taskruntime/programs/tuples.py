# SPDX-License-Identifier: Apache-2.0
"""Tasks with several results, and results that are handed on together."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import T, copy, grow, join, made, pair, step
from tests.taskruntime.programs.table import Table

TUPLES = Table()
BOTH = f"tuple[{T}, {T}]"


@TUPLES.program(
    "x: in; first: out; second: out; out: out",
    """
    a, b = self.pair(x, first, second)
    out = self.join(b, a, out)
    return out
    """,
)
def two_results_of_a_task(x: Any, first: Any, second: Any, out: Any) -> None:
    pair(x, first, second)
    join(second, first, out)


@TUPLES.program(
    "x: in; first: out; second: out",
    """
    a, b = self.pair(x, first, second)
    return b, a
    """,
    result=BOTH,
)
def results_are_returned_the_other_way_round(x: Any, first: Any, second: Any) -> None:
    pair(x, first, second)


@TUPLES.program(
    "x: in; a: inout; b: inout; out: out",
    """
    for i, (p, q) in pl.range(3, init_values=(a, b)):
        r, s = self.pair(p, q, p)
        c, d = pl.yield_(s, r)
    out = self.join(c, d, out)
    return out
    """,
)
def results_of_a_task_change_places(x: Any, a: Any, b: Any, out: Any) -> None:
    del x
    for _ in range(3):
        pair(a.copy(), b, a)
    join(a, b, out)


@TUPLES.program(
    "x: in; out: out",
    """
    a = pl.create_tensor([16, 16], dtype=pl.FP32)
    b = pl.create_tensor([16, 16], dtype=pl.FP32)
    for i, (p, q) in pl.range(4, init_values=(x, x)):
        c = pl.create_tensor([16, 16], dtype=pl.FP32)
        d = pl.create_tensor([16, 16], dtype=pl.FP32)
        r, s = self.pair(p, c, d)
        e = pl.create_tensor([16, 16], dtype=pl.FP32)
        t = self.join(s, q, e)
        u, v = pl.yield_(t, r)
    a, b = self.pair(u, a, b)
    out = self.join(b, v, out)
    return out
    """,
)
def a_task_after_a_task_with_two_results(x: Any, out: Any) -> None:
    p, q = x, x
    for _ in range(4):
        c, d, e = made(), made(), made()
        pair(p, c, d)
        join(d, q, e)
        p, q = e, c
    a, b = made(), made()
    pair(p, a, b)
    join(b, q, out)


@TUPLES.program(
    "x: in; a: out; b: out; c: out; d: out",
    """
    p, q = self.pair(x, a, b)
    r, s = self.pair(q, c, d)
    p = self.join(s, r, p)
    q = self.grow(p, q)
    return q, p
    """,
    result=BOTH,
)
def results_are_written_again(x: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    pair(x, a, b)
    pair(b, c, d)
    join(d, c, a)
    grow(a, b)


@TUPLES.program(
    "x: in; out: out",
    """
    for i, (p, q, n) in pl.range(3, init_values=(x, x, 1)):
        c = pl.create_tensor([16, 16], dtype=pl.FP32)
        r = self.step(p, c)
        s, t, m = pl.yield_(r, p, n + i)
    for j, (u,) in pl.range(m, init_values=(t,)):
        e = pl.create_tensor([16, 16], dtype=pl.FP32)
        v = self.join(s, u, e)
        w = pl.yield_(v)
    out = self.copy(w, out)
    return out
    """,
)
def tensors_and_a_number_leave_a_loop_together(x: Any, out: Any) -> None:
    p, q, n = x, x, 1
    for i in range(3):
        c = made()
        step(p, c)
        p, q, n = c, p, n + i
    for _ in range(n):
        e = made()
        join(p, q, e)
        q = e
    copy(q, out)
