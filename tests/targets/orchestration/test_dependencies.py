# SPDX-License-Identifier: Apache-2.0
"""Scopes, ids of tasks, arrays of them, and what a task waits for."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from tests.targets.orchestration.generating import T, body, source, text


def stripped(found: str) -> str:
    """A text without its indentation."""
    return "\n".join(line.strip() for line in found.splitlines())


def test_a_manual_scope_leaves_dependencies_to_the_program():
    found = body("""
        a = pl.create_tensor([16, 16], dtype=pl.FP32)
        with pl.manual_scope():
            a, first = pl.submit(self.copy, x, a)
            out, _ = pl.submit(self.copy, a, out, deps=[first])
        return out
    """)
    assert "PTO2_SCOPE(PTO2ScopeMode::MANUAL) {" in found
    assert text("""
        PTO2TaskId params_t1_deps[1];
        uint32_t params_t1_deps_count = 0;
        params_t1_deps[params_t1_deps_count++] = first;
        params_t1.set_dependencies(params_t1_deps, params_t1_deps_count);
    """) in stripped(found)


def test_the_id_of_a_task_is_kept_only_if_somebody_waits_for_it():
    found = body("out, _ = pl.submit(self.copy, x, out)\nreturn out")
    assert "rt_submit_aiv_task(0, params_t0);" in found
    assert "task_id()" not in found


def test_an_id_that_may_name_no_task_is_left_out_at_run_time():
    found = body("""
        ids = pl.array.create(2, pl.TASK_ID)
        out, first = pl.submit(self.copy, x, out)
        ids[0] = first
        before = ids[0]
        out, _ = pl.submit(self.grow, x, out, deps=[before])
        return out
    """)
    assert "PTO2TaskId before = ids[0];" in found
    assert "if (before.is_valid()) params_t1_deps[params_t1_deps_count++] = before;" in found


def test_an_array_of_ids_begins_without_tasks():
    found = body("ids = pl.array.create(2, pl.TASK_ID)\nout = self.copy(x, out)\nreturn out")
    assert "PTO2TaskId ids[2];" in found
    assert "for (int64_t __init_i = 0; __init_i < 2; ++__init_i) ids[__init_i] = PTO2TaskId::invalid();" in found


def test_a_task_may_wait_for_a_whole_array():
    found = body("""
        ids = pl.array.create(4, pl.TASK_ID)
        for i in pl.parallel(4):
            out, one = pl.submit(self.copy, x, out)
            ids[i] = one
        out, _ = pl.submit(self.grow, x, out, deps=[ids])
        return out
    """)
    assert "ids[i] = one;" in found
    assert "PTO2TaskId params_t1_deps[4];" in found
    assert "if (ids[dep_i].is_valid()) params_t1_deps[params_t1_deps_count++] = ids[dep_i];" in found


def test_an_array_is_written_in_place_through_loops():
    """CIC-15, CIC-32"""
    found = body("""
        ids = pl.array.create(4, pl.TASK_ID)
        for phase in pl.range(3):
            for i in pl.parallel(4):
                out, one = pl.submit(self.copy, x, out)
                ids[i] = one
        return out
    """)
    assert found.count("PTO2TaskId ids[4];") == 1
    assert "__yield_i" not in found


FENCE = """
    with pl.manual_scope():
        before = pl.system.task_invalid()
        for phase in pl.range(3):
            for i in pl.parallel({bounds}):
                out, before = pl.submit(self.copy, x, out, deps=[before])
    return out
"""


def test_a_parallel_loop_keeps_the_id_of_every_iteration():
    """CIC-24, CIC-25"""
    found = stripped(body(FENCE.format(bounds="4")))
    assert "PTO2TaskId before__rv_v4[4];" in found
    assert "before__rv_v4[i] = before_1;" in found


def test_outside_of_a_manual_scope_a_carried_id_is_one_variable():
    """CIC-32"""
    found = stripped(
        body("""
        before = pl.system.task_invalid()
        for i in pl.parallel(4):
            out, before = pl.submit(self.copy, x, out, deps=[before])
        return out
    """)
    )
    assert "PTO2TaskId before__rv_v3 = before;" in found
    assert "before__rv_v3 = before_1;" in found


def test_a_loop_around_a_fence_takes_the_whole_array_over():
    """CIC-27"""
    found = stripped(body(FENCE.format(bounds="4")))
    assert found.count("[4];\n") == 3  # the outer array, the inner array, the list of one task's dependencies
    assert "++__yield_i) before__rv_v5[__yield_i] = before__rv_v4[__yield_i];" in found


def test_iterations_of_a_fence_wait_for_what_entered_the_loop_and_not_for_each_other():
    found = stripped(body(FENCE.format(bounds="4")))
    assert "if (before__rv_v5[dep_i].is_valid()) params_t0_deps" in found


def test_the_slot_of_an_iteration_counts_from_zero_whatever_the_bounds():
    """CIC-26"""
    assert "[(i - 4) / -1] = " in body(FENCE.format(bounds="4, 0, -1"))


def test_a_task_cannot_wait_for_one_of_a_scope_that_has_ended():
    main = """
        with pl.scope():
            out, first = pl.submit(self.copy, x, out)
        out, _ = pl.submit(self.grow, x, out, deps=[first])
        return out
    """
    with pytest.raises(UserError, match=r"task id 'first\w*' cannot be honored"):
        source(main, auto_scope=False)


def test_a_tensor_that_outlives_the_scope_that_makes_it_is_allocated_before_it():
    found = body("""
        with pl.manual_scope():
            a = pl.create_tensor([16, 16], dtype=pl.FP32)
            a, _ = pl.submit(self.copy, x, a)
        out = self.copy(a, out)
        return out
    """)
    assert found.index("const ChipTensor& a = ") < found.index("PTO2ScopeMode::MANUAL")
    assert "add_input(a);" in found


def test_a_number_that_outlives_the_scope_that_computes_it_is_declared_before_it():
    found = body(
        """
        with pl.scope():
            by = pl.tensor.read(x, [0, 0])
        out = self.scale(x, by, out)
        return out
    """,
        auto_scope=False,
    )
    assert found.index("float by = 0.0f;") < found.index("by = get_tensor_data<float>(")


def test_a_task_that_only_waits_is_submitted_if_it_waits_for_anything():
    found = stripped(
        body("""
        with pl.manual_scope():
            out, first = pl.submit(self.copy, x, out)
            gate = pl.system.task_dummy(deps=[first])
            out, _ = pl.submit(self.grow, x, out, deps=[gate])
        return out
    """)
    )
    assert "PTO2TaskId gate = PTO2TaskId::invalid();\nif (params_phase_fence_barrier_0_deps_count > 0) {" in found
    assert "if (gate.is_valid()) params_t1_deps[params_t1_deps_count++] = gate;" in found


def test_a_task_that_waits_for_nothing_by_design_is_submitted_all_the_same():
    found = body("""
        with pl.manual_scope():
            gate = pl.system.task_dummy(deps=[])
            out, _ = pl.submit(self.copy, x, out, deps=[gate])
        return out
    """)
    assert "TaskOutputTensors phase_fence_barrier_0_outs = rt_submit_dummy_task(params_phase_fence_barrier_0);" in found


def test_a_task_may_depend_on_an_element_read_when_it_is_due():
    found = stripped(
        body(
            """
        with pl.manual_scope():
            out, _ = pl.submit(self.copy, x, out, predicate=(flags[1, 2] > 3))
        return out
    """,
            params=f"x: {T}, flags: pl.Tensor[[4, 4], pl.INT32], out: pl.Out[{T}]",
        )
    )
    assert (
        text("""
        CoreTaskPredicate predicate_t0;
        predicate_t0.operand.tensor = &ext_flags;
        predicate_t0.operand.ndims = 2;
        predicate_t0.operand.indices[0] = 1;
        predicate_t0.operand.indices[1] = 2;
        predicate_t0.op = PredicateOp::GT;
        predicate_t0.target = 3;
        params_t0.set_predicate(predicate_t0);
    """)
        in found
    )


def test_arrays_cannot_change_places():
    main = """
        a = pl.array.create(2, pl.TASK_ID)
        b = pl.array.create(2, pl.TASK_ID)
        for i, (c, d) in pl.range(3, init_values=(a, b)):
            out = self.copy(x, out)
            e, f = pl.yield_(d, c)
        return out
    """
    with pytest.raises(UserError, match="arrays that a loop carries cannot change places"):
        source(main)
