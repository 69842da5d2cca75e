# SPDX-License-Identifier: Apache-2.0
"""FlattenCallExpr and the condition of a launch, which the scheduler reads when the task is due."""

from __future__ import annotations

from typing import cast

from pypto_passes.flatten_call_expr import FlattenCallExpr, verify_no_nested_calls

from pypto_build.dsl.text import parse
from pypto_build.ir import Program
from pypto_build.passes import PassContext, apply_pass

T = "pl.Tensor[[4, 4], pl.INT32]"
LAUNCH = "out, _ = pl.submit(self.k, {}, out, predicate=(x[1, 2] > 3))"
REGION = "with pl.spmd(2, predicate=(x[1, 2] > 3)) as tid:\n                out = self.k(x, out)"


def program(statement: str) -> Program:
    text = f"""import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        with pl.manual_scope():
            {statement}
        return out
"""
    return cast(Program, parse(text))


def test_the_condition_of_a_launch_stays_in_it():
    before = program(LAUNCH.format("x"))
    assert apply_pass(FlattenCallExpr(), before) is before


def test_the_arguments_of_a_launch_with_a_condition_are_flattened_all_the_same():
    after = apply_pass(FlattenCallExpr(), program(LAUNCH.format("pl.reshape(x, [4, 4])")))
    assert "pl.submit(self.k, t__tmp_v0, out, predicate=(" in str(after)


def test_the_condition_of_a_region_that_becomes_a_launch_stays_in_it():
    before = program(REGION)
    assert apply_pass(FlattenCallExpr(), before) is before


def test_a_condition_that_the_scheduler_reads_is_no_nested_call():
    assert list(verify_no_nested_calls(program(REGION), PassContext())) == []
