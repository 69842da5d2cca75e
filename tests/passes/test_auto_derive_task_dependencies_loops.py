# SPDX-License-Identifier: Apache-2.0
"""AutoDeriveTaskDependencies: tasks of loops, of the iterations before, and behind loops."""

from __future__ import annotations

import pytest

from tests.passes.derived_dependencies import is_manual, tasks


def loop(head: str, body: str = "new = self.fill(old)", *, after: str = "b = self.read(made, b)") -> str:
    """A loop that carries a buffer, and a task behind it."""
    return f"for i, (old,) in {head}:\n    {body}\n    made = pl.yield_(new)\n{after}"


@pytest.mark.parametrize("head", ["pl.parallel(4, init_values=(a,))", "pl.parallel(n, init_values=(a,))"])
def test_the_result_of_a_parallel_loop_stands_for_the_tasks_of_all_iterations(head: str):
    assert tasks(loop(head)) == ["fill out", "read - out <- made"]
    assert is_manual(loop(head))


def test_the_result_of_a_sequential_loop_of_known_length_does_too():
    text = loop("pl.range(4, init_values=(a,))")
    assert tasks(text) == ["fill inout <- old@before", "read - out <- made"]


def test_how_many_tasks_a_sequential_loop_has_must_be_known():
    text = loop("pl.range(n, init_values=(a,))")
    assert tasks(text) == ["fill inout", "read in out"]
    assert not is_manual(text)


def test_a_loop_without_iterations_makes_nothing():
    assert tasks(loop("pl.range(4, 4, init_values=(a,))")) == ["fill inout", "read in out"]


def test_the_id_that_a_loop_carries_names_its_tasks_rather_than_a_buffer():
    text = """
        none = pl.system.task_invalid()
        for i, (old, before) in pl.range(4, init_values=(a, none)):
            new, t = pl.submit(self.fill, old)
            made, last = pl.yield_(new, t)
        b = self.read(made, b)
    """
    assert tasks(text) == ["fill inout <- before@before", "read - out <- last"]


def test_loops_in_loops_hand_their_tasks_on():
    text = """
        for i, (outer,) in pl.parallel(2, init_values=(a,)):
            for j, (old,) in pl.parallel(3, init_values=(outer,)):
                new = self.fill(old)
                inner = pl.yield_(new)
            made = pl.yield_(inner)
        b = self.read(made, b)
    """
    assert tasks(text) == ["fill out", "read - out <- made"]


def test_a_number_of_tasks_that_is_not_known_does_not_leave_a_second_loop():
    text = """
        for i, (outer,) in pl.parallel(2, init_values=(a,)):
            for j, (old,) in pl.parallel(n, init_values=(outer,)):
                new = self.fill(old)
                inner = pl.yield_(new)
            made = pl.yield_(inner)
        b = self.read(made, b)
    """
    assert tasks(text) == ["fill out", "read in out"]


def test_a_task_that_no_carry_yields_has_no_name_behind_the_loop():
    text = "for i in pl.parallel(4):\n    one = self.fill(a)\nb = self.read(a, b)"
    assert tasks(text) == ["fill out", "read in out"]


def test_a_task_of_a_loop_waits_for_one_before_it_in_every_iteration():
    text = "made = self.fill(a)\nfor i in pl.parallel(4):\n    b = self.read(made, c)"
    assert tasks(text) == ["fill out", "read - out <- made"]


def test_what_follows_the_iteration_before_is_followed_by_its_readers():
    text = """
        for i, (old,) in pl.range(n, init_values=(a,)):
            new = self.grow(old)
            seen = self.read(new, b)
            last = pl.yield_(new)
    """
    assert tasks(text) == ["grow inout", "read - inout <- new"]
    assert not is_manual(text)


def test_orders_between_iterations_that_carries_name_need_no_tracking():
    text = """
        for i, (old, target) in pl.range(n, init_values=(a, b)):
            new = self.grow(old)
            seen = self.read(new, target)
            last, end = pl.yield_(new, seen)
    """
    assert tasks(text) == ["grow inout <- old@before, target@before", "read - inout <- new"]
    assert is_manual(text)


def test_a_reader_that_nothing_puts_behind_the_iteration_before_is_looked_up():
    text = """
        for i, (old,) in pl.range(4, init_values=(a,)):
            seen = self.read(old, b)
            new = self.fill(old)
            last = pl.yield_(new)
    """
    assert tasks(text)[0].startswith("read in inout")


def test_iterations_of_a_while_loop_are_not_counted():
    text = """
        k = n
        for (old,) in pl.while_(init_values=(a,)):
            pl.cond(k > 0)
            new = self.fill(old)
            made = pl.yield_(new)
        b = self.read(made, b)
    """
    assert tasks(text) == ["fill inout", "read in out"]


def test_a_loop_that_fills_an_array_with_ids_is_waited_for_with_the_array():
    text = """
        ids = pl.array.create(4, pl.TASK_ID)
        for i in pl.parallel(4):
            made, t = pl.submit(self.fill, a)
            ids[i] = t
        b, _ = pl.submit(self.read, a, b, deps=[{}])
    """
    assert tasks(text.format("ids")) == ["fill out", "read - out"]
    assert tasks(text.format("ids[0], ids[1], ids[2], ids[3]")) == ["fill out", "read - out"]
    assert tasks(text.format("ids[0], ids[1]")) == ["fill out", "read in out"]


def test_a_slot_that_is_read_before_the_loop_names_nobody():
    text = """
        ids = pl.array.create(1, pl.TASK_ID)
        early = ids[0]
        for i in pl.parallel(1):
            made, t = pl.submit(self.fill, a)
            ids[i] = t
        b, _ = pl.submit(self.read, a, b, deps=[early])
    """
    assert tasks(text) == ["fill out", "read in out"]


def test_an_array_that_two_tasks_write_names_neither():
    text = """
        ids = pl.array.create(1, pl.TASK_ID)
        one, s = pl.submit(self.fill, a)
        ids[0] = s
        two, t = pl.submit(self.fill, b)
        ids[0] = t
        c, _ = pl.submit(self.read, one, c, deps=[ids])
    """
    assert tasks(text) == ["fill out", "fill out", "read - out <- s"]


def test_an_array_names_the_tasks_that_are_in_slots_of_their_own():
    text = """
        ids = pl.array.create(2, pl.TASK_ID)
        one, s = pl.submit(self.fill, a)
        ids[0] = s
        two, t = pl.submit(self.fill, b)
        ids[1] = t
        c, _ = pl.submit(self.read, one, c, deps=[ids])
    """
    assert tasks(text) == ["fill out", "fill out", "read - out"]


def test_iterations_of_a_loop_inside_do_not_put_those_of_the_loop_outside_in_order():
    text = """
        for i, (outer,) in pl.range(2, init_values=(a,)):
            for j, (old,) in pl.range(3, init_values=(outer,)):
                new = self.grow(old)
                inner = pl.yield_(new)
            made = pl.yield_(inner)
        b = self.read(made, b)
    """
    assert tasks(text) == ["grow inout", "read - out <- made"]
    assert not is_manual(text)
