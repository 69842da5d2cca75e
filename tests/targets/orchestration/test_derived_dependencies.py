# SPDX-License-Identifier: Apache-2.0
"""Dependencies that a pass has derived, as the launches of the generated sources see them."""

from __future__ import annotations

import re

from tests.targets.orchestration.generating import T, body, derived, text
from tests.targets.orchestration.running import launches

PARAMS = f"x: {T}, out: pl.Out[{T}], third: pl.Out[{T}], n: pl.Scalar[pl.INDEX]"


def tasks(main: str, **options: object) -> list[str]:
    """The launches; kernels are copy 0, grow 1, pair 2 as far as they are used."""
    return launches(derived(main, **{"params": PARAMS, **options}))


def test_a_task_keeps_its_id_for_those_that_wait_for_its_result():
    found = body(derived("y = self.copy(x, out)\nz = self.copy(y, third)\nreturn z", params=PARAMS))
    assert text("""
            PTO2TaskId y_tid = PTO2TaskId::invalid();
            y_tid = task_0_outs.task_id();
    """).replace("    ", "") in found.replace("    ", "")
    assert "if (y_tid.is_valid()) params_t1_deps[params_t1_deps_count++] = y_tid;" in found


def test_the_first_result_of_two_names_the_task_as_well():
    main = "a, b = self.pair(x, out, third)\nc = self.grow(x, a)\nd = self.grow(c, b)\nreturn d"
    assert tasks(main) == ["1: 0 1 2", "0: 0 1 <- 0", "0: 1 2 <- 0 1"]


def test_a_task_without_a_result_is_waited_for_too():
    main = "self.copy(x, out)\ny = self.copy(out, third)\nreturn y"
    assert tasks(main) == ["0: 0 1", "0: 1 2 <- 0"]


def test_a_task_of_another_scope_is_waited_for():
    main = "with pl.scope():\n    y = self.copy(x, out)\nwith pl.scope():\n    z = self.copy(y, third)\nreturn z"
    assert tasks(main, auto_scope=False) == ["0: 0 1", "0: 1 2 <- 0"]


def test_the_ids_of_all_iterations_are_gathered_in_as_many_slots():
    """CIC-39"""
    main = """
        for i, (old,) in pl.parallel(4, 1, -1, init_values=(out,)):
            new = self.copy(x, old)
            made = pl.yield_(new)
        z = self.copy(made, third)
        return z
    """
    assert re.search(r"PTO2TaskId made\w*_tids\[3\];", body(derived(main, params=PARAMS)))
    assert tasks(main) == ["0: 0 1", "0: 0 1", "0: 0 1", "0: 1 2 <- 0 1 2"]


def test_a_vector_holds_the_ids_of_a_loop_whose_length_only_the_run_knows():
    """CIC-39"""
    main = """
        for i, (old,) in pl.parallel(n, init_values=(out,)):
            new = self.copy(x, old)
            made = pl.yield_(new)
        z = self.copy(made, third)
        return z
    """
    found = body(derived(main, params=PARAMS))
    assert "const int64_t dynamic_tids_0_capacity = (n > 0 ? n : 0) * 1;" in found
    assert tasks(main) == ["0: 0 1", "0: 0 1", "0: 0 1", "barrier <- 0 1 2", "0: 1 2 <- 3"]


def test_results_of_one_task_are_gathered_once():
    main = """
        for i, (a, b) in pl.parallel(n, init_values=(out, third)):
            c, d = self.pair(x, a, b)
            e, f = pl.yield_(c, d)
        z = self.grow(e, f)
        return z
    """
    assert tasks(main)[-2:] == ["barrier <- 0 1 2", "0: 1 2 <- 3"]


def test_the_length_of_a_loop_that_counts_down_is_computed():
    main = """
        for i, (old,) in pl.parallel(n, 0, -1, init_values=(out,)):
            new = self.copy(x, old)
            made = pl.yield_(new)
        z = self.copy(made, third)
        return z
    """
    assert tasks(main)[-2:] == ["barrier <- 0 1 2", "0: 1 2 <- 3"]


def test_an_iteration_waits_for_the_one_before():
    main = """
        for i, (old,) in pl.range(3, init_values=(out,)):
            new = self.grow(x, old)
            made = pl.yield_(new)
        z = self.copy(made, third)
        return z
    """
    assert tasks(main) == ["1: 0 1", "1: 0 1 <- 0", "1: 0 1 <- 1", "0: 1 2 <- 0 1 2"]


def test_the_ids_of_loops_in_loops_have_slots_of_their_own():
    main = """
        for i, (outer,) in pl.parallel(2, init_values=(out,)):
            for j, (old,) in pl.parallel(2, init_values=(outer,)):
                new = self.copy(x, old)
                inner = pl.yield_(new)
            made = pl.yield_(inner)
        z = self.copy(made, third)
        return z
    """
    assert tasks(main)[-1] == "0: 1 2 <- 0 1 2 3"


def test_many_tasks_wait_for_many_through_one_barrier():
    main = """
        for i, (old,) in pl.parallel(4, init_values=(out,)):
            new = self.copy(x, old)
            made = pl.yield_(new)
        for j in pl.parallel(3):
            z = self.copy(made, third)
        return made
    """
    assert tasks(main)[4:] == ["barrier <- 0 1 2 3", *["0: 1 2 <- 4"] * 3]


def test_only_the_task_of_the_branch_that_ran_is_waited_for():
    main = """
        if n == 3:
            a = self.copy(x, out)
            made = pl.yield_(a)
        else:
            b = self.copy(out, third)
            made = pl.yield_(b)
        last = self.grow(x, made)
        return last
    """
    assert tasks(main) == ["0: 0 1", "1: 0 1 <- 0"]
