# SPDX-License-Identifier: Apache-2.0
"""AutoDeriveTaskDependencies: who waits for whom, in straight code and branches."""

from __future__ import annotations

import pytest
from pypto_passes.auto_derive_task_dependencies import AutoDeriveTaskDependencies

from pypto_build.passes import IRProperty, apply_pass
from tests.passes import programs
from tests.passes.derived_dependencies import is_manual, orchestration, tasks

PASS = AutoDeriveTaskDependencies(analyze_auto_scopes=True)


def test_a_reader_waits_for_the_writer_and_is_not_looked_up():
    assert tasks("made = self.fill(a)\nb = self.read(made, b)") == ["fill out", "read - out <- made"]


def test_a_writer_waits_for_a_reader():
    assert tasks("seen = self.read(a, b)\nmade = self.fill(a)") == ["read in out", "fill out <- seen"]


def test_a_second_writer_waits_for_the_first():
    assert tasks("one = self.fill(a)\ntwo = self.grow(one)") == ["fill out", "grow out <- one"]


def test_readers_do_not_wait_for_each_other():
    assert tasks("one = self.read(a, b)\ntwo = self.read(a, c)") == ["read in out", "read in out"]


def test_who_overwrites_all_stands_for_those_before_it():
    text = "one = self.fill(a)\ntwo = self.grow(one)\nthree = self.grow(two)"
    assert tasks(text) == ["fill out", "grow out <- one", "grow out <- two"]


def test_the_id_of_a_submitted_task_names_it():
    text = "made, t = pl.submit(self.fill, a)\nb, _ = pl.submit(self.read, made, b)"
    assert tasks(text) == ["fill out", "read - out <- t"]


def test_a_tuple_names_the_task_that_made_it():
    text = "one, two = self.pair(a, b)\nc = self.read(two, c)"
    (made, reading) = tasks(text)
    assert made == "pair out out"
    assert reading.startswith("read - out <- _")


def test_a_task_whose_result_nobody_takes_is_named_by_what_it_writes():
    assert tasks("self.fill(a)\nb = self.read(a, b)") == ["fill out", "read - out <- a"]


def test_a_dependency_that_the_program_writes_is_not_written_again():
    text = "made, t = pl.submit(self.fill, a)\nb, _ = pl.submit(self.read, made, b, deps=[t])"
    assert tasks(text) == ["fill out", "read - out"]


def test_a_barrier_stands_for_the_tasks_behind_it():
    text = """
        made, t = pl.submit(self.fill, a)
        barrier = pl.system.task_dummy(deps=[t])
        b, _ = pl.submit(self.read, made, b, deps=[barrier])
    """
    assert tasks(text) == ["fill out", "read - out"]


def test_a_window_is_a_part_of_its_buffer():
    text = """
        left = wide[0:16]
        middle = wide[8:24]
        right = wide[16:32]
        one = self.fill(left)
        two = self.read(right, a)
        three = self.read(middle, b)
    """
    assert tasks(text) == ["fill out", "read in out", "read - out <- one"]


def test_a_window_that_the_run_places_is_still_looked_up():
    text = """
        left = wide[0:16]
        part = pl.slice(wide, [16], [n])
        one = self.fill(left)
        a = self.read(part, a)
    """
    assert tasks(text) == ["fill out", "read in out <- one"]


def test_what_branches_yield_names_the_task_of_the_branch_that_ran():
    text = """
        if yes:
            one = self.fill(a)
            made = pl.yield_(one)
        else:
            two = self.fill(b)
            made = pl.yield_(two)
        c = self.read(made, c)
    """
    assert tasks(text) == ["fill out", "fill out", "read - out <- made"]


def test_a_task_of_a_branch_that_is_not_yielded_leaves_the_order_to_the_runtime():
    text = "if yes:\n    one = self.fill(a)\nb = self.read(a, b)"
    assert tasks(text) == ["fill out", "read in out"]
    assert not is_manual(text)


def test_what_can_be_too_many_buffers_is_not_known():
    lines = ["d = pl.create_tensor([16], dtype=pl.FP32)", "e = pl.create_tensor([16], dtype=pl.FP32)"]
    for name, one, other in (("x", "a", "b"), ("y", "c", "d"), ("z", "x", "y"), ("v", "z", "e")):
        lines += ["if yes:", f"    {name} = pl.yield_({one})", "else:", f"    {name} = pl.yield_({other})"]
    assert tasks("\n".join([*lines, "made = self.fill(a)", "c = self.read(v, c)"])) == ["fill out", "read in out"]


def test_a_scope_that_the_program_places_gives_up_as_a_whole():
    text = """
        with pl.scope():
            one = self.fill(a)
            b = self.read(one, b)
            if yes:
                two = self.fill(c)
            last = self.read(c, one)
    """
    assert tasks(text, auto=False) == ["fill out", "read in out", "fill out", "read in inout"]


def test_tasks_of_another_scope_are_waited_for():
    text = "with pl.scope():\n    one = self.fill(a)\nwith pl.scope():\n    b = self.read(one, b)"
    assert tasks(text, auto=False) == ["fill out", "read - out <- one"]


def test_nobody_waits_for_the_tasks_of_a_manual_scope_unless_the_program_says_so():
    text = "with pl.manual_scope():\n    one = self.fill(a)\nb = self.read(one, b)"
    assert tasks(text) == ["fill out", "read in out"]
    assert not is_manual(text)


def test_a_function_that_names_all_needs_no_tracking():
    assert is_manual("made = self.fill(a)\nb = self.read(made, b)")


@pytest.mark.parametrize(
    "text",
    [
        "made = self.fill(a)",
        "made = self.fill(a)\nb = self.read(made, b)\nx = pl.tensor.read(a, [0])",
        "made = self.fill(a)\nb = self.read(made, b)\nself.read(a, c)\nlast = self.fill(made)",
    ],
    ids=["nothing to name", "a read by the orchestration", "a reader without a name"],
)
def test_a_function_that_leaves_something_open_is_tracked(text: str):
    assert not is_manual(text)


def test_nothing_changes_unless_it_is_asked_for():
    made = orchestration("made = self.fill(a)\nb = self.read(made, b)")
    programs.assert_unchanged(AutoDeriveTaskDependencies(), made)


@pytest.mark.parametrize("text", ["made = self.fill(a)", "one = self.read(a, b)\ntwo = self.read(a, c)"])
def test_tasks_without_an_order_stay_as_they_are(text: str):
    programs.assert_unchanged(PASS, orchestration(text))


def test_a_program_that_has_been_through_it_stays_as_it_is():
    made = apply_pass(PASS, orchestration("made = self.fill(a)\nb = self.read(made, b)"))
    programs.assert_unchanged(PASS, made)


def test_it_keeps_the_directions_of_calls():
    assert PASS.requires == {IRProperty.SplitIncoreOrch, IRProperty.CallDirectionsResolved}
    assert PASS.produces == {IRProperty.CallDirectionsResolved}
