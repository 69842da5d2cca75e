# SPDX-License-Identifier: Apache-2.0
"""Single elements that the orchestration itself reads and writes, and tasks that depend on one when they are due."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.taskruntime.programs.kernels import copy, grow, made, scale, step
from tests.taskruntime.programs.table import Table

ELEMENTS = Table()


@ELEMENTS.program(
    "x: in; mid: out; out: out",
    """
    mid = self.step(x, mid)
    by = pl.tensor.read(mid, [3, 5])
    out = self.scale(x, by, out)
    return out
    """,
)
def an_element_of_a_result_scales(x: Any, mid: Any, out: Any) -> None:
    step(x, mid)
    scale(x, mid[3, 5], out)


@ELEMENTS.program(
    "x: inout; out: out",
    """
    pl.tensor.write(x, [2, 3], 42.0)
    out = self.step(x, out)
    return out
    """,
)
def an_element_is_written_before_a_task_reads_it(x: Any, out: Any) -> None:
    x[2, 3] = 42
    step(x, out)


@ELEMENTS.program(
    "x: in; out: inout",
    """
    out = self.grow(x, out)
    pl.tensor.write(out, [0, 0], 7.0)
    out = self.grow(x, out)
    return out
    """,
)
def an_element_is_written_between_two_tasks(x: Any, out: Any) -> None:
    grow(x, out)
    out[0, 0] = 7
    grow(x, out)


@ELEMENTS.program(
    "x: in; bounds: in[INT32 4]; out: inout",
    """
    for i in pl.range(4):
        bound = pl.tensor.read(bounds, [i])
        for j in pl.range(bound):
            out = self.grow(x, out)
    return out
    """,
)
def elements_bound_inner_loops(x: Any, bounds: Any, out: Any) -> None:
    for bound in bounds:
        for _ in range(bound):
            grow(x, out)


@ELEMENTS.program(
    "x: in; flags: in[INT32 2, 4]; out: inout",
    """
    for i in pl.range(4):
        out, _ = pl.submit(self.grow, x, out, predicate=(flags[1, i] > 0))
    return out
    """,
)
def tasks_run_only_if_an_element_says_so(x: Any, flags: Any, out: Any) -> None:
    for flag in flags[1]:
        if flag > 0:
            grow(x, out)


@ELEMENTS.program(
    "x: in; out: out",
    """
    filled = pl.create_tensor([16, 16], dtype=pl.FP32, init_value=0.0)
    filled = self.grow(x, filled)
    filled = self.grow(x, filled)
    out = self.copy(filled, out)
    return out
    """,
)
def a_created_tensor_begins_as_zeros(x: Any, out: Any) -> None:
    filled = made()
    filled[:] = 0
    grow(x, filled)
    grow(x, filled)
    copy(filled, out)


@ELEMENTS.program(
    "x: in; a: out; b: out",
    """
    by = pl.tensor.read(x, [0, 0])
    a = self.scale(x, by, a)
    more = pl.tensor.read(a, [1, 1])
    b = self.scale(a, more + by, b)
    return b
    """,
)
def numbers_read_from_results_are_added(x: Any, a: Any, b: Any) -> None:
    by = x[0, 0]
    scale(x, by, a)
    scale(a, np.float32(a[1, 1] + by), b)
