# SPDX-License-Identifier: Apache-2.0
"""Orchestrations, and what AutoDeriveTaskDependencies says of each task: `kernel directions <- who it waits for`."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent, indent
from typing import cast

from pypto_passes.auto_derive_task_dependencies import AutoDeriveTaskDependencies
from pypto_passes.derive_call_directions import DeriveCallDirections
from pypto_passes.materialize_runtime_scopes import COVERED

from pypto_build.analysis.task_edges import carried_edges, derived_edges
from pypto_build.ir import ArgDirection, Call, Function, GlobalVar, Program, Submit, collect
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[16], pl.FP32]"
KERNELS = f"""
@pl.function(type=pl.FunctionType.AIV)
def fill(self, out: pl.Out[{T}]) -> {T}:
    return out

@pl.function(type=pl.FunctionType.AIV)
def read(self, x: {T}, out: pl.Out[{T}]) -> {T}:
    return out

@pl.function(type=pl.FunctionType.AIV)
def grow(self, total: pl.InOut[{T}]) -> {T}:
    return total

@pl.function(type=pl.FunctionType.AIV)
def pair(self, first: pl.Out[{T}], second: pl.Out[{T}]) -> tuple[{T}, {T}]:
    return first, second
"""
PARAMETERS = (
    f"a: pl.Out[{T}], b: pl.Out[{T}], c: pl.Out[{T}], wide: pl.Out[pl.Tensor[[64], pl.FP32]], "
    "n: pl.Scalar[pl.INDEX], yes: pl.Scalar[pl.BOOL]"
)
_SHORT = {ArgDirection.Input: "in", ArgDirection.NoDep: "-", ArgDirection.InOut: "inout"}


def orchestration(text: str, *, auto: bool = True) -> Program:
    """The kernels and a function, whose scopes are placed by the compiler or by hand; calls have directions."""
    by_hand = "" if auto else ", auto_scope=False"
    head = f"@pl.function(type=pl.FunctionType.Orchestration{by_hand})\ndef main(self, {PARAMETERS}):\n"
    made = programs.program(KERNELS, head + indent(dedent(text).strip("\n"), "    "))
    return apply_pass(DeriveCallDirections(), made)


def derived(text: str, *, auto: bool = True) -> Function:
    """The function after the pass."""
    made = apply_pass(AutoDeriveTaskDependencies(analyze_auto_scopes=True), orchestration(text, auto=auto))
    return programs.method(made, "main")


def tasks(text: str, *, auto: bool = True) -> list[str]:
    """What is said of each task, in program order."""
    return list(_tasks(derived(text, auto=auto)))


def is_manual(text: str) -> bool:
    """Whether all that tasks wait for is named."""
    return bool(derived(text).attrs.get(COVERED))


def _tasks(function: Function) -> Iterator[str]:
    for call in collect(function.body, Call, Submit):
        if isinstance(call.op, GlobalVar):
            directions = cast("tuple[ArgDirection, ...]", call.attrs["arg_directions"])
            edges = [str(edge) for edge in derived_edges(call)] + [f"{edge}@before" for edge in carried_edges(call)]
            said = " ".join([call.op.name, *(_SHORT.get(one, "out") for one in directions)])
            yield f"{said} <- {', '.join(edges)}" if edges else said
