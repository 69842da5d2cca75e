# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors: windows side by side and across each other, other shapes, other orders of the axes."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import copy, grow, join, step
from tests.taskruntime.programs.table import Table

WINDOWS = Table()


@WINDOWS.program(
    "x: in[64, 16]; out: out[64, 16]",
    """
    for i in pl.parallel(4):
        part = pl.slice(x, [16, 16], [i * 16, 0])
        target = pl.slice(out, [16, 16], [i * 16, 0])
        target = self.step(part, target)
    return out
    """,
    result="pl.Tensor[[64, 16], pl.FP32]",
)
def windows_are_written_side_by_side(x: Any, out: Any) -> None:
    for i in range(4):
        step(x[i * 16 : i * 16 + 16], out[i * 16 : i * 16 + 16])


@WINDOWS.program(
    "x: in; out: inout[64, 16]",
    """
    for i in pl.range(6):
        target = pl.slice(out, [16, 16], [i * 8, 0])
        target = self.grow(x, target)
    return out
    """,
    result="pl.Tensor[[64, 16], pl.FP32]",
)
def windows_overlap_the_one_before(x: Any, out: Any) -> None:
    for i in range(6):
        grow(x, out[i * 8 : i * 8 + 16])


@WINDOWS.program(
    "x: inout[64, 16]; out: out",
    """
    for i in pl.range(3):
        source = pl.slice(x, [16, 16], [i * 16, 0])
        target = pl.slice(x, [16, 16], [i * 16 + 16, 0])
        target = self.grow(source, target)
    last = pl.slice(x, [16, 16], [48, 0])
    out = self.copy(last, out)
    return out
    """,
)
def each_window_is_made_of_the_one_above(x: Any, out: Any) -> None:
    for i in range(3):
        grow(x[i * 16 : i * 16 + 16], x[i * 16 + 16 : i * 16 + 32])
    copy(x[48:], out)


@WINDOWS.program(
    "x: in[256]; out: out",
    """
    square = pl.reshape(x, [16, 16])
    out = self.step(square, out)
    return out
    """,
)
def a_line_is_seen_as_a_square(x: Any, out: Any) -> None:
    step(x.reshape(16, 16), out)


@WINDOWS.program(
    "x: in; mid: out[256]; out: out",
    """
    square = pl.reshape(mid, [16, 16])
    square = self.step(x, square)
    again = pl.reshape(mid, [16, 16])
    out = self.join(x, again, out)
    return out
    """,
)
def two_shapes_of_one_memory_are_one_buffer(x: Any, mid: Any, out: Any) -> None:
    step(x, mid.reshape(16, 16))
    join(x, mid.reshape(16, 16), out)


@WINDOWS.program(
    "x: in; out: inout[64, 16]; n: 2",
    """
    half = pl.slice(out, [32, 16], [n * 16, 0])
    quarter = pl.slice(half, [16, 16], [16, 0])
    quarter = self.step(x, quarter)
    whole = pl.slice(out, [16, 16], [48, 0])
    whole = self.grow(x, whole)
    return out
    """,
    result="pl.Tensor[[64, 16], pl.FP32]",
)
def a_window_of_a_window(x: Any, out: Any, n: int) -> None:
    assert n == 2
    step(x, out[48:])
    grow(x, out[48:])


@WINDOWS.program(
    "x: inout[64, 16]; y: inout[64, 16]; n: 3",
    """
    for phase, (a, b) in pl.range(n, init_values=(x, y)):
        for i in pl.parallel(4):
            source = pl.slice(a, [16, 16], [i * 16, 0])
            target = pl.slice(b, [16, 16], [48 - i * 16, 0])
            target = self.step(source, target)
        c, d = pl.yield_(b, a)
    return c
    """,
    result="pl.Tensor[[64, 16], pl.FP32]",
)
def windows_of_buffers_that_change_places(x: Any, y: Any, n: int) -> None:
    for _ in range(n):
        for i in range(4):
            step(x[i * 16 : i * 16 + 16], y[48 - i * 16 : 64 - i * 16])
        x, y = y, x
