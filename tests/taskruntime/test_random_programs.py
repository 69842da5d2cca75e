# SPDX-License-Identifier: Apache-2.0
"""Random orchestrations run as their emitted C++ says, in every order that it allows, and leave what their IR does."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

import numpy as np
import pytest

from pypto_build.driver.load import load_source
from pypto_build.ir import Program
from tests.simulators.running import simulate
from tests.targets.orchestration.task_orders import OrchestrationText
from tests.taskruntime.building import built
from tests.taskruntime.compiling import DERIVING, Emitted, compiled
from tests.taskruntime.interface import Orchestration
from tests.taskruntime.running import orders, run

CASES, N = [(seed, graph) for seed in range(16) for graph in (False, True)], 3
T = "pl.Tensor[[16, 16], pl.FP32]"
ALL = "[0, 0], [16, 16]"
BODIES = {
    f"fill(self, p0: pl.Out[{T}])": ("p0 = pl.store(pl.tile.full([16, 16], pl.FP32, 2.0), [0, 0], p0)", "p0"),
    f"read(self, p0: {T}, p1: pl.Out[{T}])": (f"p1 = pl.store(pl.add(pl.load(p0, {ALL}), 1.0), [0, 0], p1)", "p1"),
    f"grow(self, p0: pl.InOut[{T}])": (f"p0 = pl.store(pl.mul(pl.load(p0, {ALL}), 0.5), [0, 0], p0)", "p0"),
    f"pair(self, p0: pl.Out[{T}], p1: pl.Out[{T}])": (
        "p0 = pl.store(pl.tile.full([16, 16], pl.FP32, 3.0), [0, 0], p0)\n"
        "p1 = pl.store(pl.tile.full([16, 16], pl.FP32, 5.0), [0, 0], p1)",
        "p0, p1",
    ),
    f"join(self, p0: {T}, p1: {T}, p2: pl.InOut[{T}])": (
        f"both = pl.sub(pl.load(p0, {ALL}), pl.load(p1, {ALL}))\n"
        f"p2 = pl.store(pl.add(both, pl.mul(pl.load(p2, {ALL}), 0.5)), [0, 0], p2)",
        "p2",
    ),
}
"""The kernels of the random orchestrations, which compute something here."""


def text(seed: int, *, graph: bool) -> str:
    """A random orchestration with its kernels, as a source; with a graph its statements stand in a function of that."""
    made = OrchestrationText(seed, tidy=True)
    parts = ['"""A generated program."""\nimport pypto.language as pl\n\n\n@pl.program\nclass Program:']
    for head, (body, results) in BODIES.items():
        kind = T if ", " not in results else f"tuple[{T}, {T}]"
        lines = indent(f"{body}\nreturn {results}", "        ")
        parts.append(f"    @pl.function(type=pl.FunctionType.InCore)\n    def {head} -> {kind}:\n{lines}\n")
    params = "".join(f", {name}: pl.InOut[{T}]" for name in "abc") + ", n: pl.Scalar[pl.INDEX]"
    takes, scopes = f"(self{params}) -> {T}", ", auto_scope=False" if made.by_hand else ""
    body = indent("\n".join(made.lines), "        ")
    if graph:
        parts.append(f"    @pl.function(type=pl.FunctionType.Graph{scopes})\n    def part{takes}:\n{body}\n")
        body, scopes = "        return self.part(a, b, c, n)", ""
    parts.append(f"    @pl.function(type=pl.FunctionType.Orchestration{scopes})\n    def main{takes}:\n{body}\n")
    return "\n".join(parts)


@cache
def _all() -> dict[tuple[int, bool], tuple[Program, Orchestration, Emitted]]:
    """The programs before any pass, and ready to run."""
    programs: list[Program] = []
    emitted: list[Emitted] = []
    with TemporaryDirectory() as folder:
        for seed, graph in CASES:
            source = Path(folder) / f"random_{seed}{'_in_a_graph' if graph else ''}.py"
            source.write_text(text(seed, graph=graph), encoding="utf-8")
            programs.append(load_source(source).program)
            emitted.append(compiled(source, str(DERIVING))["main"])
    entries = built([one.source for one in emitted])
    return {case: found for case, *found in zip(CASES, programs, entries, emitted, strict=True)}  # type: ignore[misc]


@pytest.mark.parametrize(("seed", "graph"), CASES)
def test_a_random_program_computes_what_its_ir_does_in_every_order(seed: int, graph: bool):
    program, entry, emitted = _all()[seed, graph]
    rng = np.random.default_rng(seed)
    inputs = {name: rng.integers(-8, 9, (16, 16)).astype(np.float32) for name in "abc"} | {"n": N}
    wanted = simulate(program, inputs).outputs
    for order in orders():
        outcome = run(entry, emitted.kernels, inputs, order=order)
        assert outcome.missing() == [], order.name
        for name in "abc":
            np.testing.assert_array_equal(outcome.outputs[name], wanted[name], f"{name} {order.name}")
