# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA on scopes: none hides a version, and those that become functions keep their own variables inside."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA

from pypto_build import ir
from pypto_build.errors import UserError
from pypto_build.passes import apply_pass
from tests.passes.ssa_programs import assert_converted, converted, violations
from tests.unit.ir.build import INT64, assign, function, give, loop, number, op, program, scalar, tile

SCOPES = {
    "core group": "pl.at(level=pl.Level.CORE_GROUP)",
    "hierarchy": "pl.at(level=pl.Level.CHIP)",
    "cluster": "pl.cluster(name_hint='g')",
    "runtime": "pl.scope()",
    "manual": "pl.manual_scope()",
}


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES.keys())
def test_what_a_scope_assigns_is_read_after_it(scope):
    """SSA-52 and SSA-59: a new version of an old variable, and a variable that the scope defines."""
    before = f"""
        x = pl.tensor.adds(x, 1.0)
        with {scope}:
            x = pl.tensor.adds(x, 2.0)
            own = pl.tensor.adds(x, 3.0)
        return pl.tensor.add(x, own)
    """
    expected = f"""
        x0 = pl.tensor.adds(x, 1.0)
        with {scope}:
            x1 = pl.tensor.adds(x0, 2.0)
            own = pl.tensor.adds(x1, 3.0)
        return pl.tensor.add(x1, own)
    """
    assert_converted(before, expected)


def scope_of(kind, inner):
    """A scope of a class around a body."""
    match kind:
        case ir.SpmdScopeStmt:
            return kind(inner, number(4))
        case ir.HierarchyScopeStmt:
            return kind(inner, ir.Level.CHIP)
        case ir.SplitAivScopeStmt:
            return kind(inner, ir.SplitMode.UP_DOWN)
        case ir.CommDomainScopeStmt:
            return kind(inner, (0, 1), ())
        case _:
            return kind(inner)


BORDERS = [
    ir.HierarchyScopeStmt,
    ir.InCoreScopeStmt,
    ir.ClusterScopeStmt,
    ir.SpmdScopeStmt,
    ir.CommDomainScopeStmt,
]


def leaving(kind):
    """A scope of some class with a loop that defines `t`, which is read only after the scope."""
    t = tile("t", 16)
    inner = loop(scalar("i"), number(4), assign(t, op("any.op", type=t.type)))
    return program(function("f", (), scope_of(kind, inner), give(t)))


@pytest.mark.parametrize("kind", BORDERS)
def test_a_loop_in_a_scope_that_becomes_a_function_carries_none_of_its_variables_out(kind):
    """SSA-53: the verifier then says that the variable is read outside of its scope."""
    made = apply_pass(ConvertToSSA(refuse_unbound=False), leaving(kind))
    assert ir.collect(made, ir.ForStmt)[0].iter_args == ()
    assert violations(made) == ["Variable 't' used outside its defining scope"]


@pytest.mark.parametrize("kind", BORDERS)
def test_what_only_a_loop_in_such_a_scope_assigns_is_refused_after_it(kind):
    """SSA-53."""
    with pytest.raises(UserError, match="'t' may have no value here") as caught:
        converted(leaving(kind))
    assert caught.value.code == "SSA001"


@pytest.mark.parametrize("kind", [ir.RuntimeScopeStmt, ir.SplitAivScopeStmt])
def test_a_loop_in_another_scope_carries_what_is_needed_after_it(kind):
    """SSA-55 and SSA-56."""
    assert len(ir.collect(converted(leaving(kind)), ir.ForStmt)[0].iter_args) == 1


@pytest.mark.parametrize("kind", BORDERS)
def test_a_loop_in_a_scope_carries_what_existed_before_it(kind):
    """SSA-54."""
    v, param = scalar("v", INT64), scalar("p", INT64)
    inner = loop(scalar("i"), number(4), assign(v, ir.Add(v, param, INT64)))
    made = converted(program(function("f", (param,), assign(v, param), scope_of(kind, inner), give(v)))).body.stmts
    assert made[1].body.iter_args[0].init_value is made[0].var
    assert made[2].value[0] is made[1].body.return_vars[0]


def test_a_need_inside_the_scope_itself_is_met():
    """SSA-53: what is cut at the border is only the need after the scope."""
    before = """
        with pl.at(level=pl.Level.CORE_GROUP):
            for i in pl.range(4):
                t = pl.tensor.adds(x, 1.0)
            own = pl.tensor.adds(t, 2.0)
        return own
    """
    expected = """
        with pl.at(level=pl.Level.CORE_GROUP):
            for i, (t0,) in pl.range(4, init_values=(out,)):
                t1 = pl.tensor.adds(x, 1.0)
                t2 = pl.yield_(t1)
            own = pl.tensor.adds(t2, 2.0)
        return own
    """
    assert_converted(before, expected)


def test_the_yield_of_a_loop_stays_inside_its_runtime_scope():
    """SSA-57: what the loop changes besides joins it there."""
    before = """
        for i, (s,) in pl.range(4, init_values=(b,)):
            with pl.scope():
                a = a + s
                r = pl.yield_(s + 1)
        return a + r
    """
    expected = """
        for i, (s, a0) in pl.range(4, init_values=(b, a)):
            with pl.scope():
                a1 = a0 + s
                r, a2 = pl.yield_(s + 1, a1)
        return a2 + r
    """
    assert_converted(before, expected)


def test_the_yield_of_a_loop_is_found_below_several_runtime_scopes():
    """SSA-57."""
    before = """
        for i, (s,) in pl.range(4, init_values=(b,)):
            with pl.scope():
                a = a + s
                with pl.manual_scope():
                    r = pl.yield_(s + 1)
        return a + r
    """
    expected = """
        for i, (s, a0) in pl.range(4, init_values=(b, a)):
            with pl.scope():
                a1 = a0 + s
                with pl.manual_scope():
                    r, a2 = pl.yield_(s + 1, a1)
        return a2 + r
    """
    assert_converted(before, expected)


def test_a_new_carry_joins_the_yield_inside_a_split_scope():
    """SSA-56."""
    arg = ir.IterArg("s", ir.scalar_type(INT64), init_value=number(0, INT64))
    r, v = scalar("r", INT64), scalar("v", INT64)
    split = scope_of(ir.SplitAivScopeStmt, ir.SeqStmts((assign(v, arg), ir.YieldStmt((arg,)))))
    over = loop(scalar("i"), number(4), iter_args=(arg,), return_vars=(r,))
    over = ir.rebuilt(over, {"body": split})
    made = converted(program(function("f", (v,), over, give(v, r)))).body.stmts[0]
    assert isinstance(made.body, ir.SplitAivScopeStmt)
    inner = made.body.body.stmts
    assert inner[1].value == (made.iter_args[0], inner[0].var)


def test_attributes_of_a_scope_are_read_before_its_body():
    """SSA-58."""
    before = """
        a = a + 1
        with pl.at(level=pl.Level.CORE_GROUP, attrs={"mark": a}):
            a = a + 2
        return a
    """
    expected = """
        a0 = a + 1
        with pl.at(level=pl.Level.CORE_GROUP, attrs={"mark": a0}):
            a1 = a0 + 2
        return a1
    """
    assert_converted(before, expected)


def test_the_core_count_of_an_spmd_scope_is_read_before_its_body():
    """SSA-58."""
    before = """
        a = a + 1
        for i in pl.spmd(a):
            a = a + 2
        return a
    """
    expected = """
        a0 = a + 1
        for i in pl.spmd(a0):
            a1 = a0 + 2
        return a1
    """
    assert_converted(before, expected)


def test_a_scope_that_needs_nothing_new_is_the_same_object():
    """SSA-52."""
    once = converted("with pl.cluster(name_hint='g'):\n    x = pl.tensor.adds(x, 1.0)\nreturn x")
    again = converted(ir.Program([once]))
    assert again is once
