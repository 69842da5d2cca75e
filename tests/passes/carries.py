# SPDX-License-Identifier: Apache-2.0
"""Orchestrations with loops, and what is said of each carry: `trivial`, `rebind` or `rebind[size]`."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_passes.classify_iter_arg_carry import ClassifyIterArgCarry
from pypto_passes.derive_call_directions import DeriveCallDirections

from pypto_build.analysis.iter_arg_carry import array_size, is_classified, is_rebind
from pypto_build.ir import ForStmt, Program, collect
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[16], pl.FP32]"
KERNELS = f"""
@pl.function(type=pl.FunctionType.InCore)
def grow(self, x: {T}, total: pl.InOut[{T}]) -> {T}:
    return total

@pl.function(type=pl.FunctionType.InCore)
def copy(self, x: {T}, out: pl.Out[{T}]) -> {T}:
    return out

@pl.function(type=pl.FunctionType.InCore)
def late(self, x: {T}, scratch: pl.Out[{T}], out: pl.Out[{T}]) -> {T}:
    return out

@pl.function(type=pl.FunctionType.InCore)
def hidden(self, x: {T}, first: pl.Out[{T}], second: pl.Out[{T}]) -> {T}:
    made = pl.tensor.create([16], dtype=pl.FP32)
    return made

@pl.function(type=pl.FunctionType.InCore)
def pair(self, first: pl.Out[{T}], x: {T}, second: pl.InOut[{T}]) -> tuple[{T}, {T}]:
    made = pl.tensor.create([16], dtype=pl.FP32)
    more = pl.tensor.create([16], dtype=pl.FP32)
    return made, more
"""
"""`hidden` and `pair` do not show which parameter they return: only their directions tell."""
PARAMETERS = f"x: {T}, n: pl.Scalar[pl.INDEX], a: pl.InOut[{T}], b: pl.InOut[{T}]"


def orchestration(text: str, kind: str = "Orchestration") -> Program:
    """The kernels and one function that calls them."""
    head = f"@pl.function(type=pl.FunctionType.{kind}, auto_scope=False)\ndef main(self, {PARAMETERS}):\n"
    return programs.program(KERNELS, head + indent(dedent(text).strip("\n"), "    "))


def loops(made: Program) -> list[ForStmt]:
    """The loops of the function that calls, outer ones first."""
    return list(collect(programs.method(made, "main"), ForStmt))


def classified(text: str, *, directions: bool = True) -> Program:
    """The program after the pass; calls have directions unless said otherwise."""
    made = orchestration(text)
    made = apply_pass(DeriveCallDirections(), made) if directions else made
    return apply_pass(ClassifyIterArgCarry(), made)


def plans(text: str, *, directions: bool = True) -> list[str]:
    """What is said of the carries of each loop."""
    return [" ".join(plan(loop)) for loop in loops(classified(text, directions=directions))]


def plan(loop: ForStmt) -> list[str]:
    """What is said of each carry of one loop."""
    return [_plan(loop, slot) for slot in range(len(loop.iter_args))]


def _plan(loop: ForStmt, slot: int) -> str:
    if not is_classified(loop, slot):
        return "unknown"
    size = f"[{array_size(loop, slot)}]" if array_size(loop, slot) else ""
    return ("rebind" if is_rebind(loop, slot) else "trivial") + size
