# SPDX-License-Identifier: Apache-2.0
"""Tasks of several kernels or blocks, outputs that the runtime makes, and functions that are spliced in."""

from __future__ import annotations

from typing import Any

from tests.taskruntime.programs.kernels import T, band, copy, grow, join, made, step
from tests.taskruntime.programs.table import Table

LAUNCHES = Table()

_SPMD = f"""
    @pl.function(type=pl.FunctionType.InCore)
    def block(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        row = pl.tile.get_block_idx() * 4
        return pl.store(pl.mul(pl.load(x, [row, 0], [4, 16]), 3.0), [row, 0], out)
"""
_INLINE = f"""
    @pl.function(type=pl.FunctionType.Inline)
    def twice(self, x: {T}, mid: pl.Out[{T}], out: pl.Out[{T}]) -> {T}:
        mid = self.step(x, mid)
        out = self.step(mid, out)
        return out
"""
_MIXED = f"""
    @pl.function(type=pl.FunctionType.AIC)
    def product(self, x: {T}, square: pl.Out[{T}], half: pl.Out[{T}]) -> {T}:
        both = pl.load(x, [0, 0], [16, 16], target_memory=pl.MemorySpace.Mat)
        left = pl.move(both, target_memory=pl.MemorySpace.Left)
        right = pl.move(both, target_memory=pl.MemorySpace.Right)
        return pl.store(pl.matmul(left, right), [0, 0], square)

    @pl.function(type=pl.FunctionType.AIV)
    def halves(self, x: {T}, square: pl.Out[{T}], half: pl.Out[{T}]) -> {T}:
        return pl.store(pl.mul(pl.load(x, [0, 0], [16, 16]), 0.5), [0, 0], half)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, x: {T}, square: pl.Out[{T}], half: pl.Out[{T}]) -> tuple[{T}, {T}]:
        square = self.product(x, square, half)
        half = self.halves(x, square, half)
        return square, half
"""


@LAUNCHES.program(
    "x: in; mid: out; out: out",
    """
    mid, one = pl.spmd_submit(self.block, x, mid, core_num=4)
    out = self.step(mid, out)
    return out
    """,
    more=_SPMD,
)
def four_blocks_of_one_task(x: Any, mid: Any, out: Any) -> None:
    for i in range(4):
        band(x, i * 4, mid)
    step(mid, out)


@LAUNCHES.program(
    "x: in; mid: out; out: out",
    """
    out = self.twice(x, mid, out)
    return out
    """,
    more=_INLINE,
)
def a_function_is_spliced_in(x: Any, mid: Any, out: Any) -> None:
    step(x, mid)
    step(mid, out)


@LAUNCHES.program(
    "x: in; out: out",
    """
    state = x
    for i in pl.range(2):
        mid = pl.create_tensor([16, 16], dtype=pl.FP32)
        more = pl.create_tensor([16, 16], dtype=pl.FP32)
        state = self.twice(state, mid, more)
    out = self.copy(state, out)
    return out
    """,
    more=_INLINE,
)
def a_function_is_spliced_into_a_loop(x: Any, out: Any) -> None:
    for _ in range(2):
        mid, more = made(), made()
        step(x, mid)
        step(mid, more)
        x = more
    copy(x, out)


@LAUNCHES.program(
    "x: in; square: out; half: out; out: out",
    """
    square, half = self.both(x, square, half)
    out = self.join(square, half, out)
    return out
    """,
    more=_MIXED,
)
def a_cube_and_a_vector_kernel_of_one_task(x: Any, square: Any, half: Any, out: Any) -> None:
    square[:], half[:] = x @ x, x * 0.5
    join(square, half, out)


@LAUNCHES.program(
    "x: in; a: out; out: inout",
    """
    a = self.copy(pl.no_dep(x), a)
    for i in pl.range(3):
        out = self.grow(pl.no_dep(x), out)
    out = self.grow(a, out)
    return out
    """,
)
def what_nobody_writes_needs_no_dependencies(x: Any, a: Any, out: Any) -> None:
    copy(x, a)
    for _ in range(3):
        grow(x, out)
    grow(a, out)
