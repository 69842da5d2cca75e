# SPDX-License-Identifier: Apache-2.0
"""Names of Vars in the text: unique, repeatable, marked when nothing defines them."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir.printing import python_print
from pypto_build.ir.printing.names import identifier
from tests.unit.ir.build import FP32, INDEX, assign, call, function, give, loop, number, program, scalar, seq, tensor


def text_of(*stmts: ir.Stmt, params: tuple[ir.Var, ...] = ()) -> list[str]:
    printed = python_print(function("f", params, *stmts), concise=True)
    return [line.strip() for line in printed.splitlines()[2:]]


def test_the_second_variable_of_a_name_gets_a_suffix():
    first, second, third = (scalar("x") for _ in range(3))
    stmts = [assign(first, number(1)), assign(second, first), assign(third, second)]
    assert text_of(*stmts) == ["x = 1", "x_1 = x", "x_2 = x_1"]


def test_a_variable_assigned_again_keeps_its_name():
    x = scalar("x")
    assert text_of(assign(x, number(1)), assign(x, x)) == ["x = 1", "x = x"]


def test_a_suffix_steps_over_a_name_that_exists():
    first, taken, second = scalar("x"), scalar("x_1"), scalar("x")
    stmts = [assign(var, number(1)) for var in (first, taken, second)]
    assert text_of(*stmts) == ["x = 1", "x_1 = 1", "x_2 = 1"]


def test_parameters_come_before_the_body():
    param, local = scalar("x"), scalar("x")
    assert text_of(assign(local, param), params=(param,)) == ["x_1 = x"]


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        ("class", "class_"),
        ("None", "None_"),
        ("self", "self_"),
        ("pl", "pl_"),
        ("a.b", "a_b"),
        ("0x", "_0x"),
        ("", "_"),
    ],
)
def test_a_name_that_python_cannot_take_is_changed(hint: str, name: str):
    assert identifier(hint) == name
    assert text_of(assign(scalar(hint), number(1))) == [f"{name} = 1"]


def test_the_prefix_is_no_variable():
    assert python_print(assign(scalar("lang"), number(1)), "lang", concise=True) == "lang_ = 1"


def test_what_nothing_defines_is_marked():
    param, leaked = scalar("a"), scalar("a")
    assert text_of(give(ir.Add(param, leaked, INDEX)), params=(param,)) == ["return a + a_1__FREE_VAR"]


def test_a_fragment_takes_what_surrounds_it_for_granted():
    outer, local = scalar("x"), scalar("x")
    assert python_print(assign(local, outer), concise=True) == "x = x_1"


def test_carried_values_of_two_loops_differ():
    def counted() -> ir.ForStmt:
        acc = ir.IterArg("acc", ir.scalar_type(INDEX), init_value=number(0))
        return loop(scalar("i"), number(8), ir.YieldStmt((acc,)), iter_args=(acc,), return_vars=(scalar("r"),))

    assert text_of(counted(), counted()) == [
        "for i, (acc,) in pl.range(8, init_values=(0,)):",
        "r = pl.yield_(acc)",
        "for i_1, (acc_1,) in pl.range(8, init_values=(0,)):",
        "r_1 = pl.yield_(acc_1)",
    ]


def test_a_carried_value_that_no_loop_has_is_marked():
    stale = ir.IterArg("acc", ir.scalar_type(INDEX), init_value=number(0))
    assert text_of(give(stale)) == ["return acc__FREE_VAR"]


def dynamic_lines(made: ir.Program) -> list[str]:
    return [line for line in python_print(made).splitlines() if "pl.dynamic" in line]


def test_dimensions_that_nothing_defines_are_declared_once_for_the_program():
    n = scalar("N")
    first, second = function("f", (tensor("x", n),)), function("g", (tensor("y", n, 8),))
    assert dynamic_lines(program(first, second)) == ['N = pl.dynamic("N")']


def test_two_dimensions_of_one_name_are_two_names():
    first, second = function("f", (tensor("x", scalar("M")),)), function("g", (tensor("y", scalar("M")),))
    made = program(first, second)
    assert dynamic_lines(made) == ['M = pl.dynamic("M")', 'M_1 = pl.dynamic("M_1")']
    assert "y: pl.Tensor[[M_1], pl.FP32]" in python_print(made)


def test_a_parameter_or_local_value_is_no_dynamic_dimension():
    n, k = scalar("n"), scalar("k")
    local = ir.Var("t", ir.TensorType((k,), FP32))
    made = function("f", (n, tensor("x", n)), assign(k, n), assign(local, call("make")))
    assert dynamic_lines(program(made)) == []


def test_a_dynamic_dimension_may_be_used_in_the_body():
    n = scalar("N")
    made = program(function("f", (tensor("x", n),), give(ir.Add(n, number(1), INDEX))))
    assert python_print(made).endswith("return N + 1")


def test_a_local_of_the_same_name_steps_aside_for_a_dimension():
    n, local = scalar("n"), scalar("n")
    made = program(function("f", (tensor("x", n),), assign(local, n)))
    assert python_print(made, concise=True).endswith("n_1 = n")


def test_a_name_is_the_same_every_time():
    stmts = seq(*(assign(scalar("x"), number(value)) for value in range(5)))
    assert python_print(stmts) == python_print(stmts)


def test_many_variables_of_one_name_cost_linear_time():
    stmts = seq(*(assign(scalar("x"), number(0)) for _ in range(20_000)))
    assert python_print(stmts, concise=True).splitlines()[-1] == "x_19999 = 0"


def base_reference(base: ir.Var) -> ir.TileType:
    ref = ir.MemRef("m", base=base, byte_offset=number(0), size=64)
    return ir.TileType(ir.dims((16,)), FP32, ref, None, ir.MemorySpace.DDR)


def test_a_signature_names_an_allocation_by_a_string():
    base = ir.Var("mem_ddr_3", ir.PTR_TYPE)
    seed, later = ir.Var("seed", base_reference(base)), ir.Var("later", base_reference(base))
    text = python_print(function("f", (seed,), assign(base, call("alloc")), assign(later, seed)))
    assert 'seed: pl.Tile[[16], pl.FP32, pl.MemRef("mem_ddr_3", 0, 64), pl.Mem.DDR]' in text
    assert "later: pl.Tile[[16], pl.FP32, pl.MemRef(mem_ddr_3, 0, 64), pl.Mem.DDR] = seed" in text


def test_an_allocation_that_is_renamed_is_renamed_in_its_references():
    other, base = ir.Var("mem", ir.PTR_TYPE), ir.Var("mem", ir.PTR_TYPE)
    seed = ir.Var("seed", base_reference(base))
    text = python_print(function("f", (seed,), assign(other, call("alloc")), assign(base, call("alloc"))))
    assert 'pl.MemRef("mem_1", 0, 64)' in text
