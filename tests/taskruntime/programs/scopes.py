# SPDX-License-Identifier: Apache-2.0
"""Scopes placed by hand: in a manual one the program names all that a task waits for."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import band, copy, grow, join, made, pair, step
from tests.taskruntime.programs.table import Table

SCOPES = Table()


@SCOPES.program(
    "x: in; mid: out; out: out",
    """
    with pl.manual_scope():
        mid, first = pl.submit(self.step, x, mid)
        out, _ = pl.submit(self.step, mid, out, deps=[first])
    return out
    """,
)
def one_task_waits_for_another(x: Any, mid: Any, out: Any) -> None:
    step(x, mid)
    step(mid, out)


@SCOPES.program(
    "x: in; a: out; b: out; out: out",
    """
    with pl.manual_scope():
        a, first = pl.submit(self.step, x, a)
        b, second = pl.submit(self.copy, x, b)
        out, _ = pl.submit(self.join, a, b, out, deps=[first, second])
    return out
    """,
)
def one_task_waits_for_two(x: Any, a: Any, b: Any, out: Any) -> None:
    step(x, a)
    copy(x, b)
    join(a, b, out)


@SCOPES.program(
    "x: in; mid: out; out: out",
    """
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.parallel(4):
        mid, one = pl.submit(self.band, x, i * 4, mid)
        ids[i] = one
    with pl.manual_scope():
        out, _ = pl.submit(self.step, mid, out, deps=[ids])
    return out
    """,
)
def one_task_waits_for_a_whole_array(x: Any, mid: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, mid)
    step(mid, out)


@SCOPES.program(
    "x: inout; y: inout",
    """
    with pl.manual_scope():
        before = pl.array.create(4, pl.TASK_ID)
        for phase in pl.range(2):
            there = pl.array.create(4, pl.TASK_ID)
            for i in pl.parallel(4):
                y, one = pl.submit(self.band, x, i * 4, y, deps=[before])
                there[i] = one
            back = pl.array.create(4, pl.TASK_ID)
            for j in pl.parallel(4):
                x, two = pl.submit(self.band, y, j * 4, x, deps=[there])
                back[j] = two
            for k in pl.range(4):
                last = back[k]
                before[k] = last
    return x
    """,
)
def phases_wait_for_arrays_of_ids(x: Any, y: Any) -> None:
    for _ in range(2):
        for i in range(4):
            band(x, i * 4, y)
        for i in range(4):
            band(y, i * 4, x)


@SCOPES.program(
    "x: in; out: inout",
    """
    with pl.manual_scope():
        before = pl.system.task_invalid()
        for i in pl.range(4):
            out, before = pl.submit(self.grow, x, out, deps=[before])
    return out
    """,
)
def each_iteration_waits_for_the_one_before(x: Any, out: Any) -> None:
    for _ in range(4):
        grow(x, out)


@SCOPES.program(
    "x: in; out: out",
    """
    with pl.manual_scope():
        before = pl.system.task_invalid()
        for phase in pl.range(3):
            for i in pl.parallel(4):
                out, before = pl.submit(self.band, x, i * 4, out, deps=[before])
    return out
    """,
)
def a_phase_waits_for_all_of_the_phase_before(x: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, out)


@SCOPES.program(
    "x: in; a: out; b: out; out: out",
    """
    with pl.manual_scope():
        a, first = pl.submit(self.step, x, a)
        b, second = pl.submit(self.copy, x, b)
        gate = pl.system.task_dummy(deps=[first, second])
        out, _ = pl.submit(self.join, a, b, out, deps=[gate])
    return out
    """,
)
def a_gate_stands_for_two_tasks(x: Any, a: Any, b: Any, out: Any) -> None:
    step(x, a)
    copy(x, b)
    join(a, b, out)


@SCOPES.program(
    "x: inout; mid: out; out: inout",
    """
    with pl.manual_scope():
        mid, first = pl.submit(self.copy, x, mid)
        x, second = pl.submit(self.grow, out, x, deps=[first])
        out, _ = pl.submit(self.grow, mid, out, deps=[first, second])
    return out
    """,
)
def who_overwrites_waits_for_who_still_reads(x: Any, mid: Any, out: Any) -> None:
    copy(x, mid)
    grow(out, x)
    grow(mid, out)


@SCOPES.program(
    "x: in; out: out",
    """
    last = pl.array.create(1, pl.TASK_ID)
    with pl.manual_scope():
        a = pl.create_tensor([16, 16], dtype=pl.FP32)
        b = pl.create_tensor([16, 16], dtype=pl.FP32)
        a, b, first = pl.submit(self.pair, x, a, b)
        b, second = pl.submit(self.grow, a, b, deps=[first])
        last[0] = second
    wanted = last[0]
    out, _ = pl.submit(self.join, a, b, out, deps=[wanted])
    return out
    """,
)
def a_task_behind_a_manual_scope_waits_for_one_in_it(x: Any, out: Any) -> None:
    a, b = made(), made()
    pair(x, a, b)
    grow(a, b)
    join(a, b, out)


@SCOPES.program(
    "x: in; a: inout; b: inout",
    """
    with pl.scope():
        for i in pl.range(3):
            a = self.grow(x, a)
        with pl.scope():
            b = self.grow(a, b)
    with pl.scope():
        a = self.grow(b, a)
    return a
    """,
    by_hand=True,
)
def scopes_side_by_side_and_in_each_other(x: Any, a: Any, b: Any) -> None:
    for _ in range(3):
        grow(x, a)
    grow(a, b)
    grow(b, a)


@SCOPES.program(
    "x: in; a: inout; b: inout",
    """
    a, first = pl.submit(self.grow, x, a)
    b, second = pl.submit(self.grow, x, b, deps=[first])
    a, _ = pl.submit(self.join, b, x, a, deps=[first, second])
    return a
    """,
)
def an_automatic_scope_takes_names_too(x: Any, a: Any, b: Any) -> None:
    grow(x, a)
    grow(x, b)
    join(b, x, a)


@SCOPES.program(
    "x: in; p: inout; q: inout; n: 5",
    """
    with pl.manual_scope():
        before = pl.system.task_invalid()
        for i, (a, b, last) in pl.range(n, init_values=(p, q, before)):
            done, one = pl.submit(self.step, a, b, deps=[last])
            c, d, e = pl.yield_(done, a, one)
    return c
    """,
)
def buffers_and_an_id_change_hands(x: Any, p: Any, q: Any, n: int) -> None:
    del x
    for _ in range(n):
        step(p, q)
        p, q = q, p
