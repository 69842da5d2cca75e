# SPDX-License-Identifier: Apache-2.0
"""ClassifyIterArgCarry: carried ids of tasks, and how many of them a parallel loop leaves behind."""

import pytest

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.errors import InternalError, UserError
from pypto_build.ir import ForStmt
from tests.passes.carries import classified, loops, orchestration, plans
from tests.unit.ir.build import loop, number, scalar

INNER = """
    {kind}, init_values=(first,)):
        total, made = pl.submit(self.grow, x, a, deps=[task])
        last = pl.yield_(made)
"""


def carrying(kind: str, scope: str = "pl.manual_scope()") -> str:
    """A loop that carries the id of a task."""
    first = "first: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()"
    return f"with {scope}:\n    {first}\n    for i, (task,) in {INNER.format(kind=kind).strip()}"


def test_the_id_of_a_task_is_a_rebind():
    """CIC-8: even where the id that came in is handed on, since the next iteration may hand on another."""
    text = """
        first: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
        for i, (task,) in pl.range(4, init_values=(first,)):
            last = pl.yield_(task)
    """
    assert plans(text) == ["rebind"]


def test_in_a_manual_scope_a_parallel_loop_says_how_many_ids_it_leaves():
    """CIC-24, CIC-25."""
    assert plans(carrying("pl.parallel(6")) == ["rebind[6]"]


def test_a_step_counts_for_the_number_of_ids():
    """CIC-25: 2, 5, 8 and 11."""
    assert plans(carrying("pl.parallel(2, 12, 3")) == ["rebind[4]"]


def test_a_loop_that_never_runs_has_no_size():
    """CIC-24: only a number greater than zero is written."""
    assert plans(carrying("pl.parallel(4, 4")) == ["rebind"]


def test_a_loop_that_counts_down_is_counted():
    """CIC-26."""
    assert plans(carrying("pl.parallel(4, 0, -1")) == ["rebind[4]"]


NESTED = """
    with pl.manual_scope():
        first: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
        for i, (outer,) in pl.range(2, init_values=(first,)):
            for j, (middle,) in pl.range(3, init_values=(outer,)):
                for k, (task,) in pl.parallel(5, init_values=(middle,)):
                    total, made = pl.submit(self.grow, x, a, deps=[task])
                    inner = pl.yield_(made)
                between = pl.yield_(inner)
            last = pl.yield_(between)
"""


def test_sequential_loops_around_a_parallel_one_take_over_its_number():
    """CIC-27: over two levels."""
    assert plans(NESTED) == ["rebind[5]", "rebind[5]", "rebind[5]"]


def test_a_number_is_taken_over_for_the_slot_that_is_handed_through():
    """CIC-27: the tensor beside the id has none."""
    text = """
        with pl.manual_scope():
            first: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
            for i, (outer, p) in pl.range(2, init_values=(first, a)):
                for j, (q, task) in pl.parallel(5, init_values=(p, outer)):
                    q1, made = pl.submit(self.grow, x, q, deps=[task])
                    q2, inner = pl.yield_(q1, made)
                last, p2 = pl.yield_(inner, q2)
    """
    assert plans(text) == ["rebind[5] trivial", "trivial rebind[5]"]


def test_a_sequential_loop_that_launches_itself_has_no_size():
    """CIC-28."""
    assert plans(carrying("pl.range(4")) == ["rebind"]


def test_a_pipelined_loop_around_a_parallel_one_has_no_size():
    """CIC-28: only sequential loops take over a number."""
    assert plans(NESTED.replace("pl.range(2", "pl.pipeline(2, stage=1")) == ["rebind", "rebind[5]", "rebind[5]"]


def test_outside_of_a_manual_scope_there_is_no_size():
    """CIC-29, CIC-32: the slot is a scalar then."""
    assert plans(carrying("pl.parallel(6", scope="pl.scope()")) == ["rebind"]


def test_tensors_have_no_size_in_a_manual_scope_either():
    """CIC-32."""
    text = """
        with pl.manual_scope():
            for i, (p, q) in pl.parallel(4, init_values=(a, b)):
                p1 = self.grow(x, p)
                p2, q2 = pl.yield_(p1, x)
    """
    assert plans(text) == ["trivial rebind"]


def test_a_manual_scope_counts_at_any_distance():
    """CIC-30: through a branch and a loop in between."""
    text = """
        with pl.manual_scope():
            for o in pl.range(2):
                if o == n:
                    first: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
                    for i, (task,) in pl.parallel(3, init_values=(first,)):
                        total, made = pl.submit(self.grow, x, a, deps=[task])
                        last = pl.yield_(made)
    """
    assert plans(text) == ["", "rebind[3]"]


def test_behind_a_manual_scope_there_is_no_size():
    """CIC-30: the scope has ended."""
    text = "with pl.manual_scope():\n    c = self.grow(x, b)\n" + carrying("pl.parallel(6", scope="pl.scope()")
    assert plans(text) == ["rebind"]


MESSAGE = (
    "manual_scope: pl.parallel loops carrying a manual_scope dep (via ``deps=[...]``) "
    "must have a statically-known trip count"
)


def test_a_number_that_is_known_only_at_run_time_is_refused_where_the_loop_stands():
    """CIC-31."""
    text = carrying("pl.parallel(n")
    with pytest.raises(UserError) as caught:
        classified(text)
    assert (caught.value.code, caught.value.message) == ("CARRY001", MESSAGE)
    assert caught.value.help == "give the loop constant bounds, or make it a pl.range"
    assert caught.value.span == loops(orchestration(text))[0].span


def test_outside_of_a_manual_scope_the_number_need_not_be_known():
    """CIC-31: the array exists only in manual scopes."""
    assert plans(carrying("pl.parallel(n", scope="pl.scope()")) == ["rebind"]


def test_a_parallel_loop_that_carries_no_id_need_not_be_counted():
    """CIC-31."""
    text = "with pl.manual_scope():\n    for i, (p,) in pl.parallel(n, init_values=(a,)):\n"
    text += "        p1 = self.grow(x, p)\n        p2 = pl.yield_(p1)"
    assert plans(text) == ["trivial"]


def test_a_number_too_large_for_the_emitted_code_is_our_error():
    """CIC-41: no wrapping around."""
    assert plans(carrying(f"pl.parallel({2**31 - 1}")) == [f"rebind[{2**31 - 1}]"]
    with pytest.raises(InternalError, match="a fence array of 2147483648 task ids cannot be declared"):
        classified(carrying(f"pl.parallel({2**31}"))


@pytest.mark.parametrize(
    ("start", "stop", "step", "trips"),
    [(0, 8, 1, 8), (0, 8, 3, 3), (8, 0, -1, 8), (8, 0, -3, 3), (5, 5, 1, 0), (5, 2, 1, 0), (2, 5, -1, 0)],
)
def test_trips_are_counted_upwards_and_downwards(start: int, stop: int, step: int, trips: int):
    """CIC-26."""
    one: ForStmt = loop(scalar("i"), number(stop), start=number(start), step=number(step))
    assert constant_trip_count(one) == trips


def test_the_size_belongs_to_the_slot_of_the_id():
    """CIC-24, CIC-33: other slots of the loop are read as having none."""
    text = """
        with pl.manual_scope():
            first: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
            for i, (p, task) in pl.parallel(4, init_values=(a, first)):
                p1, made = pl.submit(self.grow, x, p, deps=[task])
                p2, last = pl.yield_(p1, made)
    """
    (one,) = loops(classified(text))
    sizes = {"iter_arg_rebind_0": False, "iter_arg_rebind_1": True, "iter_arg_array_size_1": 4}
    assert dict(one.attrs) == sizes
