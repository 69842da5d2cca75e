# SPDX-License-Identifier: Apache-2.0
"""ExpandManualPhaseFence: where a barrier is put between an array of tasks and those that wait for all of it."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import cast

import pytest
from pypto_passes.expand_manual_phase_fence import ExpandManualPhaseFence

from pypto_build.ir import AssignStmt, Call, Program, Submit, Var, collect
from pypto_build.passes import IRProperty, apply_pass
from tests.passes import programs

KERNEL = """
@pl.function
def work(self) -> pl.Scalar[pl.TASK_ID]:
    return pl.system.task_invalid()
"""


def main(text: str, *, kind: str = "Orchestration", manual: bool = True) -> Program:
    """A kernel and a function with `ids`, eight tasks, and `nobody` in scope."""
    lines = [
        "ids = pl.array.create(8, pl.TASK_ID)",
        "nobody = pl.system.task_invalid()",
        *dedent(text).strip("\n").splitlines(),
    ]
    body = "\n".join(["with pl.manual_scope():", *(f"    {line}" for line in lines)] if manual else lines)
    head = f"@pl.function(type=pl.FunctionType.{kind})\ndef main(self, n: pl.Scalar[pl.INDEX]):\n"
    return programs.program(KERNEL, head + indent(body, "    "))


def barriers(text: str) -> list[str]:
    """The arrays that barriers wait for, in program order."""
    made = programs.method(apply_pass(ExpandManualPhaseFence(), main(text)), "main")
    calls = [stmt.value for stmt in collect(made, AssignStmt) if isinstance(stmt.value, Call)]
    dummies = [call for call in calls if call.op.name == "system.task_dummy"]
    return [str(edge) for call in dummies for edge in cast("tuple[Var, ...]", call.attrs["manual_dep_edges"])]


def test_the_tasks_of_a_loop_wait_for_one_barrier():
    before = """
        for i in pl.parallel(4):
            a, t = pl.submit(self.work, deps=[ids])
    """
    expected = """
        fence = pl.system.task_dummy(deps=[ids])
        for i in pl.parallel(4):
            a, t = pl.submit(self.work, deps=[fence])
    """
    programs.assert_becomes(ExpandManualPhaseFence(), main(before), main(expected))


def test_the_barrier_goes_in_front_of_the_outermost_loop():
    before = """
        for i in pl.range(4):
            if i == 0:
                for j in pl.parallel(4):
                    a, t = pl.submit(self.work, deps=[ids])
    """
    expected = """
        fence = pl.system.task_dummy(deps=[ids])
        for i in pl.range(4):
            if i == 0:
                for j in pl.parallel(4):
                    a, t = pl.submit(self.work, deps=[fence])
    """
    programs.assert_becomes(ExpandManualPhaseFence(), main(before), main(expected))


def test_a_loop_that_may_not_run_gets_its_barriers_inside():
    before = """
        for i in pl.range(n):
            for j in pl.parallel(4):
                a, t = pl.submit(self.work, deps=[ids])
    """
    expected = """
        for i in pl.range(n):
            fence = pl.system.task_dummy(deps=[ids])
            for j in pl.parallel(4):
                a, t = pl.submit(self.work, deps=[fence])
    """
    programs.assert_becomes(ExpandManualPhaseFence(), main(before), main(expected))


def test_a_name_that_is_taken_is_not_given_again():
    text = """
        phase_fence_barrier_0_tid = pl.system.task_invalid()
        for i in pl.parallel(4):
            a, t = pl.submit(self.work, deps=[ids])
    """
    made = apply_pass(ExpandManualPhaseFence(), main(text))
    (waiting,) = collect(made, Submit)
    assert [str(dep) for dep in waiting.deps] == ["phase_fence_barrier_1_tid"]


def test_each_array_has_a_barrier_of_its_own():
    text = """
        more = pl.array.create(8, pl.TASK_ID)
        for i in pl.parallel(4):
            a, s = pl.submit(self.work, deps=[more])
            b, t = pl.submit(self.work, deps=[ids])
    """
    assert barriers(text) == ["more", "ids"]


def test_an_array_that_a_carry_updates_is_waited_for_directly():
    text = """
        for i, (round,) in pl.range(4, init_values=(ids,)):
            a, t = pl.submit(self.work, deps=[ids])
            next = pl.array.update_element(round, 0, t)
            last = pl.yield_(next)
    """
    assert barriers(text) == []


def test_an_array_that_only_another_loop_updates_gets_a_barrier():
    text = """
        for i, (round,) in pl.range(4, init_values=(ids,)):
            a, t = pl.submit(self.work)
            next = pl.array.update_element(round, i, t)
            last = pl.yield_(next)
        for j in pl.parallel(4):
            b, s = pl.submit(self.work, deps=[last])
    """
    assert barriers(text) == ["last"]


def test_of_two_branches_one_runs():
    text = """
        for i in pl.parallel(1):
            if i == 0:
                a, s = pl.submit(self.work, deps=[ids])
            else:
                b, t = pl.submit(self.work, deps=[ids])
    """
    assert barriers(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "for i in pl.parallel(1):\n    a, t = pl.submit(self.work, deps=[ids])",
        "for i in pl.parallel(n):\n    a, t = pl.submit(self.work, deps=[ids])",
        "for i in pl.range(4, 4):\n    a, t = pl.submit(self.work, deps=[ids])",
        "for i in pl.parallel(4):\n    a, t = pl.submit(self.work, deps=[ids, nobody])",
        "a, t = pl.submit(self.work, deps=[ids])",
    ],
    ids=["one task", "unknown trips", "no trips", "another dependency", "no loop"],
)
def test_what_gains_nothing_is_left_alone(text: str):
    programs.assert_unchanged(ExpandManualPhaseFence(), main(text))


@pytest.mark.parametrize("options", [{"kind": "AIV"}, {"manual": False}], ids=["kernel", "automatic scope"])
def test_only_manual_scopes_of_orchestrations_are_looked_at(options: dict[str, object]):
    text = "for i in pl.parallel(4):\n    a, t = pl.submit(self.work, deps=[ids])"
    programs.assert_unchanged(ExpandManualPhaseFence(), main(text, **options))  # type: ignore[arg-type]  # names above


def test_it_keeps_what_it_needs():
    kept = {IRProperty.NoNestedCalls, IRProperty.NormalizedStmtStructure, IRProperty.CallDirectionsResolved}
    assert ExpandManualPhaseFence.requires == ExpandManualPhaseFence.produces == kept
