# SPDX-License-Identifier: Apache-2.0
"""AutoDeriveTaskDependencies: tasks before a branch that only one side of it comes after."""

from __future__ import annotations

from tests.passes.derived_dependencies import tasks


def branch(then: str, otherwise: str) -> str:
    """Two tasks, a branch of which one side changes what the first has made, and a reader of the branch's results."""
    return f"""
        first = self.fill(a)
        other = self.fill(b)
        if yes:
            more = self.grow(first)
            x, y = pl.yield_({then})
        else:
            x, y = pl.yield_({otherwise})
        c = self.read({{}}, c)
    """


def test_a_result_that_stands_for_the_task_on_either_side_is_enough():
    found = tasks(branch("more, other", "first, other").format("x"))
    assert found[-1] == "read - out <- x"


def test_where_the_other_side_hands_on_something_else_the_task_itself_is_waited_for_too():
    found = tasks(branch("more, other", "other, first").format("y"))
    assert "first" in found[-1].split(" <- ")[1].split(", ")


def test_the_name_that_counts_is_the_first():
    found = tasks(branch("more, more", "other, first").format("y"))
    assert "first" in found[-1].split(" <- ")[1].split(", ")
