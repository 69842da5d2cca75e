# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA on loops: what an iteration changes is carried into the next one and comes out as a result."""

import pytest

from pypto_build import ir
from tests.passes.ssa_programs import assert_converted, converted
from tests.unit.ir.build import FP32, INT64, assign, function, give, loop, number, op, program, scalar, tensor


def test_what_the_body_changes_is_carried():
    """SSA-35 and SSA-40: in with the version from before, out as what is read after the loop."""
    before = """
        v = a
        for i in pl.range(10):
            v = v + i
        return v
    """
    expected = """
        v0 = a
        for i, (v1,) in pl.range(10, init_values=(v0,)):
            v2 = v1 + i
            v3 = pl.yield_(v2)
        return v3
    """
    assert_converted(before, expected)


def test_a_parameter_that_the_body_changes_is_carried():
    """SSA-35."""
    before = """
        for i in pl.range(10):
            x = pl.tensor.adds(x, 1.0)
        return x
    """
    expected = """
        for i, (x1,) in pl.range(10, init_values=(x,)):
            x2 = pl.tensor.adds(x1, 1.0)
            x3 = pl.yield_(x2)
        return x3
    """
    assert_converted(before, expected)


def test_what_the_body_only_reads_is_not_carried():
    """SSA-36."""
    before = """
        v = a
        for i in pl.range(10):
            own = v + i
        return v
    """
    expected = """
        v0 = a
        for i in pl.range(10):
            own = v0 + i
        return v0
    """
    assert_converted(before, expected)


def test_bounds_and_step_read_the_versions_from_before():
    """SSA-37."""
    before = """
        v = a
        for i in pl.range(v, v + b, v * 2):
            v = v + 1
        return v
    """
    expected = """
        v0 = a
        for i, (v1,) in pl.range(v0, v0 + b, v0 * 2, init_values=(v0,)):
            v2 = v1 + 1
            v3 = pl.yield_(v2)
        return v3
    """
    assert_converted(before, expected)


def test_each_loop_has_a_version_of_its_variable():
    """SSA-38."""
    before = """
        v = a
        for i in pl.range(2):
            v = v + i
        for i in pl.range(3):
            v = v * i
    """
    loops = ir.collect(converted(before), ir.ForStmt)
    assert len({one.loop_var for one in loops}) == 2
    assert [one.loop_var.name_hint.split("_v")[0] for one in loops] == ["i__idx", "i__idx"]


def test_a_loop_variable_that_is_assigned_is_not_carried():
    """SSA-38."""
    i, v = scalar("i", INT64), scalar("v", INT64)
    again = assign(i, ir.Add(i, number(1, INT64), INT64))
    made = converted(program(function("f", (v,), loop(i, number(4), again, assign(v, i)), give(v)))).body.stmts[0]
    assert [arg.name_hint for arg in made.iter_args] == ["v__iter_v1"]
    assert made.body.stmts[1].value is made.body.stmts[0].var


def test_a_loop_variable_that_existed_before_is_not_carried():
    """SSA-38: after the loop it is what it was before."""
    i, v = scalar("i", INT64), scalar("v", INT64)
    over = loop(i, number(4), assign(i, ir.Add(i, number(1, INT64), INT64)), assign(v, i))
    made = converted(program(function("f", (v,), assign(i, number(7, INT64)), over, give(v, i)))).body.stmts
    assert [arg.name_hint for arg in made[1].iter_args] == ["v__iter_v1"]
    assert made[2].value == (made[1].return_vars[0], made[0].var)


def test_given_carries_come_first_then_changed_variables_then_escaping_ones():
    """SSA-39."""
    arg = ir.IterArg("z", ir.scalar_type(INT64), init_value=number(0, INT64))
    z, b, a = scalar("z_out", INT64), scalar("b", INT64), scalar("a", INT64)
    d, c = tensor("d", 64), tensor("c", 64)
    shaped = [assign(var, op("any.op", type=var.type)) for var in (d, c)]
    stmts = [*shaped, assign(b, arg), assign(a, arg), ir.YieldStmt((arg,))]
    over = loop(scalar("i"), number(4), *stmts, iter_args=(arg,), return_vars=(z,))
    (made,) = ir.collect(converted(program(function("f", (b, a), over, give(z, a, b, c, d)))), ir.ForStmt)
    order = ["z", "a", "b", "c", "d"]
    assert [one.name_hint.split("__")[0] for one in made.iter_args] == order
    assert [one.name_hint.split("__")[0] for one in made.body.stmts[-1].value] == order
    assert [one.name_hint.split("__")[0] for one in made.return_vars] == ["z_out", *order[1:]]


def test_a_loop_with_given_carries_also_carries_what_it_changes():
    """SSA-39."""
    before = """
        v = a
        for i, (s,) in pl.range(10, init_values=(b,)):
            v = v + s
            r = pl.yield_(s + 1)
        return r + v
    """
    expected = """
        v0 = a
        for i, (s, v1) in pl.range(10, init_values=(b, v0)):
            v2 = v1 + s
            r, v3 = pl.yield_(s + 1, v2)
        return r + v3
    """
    assert_converted(before, expected)


def test_each_level_of_nested_loops_hands_the_value_through():
    """SSA-41."""
    before = """
        v = a
        for i in pl.range(2):
            for j in pl.range(3):
                v = v + j
        return v
    """
    expected = """
        v0 = a
        for i, (v1,) in pl.range(2, init_values=(v0,)):
            for j, (v2,) in pl.range(3, init_values=(v1,)):
                v3 = v2 + j
                v4 = pl.yield_(v3)
            v5 = pl.yield_(v4)
        return v5
    """
    assert_converted(before, expected)


def test_the_second_of_two_loops_starts_with_the_result_of_the_first():
    """SSA-42."""
    before = """
        v = a
        for i in pl.range(2):
            v = v + i
        for j in pl.range(3):
            v = v * j
        return v
    """
    expected = """
        v0 = a
        for i, (v1,) in pl.range(2, init_values=(v0,)):
            v2 = v1 + i
            v3 = pl.yield_(v2)
        for j, (v4,) in pl.range(3, init_values=(v3,)):
            v5 = v4 * j
            v6 = pl.yield_(v5)
        return v6
    """
    assert_converted(before, expected)


def test_the_condition_of_a_while_reads_the_carried_value():
    """SSA-43."""
    before = """
        v = a
        while v < b:
            v = v + 1
        return v
    """
    expected = """
        v0 = a
        for (v1,) in pl.while_(init_values=(v0,)):
            pl.cond(v1 < b)
            v2 = v1 + 1
            v3 = pl.yield_(v2)
        return v3
    """
    assert_converted(before, expected)


def test_a_branch_in_a_loop_yields_what_the_loop_carries():
    """SSA-44."""
    before = """
        v = a
        for i in pl.range(10):
            if i < b:
                v = v + i
            else:
                v = v - i
        return v
    """
    expected = """
        v0 = a
        for i, (v1,) in pl.range(10, init_values=(v0,)):
            if i < b:
                v2 = v1 + i
                v4 = pl.yield_(v2)
            else:
                v3 = v1 - i
                v4 = pl.yield_(v3)
            v5 = pl.yield_(v4)
        return v5
    """
    assert_converted(before, expected)


def test_a_loop_in_a_branch_hands_its_result_to_the_if():
    """SSA-44."""
    before = """
        v = a
        if flag:
            while v < b:
                for i in pl.range(3):
                    v = v + i
        return v
    """
    expected = """
        v0 = a
        if flag:
            for (v1,) in pl.while_(init_values=(v0,)):
                pl.cond(v1 < b)
                for i, (v2,) in pl.range(3, init_values=(v1,)):
                    v3 = v2 + i
                    v4 = pl.yield_(v3)
                v5 = pl.yield_(v4)
            v6 = pl.yield_(v5)
        else:
            v6 = pl.yield_(v0)
        return v6
    """
    assert_converted(before, expected)


@pytest.mark.parametrize("kind", ["parallel", "pipeline"])
def test_every_kind_of_loop_carries_and_stays_of_its_kind(kind):
    """SSA-35."""
    options = ", stage=2" if kind == "pipeline" else ""
    before = f"v = a\nfor i in pl.{kind}(4{options}):\n    v = v + i\nreturn v"
    expected = f"v = a\nfor i, (c,) in pl.{kind}(4{options}, init_values=(v,)):\n    r = pl.yield_(s)\nreturn r"
    assert_converted(before, expected.replace("    r", "    s = c + i\n    r"))


def test_a_carry_has_the_type_of_its_initial_value():
    """SSA-67: of neither what was declared nor what the body, which narrows it further, yields."""
    t = tensor("t", 64)
    first, last = (
        ir.TensorType(t.type.shape, FP32, None, ir.TensorView(valid_shape=ir.dims([size]))) for size in (32, 8)
    )
    over = loop(scalar("i"), number(4), assign(t, op("any.op", type=last)))
    made = converted(program(function("f", (), assign(t, op("any.op", type=first)), over))).body.stmts[1]
    assert made.iter_args[0].type == made.return_vars[0].type == first
    assert made.body.stmts[-1].value[0].type == last
