# SPDX-License-Identifier: Apache-2.0
"""Which functions a pass runs on: those whose key is new, and no others."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from pypto_build.dsl.text import parse
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import (
    AssignStmt,
    Function,
    FunctionType,
    ParamDirection,
    Program,
    Rewriter,
    Stmt,
    Var,
    rebuilt,
    structural_equal,
)
from pypto_build.passes import Callees, FunctionPass, FunctionResult, PassContext, ProgramPass
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.run import Run
from pypto_build.pipeline.step import Step
from pypto_build.pipeline.trace import RunResult
from pypto_build.store.key import Key
from pypto_build.store.local import LocalStore

PROGRAM = """
import pypto.language as pl


@pl.program
class Two:
    @pl.function(type=pl.FunctionType.InCore)
    def leaf(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        tile = pl.load(x, [0, 0], [32, 32])
        twice = pl.mul(tile, 2.0)
        out = pl.store(twice, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        out = self.leaf(x, out)
        return out
"""
SEEN: list[str] = []


class Renamer(Rewriter):
    """Gives every assigned variable a longer name."""

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        new: AssignStmt = self.visit_node(stmt)
        var = Var(new.var.name_hint + "_", new.var.type)
        self.substitution[stmt.var] = var
        return rebuilt(new, {"var": var})


@dataclass(frozen=True, slots=True)
class Rename(FunctionPass):
    name: ClassVar[str] = "Rename"
    amount: int = 1

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        del callees, context
        SEEN.append(function.name)
        return FunctionResult((Renamer().visit(function),), summary=self.amount)


@dataclass(frozen=True, slots=True)
class Promote(FunctionPass):
    """Changes the signature of kernels."""

    name: ClassVar[str] = "Promote"

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        del callees, context
        SEEN.append(function.name)
        if function.func_type is not FunctionType.InCore:
            return function
        return rebuilt(function, {"param_directions": (ParamDirection.In, ParamDirection.InOut)})


@dataclass(frozen=True, slots=True)
class Warn(FunctionPass):
    name: ClassVar[str] = "Warn"

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        del callees
        context.sink.report(Diagnostic("warning", "odd", f"{function.name} is odd", function.span))
        return function


@dataclass(frozen=True, slots=True)
class Whole(ProgramPass):
    name: ClassVar[str] = "Whole"

    def run(self, program: Program, context: PassContext) -> Program:
        del context
        SEEN.append("*")
        return program


@dataclass
class Builds:
    """Runs of steps on one store."""

    root: Path
    results: list[RunResult] = field(default_factory=list)

    def run(self, *steps: Step, text: str = PROGRAM) -> list[str]:
        """Run; the functions that passes were called with."""
        SEEN.clear()
        cache = StoreCache(LocalStore(self.root), "source")
        run = Run(parse(text), PassContext(), cache=cache)
        result = run.through(steps)
        called = list(SEEN)
        entries = [
            cache.entry(
                e.key, e.step, e.function, reused=e.reused, input_digest=e.input_digest, output_digest=e.output_digest
            )
            for e in result.trace
        ]
        cache.finish(tuple(entries), Key("final", ()))
        self.results.append(result)
        return called


@pytest.fixture
def builds(tmp_path: Path) -> Builds:
    return Builds(tmp_path / "store")


def step(pass_: FunctionPass | ProgramPass, implementation: str = "1", **options: object) -> Step:
    return Step(pass_.name.lower(), pass_, implementation, options)


def test_callees_are_visited_before_callers(builds: Builds) -> None:
    assert builds.run(step(Rename())) == ["leaf", "main"]


def test_nothing_runs_the_second_time(builds: Builds) -> None:
    builds.run(step(Rename()), step(Promote()))
    assert builds.run(step(Rename()), step(Promote())) == []


def test_a_reused_result_is_the_result(builds: Builds) -> None:
    for _ in range(2):
        builds.run(step(Rename()))
    first, second = (result.states["leaf"].body() for result in builds.results)
    assert structural_equal(first, second)


def test_an_edited_body_runs_that_function_alone(builds: Builds) -> None:
    builds.run(step(Rename()))
    assert builds.run(step(Rename()), text=PROGRAM.replace("2.0", "3.0")) == ["leaf"]


def test_a_changed_signature_runs_the_callers_too(builds: Builds) -> None:
    builds.run(step(Rename()))
    start = "        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl."
    wider = PROGRAM.replace(start + "Out", start + "InOut", 1)
    assert builds.run(step(Rename()), text=wider) == ["leaf", "main"]


def test_a_changed_summary_runs_the_callers_too(builds: Builds) -> None:
    builds.run(step(Rename(amount=1), amount=1))
    assert builds.run(step(Rename(amount=2), amount=2)) == ["leaf", "main"]


def test_other_code_of_a_pass_runs_it_again(builds: Builds) -> None:
    builds.run(step(Rename()))
    assert builds.run(step(Rename(), implementation="2")) == ["leaf", "main"]


def test_a_pass_that_changes_nothing_hides_an_earlier_change_of_code(builds: Builds) -> None:
    builds.run(step(Promote()), step(Rename()))
    assert builds.run(step(Promote(), implementation="2"), step(Rename())) == ["leaf", "main"]


def test_a_program_pass_runs_when_any_function_changed(builds: Builds) -> None:
    builds.run(step(Whole()))
    assert builds.run(step(Whole())) == []
    assert builds.run(step(Whole()), text=PROGRAM.replace("2.0", "3.0")) == ["*"]


def test_a_warning_is_said_again_when_the_result_is_reused(builds: Builds) -> None:
    for _ in range(2):
        builds.run(step(Warn()))
    first, second = ([d.message for d in result.diagnostics] for result in builds.results)
    assert first == second == ["leaf is odd", "main is odd"]


def test_a_repeated_warning_points_at_the_line_of_today(builds: Builds) -> None:
    builds.run(step(Warn()))
    builds.run(step(Warn()), text="\n\n" + PROGRAM)
    first, second = (result.diagnostics[0].span.begin_line for result in builds.results)
    assert second == first + 2


def test_a_moved_source_reuses_everything(builds: Builds) -> None:
    builds.run(step(Rename()))
    assert builds.run(step(Rename()), text="# a remark\n" + PROGRAM) == []


def test_the_trace_names_every_pass_and_function(builds: Builds) -> None:
    builds.run(step(Rename()), step(Whole()))
    trace = builds.results[0].trace
    assert [(e.step, e.function, e.reused) for e in trace][:2] == [("rename", "leaf", False), ("rename", "main", False)]
    assert trace[-1].step == "whole"


@dataclass(frozen=True, slots=True)
class Twin(FunctionPass):
    name: ClassVar[str] = "Twin"

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        del callees, context
        return FunctionResult((function, rebuilt(function, {"name": "same"})))


def test_two_new_functions_of_one_name_are_an_error(builds: Builds) -> None:
    with pytest.raises(UserError, match="'same'"):
        builds.run(step(Twin()))
