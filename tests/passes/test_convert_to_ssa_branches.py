# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA on `if`: what the branches change comes out as a result."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA

from pypto_build import ir
from pypto_build.errors import UserError
from pypto_build.passes import apply_pass
from tests.passes.ssa_programs import assert_converted, body, converted, violations
from tests.unit.ir.build import FP32, assign, function, give, number, op, program, scalar, tensor


def test_what_one_branch_changes_is_a_result_and_both_branches_yield():
    """SSA-22 and SSA-23: the branch that is not there yields what was before."""
    before = """
        v = a
        if flag:
            v = v + 1
        return v
    """
    expected = """
        v0 = a
        if flag:
            v1 = v0 + 1
            v2 = pl.yield_(v1)
        else:
            v2 = pl.yield_(v0)
        return v2
    """
    assert_converted(before, expected)


def test_what_both_branches_change_is_a_result():
    """SSA-22."""
    before = """
        v = a
        if flag:
            v = v + 1
        else:
            v = v + 2
        return v
    """
    expected = """
        v0 = a
        if flag:
            v1 = v0 + 1
            v3 = pl.yield_(v1)
        else:
            v2 = v0 + 2
            v3 = pl.yield_(v2)
        return v3
    """
    assert_converted(before, expected)


def test_what_both_branches_define_first_is_a_result():
    """SSA-24."""
    before = """
        if flag:
            v = a + 1
        else:
            v = b * 2
        return v
    """
    expected = """
        if flag:
            v0 = a + 1
            v2 = pl.yield_(v0)
        else:
            v1 = b * 2
            v2 = pl.yield_(v1)
        return v2
    """
    assert_converted(before, expected)


def test_what_only_one_branch_defines_stays_there():
    """SSA-25."""
    before = """
        v = a
        if flag:
            own = a + 1
            v = own * 2
        return v
    """
    expected = """
        v0 = a
        if flag:
            own = a + 1
            v1 = own * 2
            v2 = pl.yield_(v1)
        else:
            v2 = pl.yield_(v0)
        return v2
    """
    assert_converted(before, expected)


UNBOUND = {
    "one branch assigns it": ("if flag:\n    own = a\nreturn own", 8),
    "the other branch assigns it": ("if flag:\n    v = a\nelse:\n    own = a\nreturn own", 10),
    "a condition reads it": ("if flag:\n    own = a\nif own > 1:\n    v = a", 8),
    "a loop bound reads it": ("if flag:\n    own = a\nfor i in pl.range(own):\n    v = a", 8),
}


@pytest.mark.parametrize(("text", "line"), UNBOUND.values(), ids=UNBOUND.keys())
def test_what_may_have_no_value_is_refused_where_it_is_read(text: str, line: int):
    """SSA-25: the note says where the variable is assigned."""
    with pytest.raises(UserError, match="'own' may have no value here") as caught:
        converted(text)
    assert (caught.value.code, caught.value.span.begin_line) == ("SSA001", line)
    assert caught.value.notes[0][1].begin_line < line


def test_what_may_have_no_value_can_be_left_to_the_verifier():
    """SSA-25."""
    made = apply_pass(ConvertToSSA(refuse_unbound=False), body("if flag:\n    own = a\nreturn own"))
    assert violations(made) == ["Variable 'own' used outside its defining scope"]


def test_what_one_branch_in_a_loop_defines_is_merged_with_the_carried_value():
    """SSA-26."""
    before = """
        for i in pl.range(4):
            if i < a:
                t = pl.tensor.adds(x, 1.0)
        return t
    """
    expected = """
        for i, (t0,) in pl.range(4, init_values=(out,)):
            if i < a:
                t1 = pl.tensor.adds(x, 1.0)
                t2 = pl.yield_(t1)
            else:
                t2 = pl.yield_(t0)
            t3 = pl.yield_(t2)
        return t3
    """
    assert_converted(before, expected)


def test_results_are_sorted_by_name():
    """SSA-27."""
    before = """
        v = a
        m = a
        if flag:
            v = a + 1
            b = a + 2
            m = a + 3
        return v + m + b
    """
    results = next(iter(ir.collect(converted(before), ir.IfStmt))).return_vars
    assert [var.name_hint for var in results] == ["b__phi_v2", "m__phi_v2", "v__phi_v2"]


def test_results_of_one_name_are_in_the_order_of_their_definitions():
    """SSA-28."""
    flag, first, second = scalar("flag", ir.DataType.BOOL), tensor("t", 8), tensor("t", 16)
    branches = [
        ir.sequence([assign(second, op("any.op", type=second.type)), assign(first, op("any.op", type=first.type))])
        for _ in range(2)
    ]
    made = converted(program(function("f", (flag,), ir.IfStmt(flag, *branches, ()), give(first, second))))
    assert [ir.as_int(var.type.shape[0]) for var in made.body.stmts[0].return_vars] == [16, 8]


def test_a_branch_that_changes_nothing_outside_gets_no_results():
    """SSA-29."""
    before = """
        if flag:
            own = a + 1
            own = own + b
        return a
    """
    expected = """
        if flag:
            own0 = a + 1
            own1 = own0 + b
        return a
    """
    assert_converted(before, expected)


def test_after_a_branch_that_changes_nothing_the_version_from_before_is_read():
    """SSA-29: the same name means one variable in each branch, and neither leaves it."""
    before = """
        v = a
        if flag:
            own = v + 1
        v = v + 2
        return v
    """
    expected = """
        v0 = a
        if flag:
            own = v0 + 1
        v1 = v0 + 2
        return v1
    """
    assert_converted(before, expected)


def test_an_empty_branch_yields():
    """SSA-30 and SSA-63: the yield stands alone, not in a sequence of one."""
    flag, v, param = scalar("flag", ir.DataType.BOOL), scalar("v"), scalar("p")
    changed = ir.IfStmt(flag, ir.SeqStmts(()), assign(v, number(1)), ())
    made = converted(program(function("f", (flag, param), assign(v, param), changed, give(v)))).body.stmts
    assert isinstance(made[1].then_body, ir.YieldStmt)
    assert made[1].then_body.value[0] is made[0].var


def test_results_that_an_if_has_are_kept():
    """SSA-31."""
    before = """
        if flag:
            s = pl.yield_(a + 1)
        else:
            s = pl.yield_(b)
        return s
    """
    made = converted(before)
    assert made.body.stmts[0].return_vars[0].name_hint == "s__rv_v0"
    assert_converted(before, before)


def test_a_plain_change_goes_behind_the_explicit_results():
    """SSA-32."""
    before = """
        v = a
        if flag:
            v = v + 1
            s, r = pl.yield_(v, a)
        else:
            s, r = pl.yield_(b, v)
        return s + r + v
    """
    expected = """
        v0 = a
        if flag:
            v1 = v0 + 1
            s, r, v2 = pl.yield_(v1, a, v1)
        else:
            s, r, v2 = pl.yield_(b, v0, v0)
        return s + r + v2
    """
    assert_converted(before, expected)


def test_a_result_has_the_type_that_it_has_in_the_first_branch():
    """SSA-33."""
    flag, t = scalar("flag", ir.DataType.BOOL), tensor("t", 64)
    narrow, wide = (ir.TensorType(ir.dims([size]), FP32) for size in (8, 16))
    branches = [assign(t, op("any.op", type=kind)) for kind in (narrow, wide)]
    made = converted(program(function("f", (flag,), ir.IfStmt(flag, *branches, ()), give(t))))
    assert made.body.stmts[0].return_vars[0].type == narrow


def test_the_condition_reads_the_version_from_before():
    """SSA-34."""
    before = """
        v = a
        if v < b:
            v = v + 1
        return v
    """
    expected = """
        v0 = a
        if v0 < b:
            v1 = v0 + 1
            v2 = pl.yield_(v1)
        else:
            v2 = pl.yield_(v0)
        return v2
    """
    assert_converted(before, expected)


def test_the_result_of_an_inner_if_is_what_the_outer_one_yields():
    """SSA-22, one level below another."""
    before = """
        v = a
        if flag:
            if a < b:
                v = v + 1
        return v
    """
    expected = """
        v0 = a
        if flag:
            if a < b:
                v1 = v0 + 1
                v2 = pl.yield_(v1)
            else:
                v2 = pl.yield_(v0)
            v3 = pl.yield_(v2)
        else:
            v3 = pl.yield_(v0)
        return v3
    """
    assert_converted(before, expected)
