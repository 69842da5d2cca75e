# SPDX-License-Identifier: Apache-2.0
"""FlattenCallExpr: each call stands alone on the right of an assignment."""

import pytest
from pypto_passes.flatten_call_expr import (
    IN_BINARY,
    IN_CALL_ARGS,
    IN_FOR_RANGE,
    IN_IF_CONDITION,
    IN_UNARY,
    FlattenCallExpr,
    verify_no_nested_calls,
)

from pypto_build import ir
from pypto_build.passes import IRProperty, PassContext, apply_pass
from tests.passes import programs
from tests.passes.ssa_programs import body


def nested(of):
    """Number and sentence of every nested call."""
    return [(one.error_code, one.message) for one in verify_no_nested_calls(of, PassContext())]


CORES = "pl.system.available_aiv_count()"


def assert_flat(before, expected):
    """The expected body comes out, has no nested call, and stays the same object when the pass runs again."""
    made = programs.assert_becomes(FlattenCallExpr(), body(before), body(expected))
    assert nested(made) == []
    programs.assert_unchanged(FlattenCallExpr(), made)


def test_its_contract():
    needed = {IRProperty.SSAForm, IRProperty.NormalizedStmtStructure}
    assert FlattenCallExpr.requires == needed
    assert FlattenCallExpr.produces == needed | {IRProperty.NoNestedCalls}


def test_arguments_come_first_innermost_first():
    before = "y = pl.tensor.add(pl.tensor.adds(pl.tensor.muls(x, 2.0), 1.0), pl.tensor.exp(x))\nreturn y"
    expected = """
        t0 = pl.tensor.muls(x, 2.0)
        t1 = pl.tensor.adds(t0, 1.0)
        t2 = pl.tensor.exp(x)
        y = pl.tensor.add(t1, t2)
        return y
    """
    assert_flat(before, expected)


def test_calls_in_arithmetic_move_out():
    before = "y = pl.tensor.read(x, [a]) + -pl.tensor.read(x, [b])\nreturn y"
    expected = """
        t0 = pl.tensor.read(x, [a])
        t1 = pl.tensor.read(x, [b])
        y = t0 + -t1
        return y
    """
    assert_flat(before, expected)


def test_returned_calls_move_out():
    assert_flat("return pl.tensor.exp(x), a", "t = pl.tensor.exp(x)\nreturn t, a")


def test_calls_in_a_yield_stay_in_their_branch():
    before = """
        if flag:
            y = pl.yield_(pl.tensor.exp(x))
        else:
            y = pl.yield_(x)
        return y
    """
    expected = """
        if flag:
            t = pl.tensor.exp(x)
            y = pl.yield_(t)
        else:
            y = pl.yield_(x)
        return y
    """
    assert_flat(before, expected)


def test_calls_in_a_condition_come_before_the_branch():
    before = "if pl.tensor.read(x, [0]) < 1.0:\n    y = pl.tensor.exp(x)\nreturn a"
    expected = "t = pl.tensor.read(x, [0])\nif t < 1.0:\n    y = pl.tensor.exp(x)\nreturn a"
    assert_flat(before, expected)


def test_calls_in_initial_values_come_before_the_loop():
    before = """
        for i, (s,) in pl.range(4, init_values=(pl.tensor.exp(x),)):
            r = pl.yield_(pl.tensor.adds(s, 1.0))
        return r
    """
    expected = """
        t = pl.tensor.exp(x)
        for i, (s,) in pl.range(4, init_values=(t,)):
            u = pl.tensor.adds(s, 1.0)
            r = pl.yield_(u)
        return r
    """
    assert_flat(before, expected)


@pytest.mark.parametrize("scope", ["pl.scope()", "pl.cluster(name_hint='g')", "pl.at(level=pl.Level.CORE_GROUP)"])
def test_temporaries_stay_inside_their_scope(scope):
    before = f"with {scope}:\n    y = pl.tensor.adds(pl.tensor.exp(x), 1.0)\nreturn y"
    expected = f"with {scope}:\n    t = pl.tensor.exp(x)\n    y = pl.tensor.adds(t, 1.0)\nreturn y"
    assert_flat(before, expected)


def test_the_width_of_a_launch_is_computed_before_it():
    before = f"with pl.spmd({CORES}):\n    i = pl.tile.get_block_idx()\nreturn x"
    expected = f"t = {CORES}\nwith pl.spmd(t):\n    i = pl.tile.get_block_idx()\nreturn x"
    assert_flat(before, expected)


def test_temporaries_are_named_and_typed():
    made = apply_pass(FlattenCallExpr(), body("t__tmp_v3 = pl.tensor.exp(x)\nreturn pl.tensor.exp(t__tmp_v3)"))
    var = ir.collect(made.functions[ir.GlobalVar("f")], ir.AssignStmt)[1].var
    assert var.name_hint == "t__tmp_v4"
    assert var.type == ir.collect(made.functions[ir.GlobalVar("f")], ir.Call)[1].type


def test_a_flat_function_is_the_same_object():
    programs.assert_unchanged(FlattenCallExpr(), body("y = pl.tensor.exp(x)\nz = a + b * 2\nreturn y, z"))


READ = "pl.tensor.read(x, [0])"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("y = pl.tensor.exp(pl.tensor.exp(x))", IN_CALL_ARGS, "the arguments of another call"),
        (f"y = {READ} + 1.0", IN_BINARY, "a binary expression"),
        (f"y = -{READ}", IN_UNARY, "a unary expression"),
    ],
)
def test_the_verifier_names_the_place_of_a_nested_call(text, code, place):
    name = "tensor.exp" if "exp" in text else "tensor.read"
    assert nested(body(text)) == [(code, f"Call to '{name}' is nested in {place} in function 'f'")]


def test_the_verifier_looks_at_conditions_and_ranges():
    read = ir.collect(body(f"y = {READ}").functions[ir.GlobalVar("f")], ir.Call)[0]
    inner = ir.SeqStmts(())
    branch = ir.IfStmt(read, inner, None, ())
    over = ir.ForStmt(ir.Var("i", read.type), read, read, read, (), inner, ())
    function = ir.Function("f", (), (), (), ir.SeqStmts((branch, over)))
    assert [code for code, _ in nested(ir.Program([function]))] == [IN_IF_CONDITION, *[IN_FOR_RANGE] * 3]
