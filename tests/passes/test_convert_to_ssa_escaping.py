# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA on variables that leave the loop in which they were first assigned."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA

from pypto_build import ir
from pypto_build.errors import UserError
from pypto_build.passes import apply_pass
from tests.passes.ssa_programs import assert_converted, converted, violations
from tests.unit.ir.build import assign, function, give, loop, number, op, program, scalar, tensor


def first_loop(before):
    return next(iter(ir.collect(converted(before), ir.ForStmt)))


def test_what_is_needed_after_the_loop_becomes_a_carry():
    """SSA-45 and SSA-46: it starts with the output parameter of its type."""
    before = """
        for i in pl.range(4):
            t = pl.tensor.adds(x, 1.0)
        return t
    """
    expected = """
        for i, (t0,) in pl.range(4, init_values=(out,)):
            t1 = pl.tensor.adds(x, 1.0)
            t2 = pl.yield_(t1)
        return t2
    """
    assert_converted(before, expected)


def test_without_an_output_of_its_type_it_starts_with_the_earliest_variable_of_that_type():
    """SSA-46."""
    before = """
        early = pl.tile.load(x, [0], [16])
        late = pl.tile.load(x, [8], [16])
        for i in pl.range(4):
            t = pl.tile.load(x, [16], [16])
        return t
    """
    expected = """
        early = pl.tile.load(x, [0], [16])
        late = pl.tile.load(x, [8], [16])
        for i, (t0,) in pl.range(4, init_values=(early,)):
            t1 = pl.tile.load(x, [16], [16])
            t2 = pl.yield_(t1)
        return t2
    """
    assert_converted(before, expected)


def test_a_scalar_starts_with_the_earliest_scalar_of_its_type():
    """SSA-46."""
    before = """
        for i in pl.range(4):
            t = b + i
        return t
    """
    expected = """
        for i, (t0,) in pl.range(4, init_values=(a,)):
            t1 = b + i
            t2 = pl.yield_(t1)
        return t2
    """
    assert_converted(before, expected)


def test_without_any_variable_of_its_type_a_tile_is_made_for_it_to_start_with():
    """SSA-46."""
    before = """
        for i in pl.range(4):
            t = pl.tile.load(x, [0], [16])
        return t
    """
    expected = """
        t0 = pl.tile.create([16], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        for i, (t1,) in pl.range(4, init_values=(t0,)):
            t2 = pl.tile.load(x, [0], [16])
            t3 = pl.yield_(t2)
        return t3
    """
    assert_converted(before, expected)


def test_what_is_made_for_an_outer_loop_stands_in_front_of_it():
    """SSA-46: the inner loop starts with what the outer one carries."""
    before = """
        for i in pl.range(4):
            for j in pl.range(4):
                t = pl.tensor.create([8], dtype=pl.INT32)
        return t
    """
    expected = """
        t0 = pl.tensor.create([8], dtype=pl.INT32)
        for i, (t1,) in pl.range(4, init_values=(t0,)):
            for j, (t2,) in pl.range(4, init_values=(t1,)):
                t3 = pl.tensor.create([8], dtype=pl.INT32)
                t4 = pl.yield_(t3)
            t5 = pl.yield_(t4)
        return t5
    """
    assert_converted(before, expected)


def test_what_cannot_be_made_in_front_of_the_loop_is_refused():
    """SSA-46."""
    with pytest.raises(UserError, match="'t' is first assigned in a loop and read after it") as caught:
        converted(loop_of_async_events())
    assert caught.value.code == "SSA002"


def test_what_cannot_be_made_in_front_of_the_loop_can_be_left_to_the_verifier():
    """SSA-46: nothing binds the placeholder that the loop starts with."""
    made = apply_pass(ConvertToSSA(refuse_unbound=False), loop_of_async_events())
    start = ir.collect(made, ir.ForStmt)[0].iter_args[0].init_value
    assert start not in ir.defined_vars([made])
    assert violations(made) == ["Variable 't' used outside its defining scope"]


def loop_of_async_events():
    """A loop that assigns an event, which is read after it."""
    t = ir.Var("t", ir.AsyncEventType())
    return program(function("f", (), loop(scalar("i"), number(4), assign(t, op("any.op", type=t.type))), give(t)))


def test_the_placeholder_of_a_scalar_is_zero():
    """SSA-46."""
    before = """
        for i in pl.range(4):
            t = pl.cast(a, pl.INT16)
        return t
    """
    start = first_loop(before).iter_args[0].init_value
    assert (type(start), start.value, start.dtype) == (ir.ConstInt, 0, ir.DataType.INT16)


def test_types_are_the_same_when_they_are_structurally_equal():
    """SSA-47: each of the two types is an object of its own, down to the numbers of its shape."""
    out, t = tensor("out", 4, 8), tensor("t", 4, 8)
    over = loop(scalar("i"), number(3), assign(t, op("any.op", type=tensor("other", 4, 8).type)))
    made = converted(program(function("f", (out,), over, give(t), directions=(ir.ParamDirection.Out,))))
    assert made.body.stmts[0].iter_args[0].init_value is made.params[0]


def test_an_output_of_another_type_is_passed_over():
    """SSA-46."""
    first, second, t = tensor("first", 4), tensor("second", 8), tensor("t", 8)
    over = loop(scalar("i"), number(3), assign(t, op("any.op", type=t.type)))
    outputs = (ir.ParamDirection.InOut, ir.ParamDirection.Out)
    made = converted(program(function("f", (first, second), over, give(t), directions=outputs)))
    assert made.body.stmts[0].iter_args[0].init_value is made.params[1]


def test_of_two_outputs_of_its_type_it_starts_with_the_first():
    """SSA-46."""
    first, second, t = tensor("first", 8), tensor("second", 8), tensor("t", 8)
    over = loop(scalar("i"), number(3), assign(t, op("any.op", type=t.type)))
    outputs = (ir.ParamDirection.Out, ir.ParamDirection.Out)
    made = converted(program(function("f", (first, second), over, give(t), directions=outputs)))
    assert made.body.stmts[0].iter_args[0].init_value is made.params[0]


def test_what_nobody_needs_later_stays_inside():
    """SSA-48."""
    before = """
        for i in pl.range(4):
            t = pl.tensor.adds(x, 1.0)
            u = pl.tensor.add(t, t)
        return a
    """
    assert_converted(before, before)


def test_a_name_that_the_next_loop_defines_anew_stays_inside_both():
    """SSA-48 and SSA-49."""
    before = """
        for i in pl.range(4):
            t = pl.tensor.adds(x, 1.0)
            u = pl.tensor.add(t, t)
        for j in pl.range(4):
            t = pl.tensor.adds(x, 2.0)
            u = pl.tensor.add(t, x)
        return a
    """
    assert [loop.iter_args for loop in ir.collect(converted(before), ir.ForStmt)] == [(), ()]


def test_an_assignment_before_the_first_use_ends_the_need():
    """SSA-49."""
    before = """
        for i in pl.range(4):
            t = pl.tensor.adds(x, 1.0)
        t = pl.tensor.adds(x, 2.0)
        return t
    """
    assert first_loop(before).iter_args == ()


def test_a_use_before_the_next_assignment_is_a_need():
    """SSA-49."""
    before = """
        for i in pl.range(4):
            t = pl.tensor.adds(x, 1.0)
        t = pl.tensor.adds(t, 2.0)
        return t
    """
    assert len(first_loop(before).iter_args) == 1


def test_an_assignment_in_one_branch_does_not_end_the_need():
    """SSA-49: the other way through the branch still reads it."""
    before = """
        for i in pl.range(4):
            t = pl.tensor.adds(x, 1.0)
        if flag:
            t = pl.tensor.adds(x, 2.0)
        return t
    """
    assert len(first_loop(before).iter_args) == 1


HEADS = ["while t < b:", "for j in pl.range(t):", "for j, (s,) in pl.range(4, init_values=(t,)):", "if t < b:"]


@pytest.mark.parametrize("head", HEADS)
def test_a_need_in_the_head_of_a_statement_is_a_need(head):
    """SSA-49, and SSA-51 for the condition of a while."""
    last = "r = pl.yield_(s)" if "init_values" in head else "a = a + 1"
    before = f"for i in pl.range(4):\n    t = b + i\n{head}\n    {last}\nreturn a"
    assert len(first_loop(before).iter_args) == 1


def test_a_need_inside_a_type_is_a_need():
    """SSA-49."""
    n, i = scalar("n"), scalar("i")
    last = tensor("last", n)
    shaped = assign(last, op("any.op", type=tensor("any", n).type))
    made = converted(program(function("f", (), loop(i, number(4), assign(n, i)), shaped, give(last))))
    assert last.type.shape[0] is n
    assert made.body.stmts[1].var.type.shape[0] is made.body.stmts[0].return_vars[0]


def test_the_store_of_an_escaping_result_goes_on_naming_the_output():
    """SSA-50: the body is not redirected to the new carry, although both are the same buffer."""
    before = """
        for i in pl.range(4):
            z = pl.tile.load(x, [0], [32])
            w = pl.tile.store(z, [0], out)
        return w
    """
    expected = """
        for i, (w0,) in pl.range(4, init_values=(out,)):
            z = pl.tile.load(x, [0], [32])
            w1 = pl.tile.store(z, [0], out)
            w2 = pl.yield_(w1)
        return w2
    """
    assert_converted(before, expected)


def test_a_while_loop_lets_variables_out_as_well():
    """SSA-51."""
    before = """
        while a < b:
            a = a + 1
            t = pl.tensor.adds(x, 1.0)
        return t
    """
    expected = """
        for (a0, t0) in pl.while_(init_values=(a, out)):
            pl.cond(a0 < b)
            a1 = a0 + 1
            t1 = pl.tensor.adds(x, 1.0)
            a2, t2 = pl.yield_(a1, t1)
        return t2
    """
    assert_converted(before, expected)


def test_what_leaves_two_loops_is_carried_by_both():
    """SSA-45, one level below another."""
    before = """
        for i in pl.range(2):
            for j in pl.range(3):
                t = pl.tensor.adds(x, 1.0)
        return t
    """
    expected = """
        for i, (t0,) in pl.range(2, init_values=(out,)):
            for j, (t1,) in pl.range(3, init_values=(t0,)):
                t2 = pl.tensor.adds(x, 1.0)
                t3 = pl.yield_(t2)
            t4 = pl.yield_(t3)
        return t4
    """
    assert_converted(before, expected)
