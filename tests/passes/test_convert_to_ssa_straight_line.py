# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA on statements in a row: versions, types and everything else that names a variable."""

import pytest

from pypto_build import ir
from tests.passes import programs
from tests.passes.ssa_programs import assert_converted, converted
from tests.unit.ir.build import FP32, INDEX, INT64, assign, function, give, number, op, program, scalar, tensor


def test_each_assignment_makes_a_version_and_each_use_reads_the_latest():
    """SSA-10."""
    before = """
        v = a + 1
        w = v * 2
        v = b + 2
        return v + w
    """
    expected = """
        v0 = a + 1
        w0 = v0 * 2
        v1 = b + 2
        return v1 + w0
    """
    assert_converted(before, expected)


def test_the_right_side_reads_the_version_from_before():
    """SSA-11."""
    before = """
        v = a
        v = v + v * 3
        return v
    """
    expected = """
        v0 = a
        v1 = v0 + v0 * 3
        return v1
    """
    assert_converted(before, expected)


def test_a_parameter_that_is_assigned_becomes_another_version():
    """SSA-13."""
    before = """
        a = a + b
        return a
    """
    expected = """
        a1 = a + b
        return a1
    """
    assert_converted(before, expected)


def test_parameters_are_number_zero_and_keep_their_directions():
    """SSA-13."""
    made = converted("return a")
    assert [param.name_hint for param in made.params] == [f"{name}__ssa_v0" for name in ("a", "b", "flag", "x", "out")]
    assert made.param_directions == (*[ir.ParamDirection.In] * 4, ir.ParamDirection.Out)


def test_a_variable_that_nobody_reads_stays():
    """SSA-14."""
    before = """
        unused = a + 1
        unused = a + 2
        return b
    """
    expected = """
        first = a + 1
        second = a + 2
        return b
    """
    assert_converted(before, expected)


def assigned_type(declared, value, *params):
    """The type that a variable of some declared type has after it was assigned a value."""
    made = converted(program(function("f", params, assign(declared, value), give(declared))))
    return made.body.stmts[0].var.type


def test_a_copy_has_the_type_of_what_it_copies():
    """SSA-15."""
    view = ir.TensorView(valid_shape=ir.dims([8]))
    source = ir.Var("s", ir.TensorType(ir.dims([64]), FP32, None, view))
    assert assigned_type(tensor("t", 64), source, source) == source.type


def test_a_copy_of_a_scalar_has_the_type_of_the_scalar():
    """SSA-15."""
    source = scalar("s", INDEX)
    assert assigned_type(scalar("t", INT64), source, source) == source.type


def test_the_shaped_type_of_a_call_wins_over_the_declared_one():
    """SSA-15."""
    kind = ir.TensorType(ir.dims([32]), FP32)
    assert assigned_type(tensor("t", 64), op("tensor.any", type=kind)) == kind


def test_a_tuple_has_the_type_of_its_elements():
    """SSA-15."""
    first, declared = tensor("s", 64), ir.Var("t", ir.TupleType(()))
    assert assigned_type(declared, ir.MakeTuple((first, number(1))), first) == ir.MakeTuple((first, number(1))).type


def test_a_value_of_unknown_type_leaves_the_declared_one():
    """SSA-15."""
    assert assigned_type(tensor("t", 64), op("any.op")) == tensor("t", 64).type


def test_a_declared_memory_reference_survives_a_type_without_one():
    """SSA-16."""
    memory = ir.MemRef("m", base=ir.Var("p", ir.PTR_TYPE), byte_offset=number(0), size=4096)
    declared = ir.Var("t", ir.TensorType(ir.dims([64]), FP32, memory))
    made = assigned_type(declared, op("tensor.any", type=ir.TensorType(ir.dims([32]), FP32)), memory.base)
    assert ir.as_int(made.shape[0]) == 32
    assert made.memref.size == 4096


VIEWS = {
    "shape": lambda n: ir.TensorType((n,), FP32),
    "valid shape": lambda n: ir.TensorType(ir.dims([64]), FP32, None, ir.TensorView(valid_shape=(n,))),
    "stride": lambda n: ir.TensorType(ir.dims([64]), FP32, None, ir.TensorView(stride=(n,))),
    "tile valid shape": lambda n: ir.TileType(ir.dims([64]), FP32, None, ir.TileView(valid_shape=(n,))),
    "tile offset": lambda n: ir.TileType(ir.dims([64]), FP32, None, ir.TileView(start_offset=n)),
    "tuple element": lambda n: ir.TupleType((ir.TensorType((n,), FP32), ir.scalar_type(INT64))),
    "distributed view": lambda n: ir.DistributedTensorType(
        ir.dims([64]), FP32, None, ir.TensorView(valid_shape=(n,)), None
    ),
}


@pytest.mark.parametrize("kind", VIEWS.values(), ids=VIEWS.keys())
def test_variables_inside_types_are_renamed(kind):
    """SSA-17."""
    n = scalar("n", INT64)
    again = assign(n, ir.Add(n, number(1, INT64), INT64))
    value = ir.Var("v", kind(n))
    made = converted(program(function("f", (n,), again, assign(value, op("any.op", type=kind(n))), give(value))))
    assert made.body.stmts[1].var.type == kind(made.body.stmts[0].var)
    assert made.body.stmts[1].value.type == kind(made.body.stmts[0].var)


def test_a_shape_may_name_a_parameter_that_stands_behind_it():
    """SSA-17 and SSA-64."""
    n = scalar("n", INT64)
    made = converted(program(function("f", (tensor("x", n), n), give(n))))
    assert made.params[0].type.shape[0] is made.params[1]


def test_variables_inside_the_types_of_results_are_renamed():
    """SSA-17 and SSA-64: a result of the function has the extent of its parameter."""
    n = scalar("n", INT64)
    results = (ir.TensorType((n,), FP32),)
    made = converted(program(function("f", (n,), assign(n, number(1, INT64)), give(tensor("t", n)), results=results)))
    assert made.return_types == (ir.TensorType((made.params[0],), FP32),)


def test_result_types_and_attributes_of_calls_are_renamed():
    """SSA-18."""
    before = """
        a = a + 1
        t = pl.tile.load(x, [a], [32], [a], attrs={"device": a, "some key": [a, 3], "mark": 7, "kind": pl.FP16})
        return t
    """
    expected = """
        a1 = a + 1
        t = pl.tile.load(x, [a1], [32], [a1], attrs={"device": a1, "some key": [a1, 3], "mark": 7, "kind": pl.FP16})
        return t
    """
    assert_converted(before, expected)


def test_attributes_of_the_function_are_renamed():
    """SSA-19."""
    made = converted('pl.func_attr({"windowize": True, "stationary": x})\nreturn a')
    assert made.attrs["stationary"] is made.params[3]
    assert made.attrs["windowize"] is True


TASKS = """
@pl.function(type=pl.FunctionType.InCore)
def kernel(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
    return x

@pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
def f(self, x: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INT64], flags: pl.Tensor[[64], pl.INT32]):
"""


def tasks(text):
    return programs.body(TASKS, text)


def test_arguments_and_dependencies_of_a_submit_are_renamed():
    """SSA-20."""
    before = """
        x = pl.tensor.adds(x, 1.0)
        y, t = pl.submit(self.kernel, x)
        z, t = pl.submit(self.kernel, y, deps=[t])
    """
    expected = """
        x1 = pl.tensor.adds(x, 1.0)
        y, t1 = pl.submit(self.kernel, x1)
        z, t2 = pl.submit(self.kernel, y, deps=[t1])
    """
    assert_converted(tasks(before), tasks(expected))


def test_the_launch_of_a_submit_is_renamed_and_its_flags_stay():
    """SSA-20."""
    before = """
        n = n + 1
        y, t = pl.spmd_submit(self.kernel, x, core_num=n, sync_start=True, allow_early_resolve=True)
    """
    expected = """
        n1 = n + 1
        y, t = pl.spmd_submit(self.kernel, x, core_num=n1, sync_start=True, allow_early_resolve=True)
    """
    assert_converted(tasks(before), tasks(expected))


def test_the_condition_of_a_submit_is_renamed():
    """SSA-20."""
    before = """
        n = n + 1
        y, t = pl.submit(self.kernel, x, predicate=(flags[n] > 3))
    """
    expected = """
        n1 = n + 1
        y, t = pl.submit(self.kernel, x, predicate=(flags[n1] > 3))
    """
    assert_converted(tasks(before), tasks(expected))
