# SPDX-License-Identifier: Apache-2.0
"""Graph functions: parts of an orchestration under a name, called from it and from each other."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import T, band, copy, grow, join, pair, step
from tests.taskruntime.programs.table import Table

GRAPHS = Table()

_GRAPH = "\n    @pl.function(type=pl.FunctionType.Graph)"
_LAYER = f"""{_GRAPH}
    def layer(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        mid = pl.create_tensor([16, 16], dtype=pl.FP32)
        mid = self.step(x, mid)
        out = self.step(mid, out)
        return out
"""
_CROSSED = f"""{_GRAPH}
    def crossed(self, x: {T}, first: pl.Out[{T}], second: pl.Out[{T}]) -> tuple[{T}, {T}]:
        first, second = self.pair(x, first, second)
        return second, first
"""
_ROWS = f"""{_GRAPH}
    def rows(self, x: {T}, start: pl.Scalar[pl.INDEX], out: pl.InOut[{T}]) -> {T}:
        for i in pl.range(2):
            out = self.band(x, start + i * 4, out)
        return out
"""
_CHOICE = f"""{_GRAPH}
    def choice(self, x: {T}, n: pl.Scalar[pl.INDEX], out: pl.InOut[{T}]) -> {T}:
        if n > 1:
            out = self.grow(x, out)
        else:
            out = self.copy(x, out)
        return out
"""
_ACCUMULATED = f"""{_GRAPH}
    def accumulated(self, x: {T}, out: pl.InOut[{T}]) -> {T}:
        for i in pl.range(2):
            out = self.grow(x, out)
        return out
"""
_SCOPED = f"""{_GRAPH}
    def scoped(self, x: {T}, out: pl.InOut[{T}]) -> {T}:
        with pl.at(level=pl.Level.CORE_GROUP):
            total = pl.add(pl.load(x, [0, 0], [16, 16]), pl.load(out, [0, 0], [16, 16]))
            out = pl.store(total, [0, 0], out)
        return out
"""
_WAITING = f"""{_GRAPH}
    def waiting(self, x: {T}, mid: pl.Out[{T}], out: pl.Out[{T}]) -> {T}:
        with pl.manual_scope():
            mid, first = pl.submit(self.step, x, mid)
            out, _ = pl.submit(self.step, mid, out, deps=[first])
        return out
"""
_DOUBLE = f"""{_GRAPH}
    def double(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        between = pl.create_tensor([16, 16], dtype=pl.FP32)
        between = self.layer(x, between)
        return self.layer(between, out)
"""
_MAKER = f"""{_GRAPH}
    def maker(self, x: {T}) -> {T}:
        new = pl.create_tensor([16, 16], dtype=pl.FP32)
        new = self.step(x, new)
        return new
"""


def _layer(x: Any, out: Any) -> None:
    step(x, out)
    step(out.copy(), out)


@GRAPHS.program("x: in; out: out", "out = self.layer(x, out)\nreturn out", more=_LAYER)
def a_graph_is_called_once(x: Any, out: Any) -> None:
    _layer(x, out)


@GRAPHS.program("x: in; out: out", "return self.layer(x, out)", more=_LAYER)
def what_a_graph_gives_is_returned(x: Any, out: Any) -> None:
    _layer(x, out)


@GRAPHS.program(
    "x: in; a: out; b: out; out: out",
    """
    a = self.layer(x, a)
    b = self.layer(a, b)
    out = self.join(a, b, out)
    return out
    """,
    more=_LAYER,
)
def a_graph_works_on_what_a_graph_left(x: Any, a: Any, b: Any, out: Any) -> None:
    _layer(x, a)
    _layer(a, b)
    join(a, b, out)


@GRAPHS.program(
    "x: in; first: out; second: out; out: out",
    """
    doubled, more = self.crossed(x, first, second)
    out = self.join(doubled, more, out)
    return out
    """,
    more=_CROSSED,
)
def a_graph_returns_in_another_order_than_its_parameters(x: Any, first: Any, second: Any, out: Any) -> None:
    pair(x, first, second)
    join(second, first, out)


@GRAPHS.program(
    "x: in; first: out; second: out; third: out; fourth: out",
    """
    b, a = self.crossed(x, first, second)
    d, c = self.crossed(b, third, fourth)
    return d
    """,
    more=_CROSSED,
)
def crossed_results_go_into_the_next_call(x: Any, first: Any, second: Any, third: Any, fourth: Any) -> None:
    pair(x, first, second)
    pair(second, third, fourth)


@GRAPHS.program(
    "x: in; out: inout",
    """
    for i in pl.range(2):
        out = self.rows(x, i * 8, out)
    return out
    """,
    more=_ROWS,
)
def a_loop_hands_a_number_to_a_graph_with_a_loop(x: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, out)


@GRAPHS.program(
    "x: in; out: inout",
    """
    for i in pl.parallel(2):
        out = self.rows(x, i * 8, out)
    return out
    """,
    more=_ROWS,
)
def a_graph_is_called_side_by_side(x: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, out)


@GRAPHS.program(
    "x: in; out: inout",
    """
    for i in pl.range(4):
        out = self.choice(x, i, out)
    return out
    """,
    more=_CHOICE,
)
def a_graph_chooses_at_every_call(x: Any, out: Any) -> None:
    for i in range(4):
        (grow if i > 1 else copy)(x, out)


@GRAPHS.program(
    "x: in; n: 3; out: inout",
    """
    if n > 2:
        out = self.accumulated(x, out)
    else:
        out = self.copy(x, out)
    return out
    """,
    more=_ACCUMULATED,
)
def a_branch_calls_a_graph(x: Any, n: int, out: Any) -> None:
    assert n > 2
    grow(x, out)
    grow(x, out)


@GRAPHS.program(
    "x: in; a: inout; b: inout",
    """
    self.accumulated(x, a)
    b = self.accumulated(x, b)
    return b
    """,
    more=_ACCUMULATED,
)
def a_graph_is_called_for_what_it_writes(x: Any, a: Any, b: Any) -> None:
    for _ in range(2):
        grow(x, a)
        grow(x, b)


@GRAPHS.program(
    "x: in; a: inout; b: inout",
    """
    for i in pl.range(3):
        a, b = b, self.accumulated(x, a)
    return a, b
    """,
    result=f"tuple[{T}, {T}]",
    more=_ACCUMULATED,
)
def tensors_change_places_around_a_graph(x: Any, a: Any, b: Any) -> None:
    for _ in range(3):
        grow(x, a)
        grow(x, a)
        a, b = b, a


@GRAPHS.program(
    "x: in; out: inout",
    """
    out = self.scoped(x, out)
    for i in pl.range(2):
        out = self.scoped(x, out)
    return out
    """,
    more=_SCOPED,
)
def a_graph_has_a_kernel_of_its_own(x: Any, out: Any) -> None:
    for _ in range(3):
        grow(x, out)


@GRAPHS.program("x: in; mid: out; out: out", "out = self.waiting(x, mid, out)\nreturn out", more=_WAITING)
def a_graph_says_what_its_tasks_wait_for(x: Any, mid: Any, out: Any) -> None:
    step(x, mid)
    step(mid, out)


@GRAPHS.program("x: in; out: out", "return self.double(x, out)", more=_LAYER + _DOUBLE)
def a_graph_calls_another(x: Any, out: Any) -> None:
    _layer(x, out)
    _layer(out.copy(), out)


@GRAPHS.program(
    "x: in; out: out",
    """
    one = self.maker(x)
    two = self.maker(one)
    out = self.join(one, two, out)
    return out
    """,
    more=_MAKER,
)
def a_graph_creates_what_it_returns(x: Any, out: Any) -> None:
    one = x * 0.5 + 1.0
    two = one * 0.5 + 1.0
    join(one, two, out)
