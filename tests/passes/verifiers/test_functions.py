# SPDX-License-Identifier: Apache-2.0
"""Verifiers of functions: outputs, calls, launches, what enters and leaves."""

import pytest
from pypto_passes.verifiers.array_not_escaped import verify_array_not_escaped
from pypto_passes.verifiers.in_out_use_valid import verify_in_out_use_valid
from pypto_passes.verifiers.inline_functions_eliminated import verify_no_inline_functions
from pypto_passes.verifiers.manual_deps_on_submit_only import verify_manual_deps
from pypto_passes.verifiers.no_nested_in_core import verify_no_nested_in_core
from pypto_passes.verifiers.orchestration_references_resolved import verify_calls
from pypto_passes.verifiers.out_param_not_shadowed import verify_out_param_not_shadowed
from pypto_passes.verifiers.use_after_def import verify_use_after_def

from pypto_build import ir
from pypto_build.ir import EvalStmt, FunctionType
from tests.passes.verifiers.findings import codes, found
from tests.unit.ir.build import TASK_ID, assign, call, function, give, loop, number, op, program, scalar, tensor

T = "pl.Tensor[[4], pl.FP32]"
WRITER = f"""
@pl.function(type=pl.FunctionType.InCore)
def fill(self, out: pl.Out[{T}]) -> {T}:
    return out
"""


def method(text, params, results="", head="@pl.function"):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"{head}\ndef f(self, {params}){results and ' -> ' + results}:\n{lines}\n"


@pytest.mark.parametrize(
    "value", ["pl.tensor.create([4], dtype=pl.FP32)", "pl.tensor.full([4], dtype=pl.FP32, value=0.0)"]
)
@pytest.mark.parametrize("direction", ["Out", "InOut"])
def test_an_output_that_is_replaced_by_a_new_tensor_is_found(value, direction):
    name = value.partition("(")[0].removeprefix("pl.")
    message = (
        f"'out' is an {direction} parameter and cannot be reassigned via {name}. "
        "Use the parameter directly as the output target instead."
    )
    assert found(verify_out_param_not_shadowed, method(f"out = {value}", f"out: pl.{direction}[{T}]")) == [(3, message)]


def test_an_output_that_is_written_in_place_is_not_shadowed_and_an_input_may_be_replaced():
    text = "out = pl.tensor.assemble(out, x, [0])\nx = pl.tensor.create([4], dtype=pl.FP32)"
    assert found(verify_out_param_not_shadowed, method(text, f"x: {T}, out: pl.Out[{T}]")) == []


def test_a_kernel_inside_a_kernel_is_found_once():
    scope = "with pl.at(level=pl.Level.CORE_GROUP):"
    text = f"{scope}\n    y = pl.add(x, x)\n    {scope}\n        z = pl.add(y, y)"
    message = "Nested InCore scope in function 'f': a kernel cannot start another kernel"
    assert found(verify_no_nested_in_core, method(text, f"x: {T}")) == [(5, message)]
    assert found(verify_no_nested_in_core, method(f"{scope}\n    y = pl.add(x, x)", f"x: {T}")) == []


def test_an_output_that_is_read_under_its_old_name_is_found():
    text = "y = self.fill(x)\nz = pl.add(x, x)"
    message = "Variable 'x' is read after it was passed as InOut/Out to 'fill': use the result of the call"
    assert found(verify_in_out_use_valid, method(text, f"x: {T}"), WRITER) == [(4, message)]
    assert found(verify_in_out_use_valid, method(text.replace("x, x", "y, y"), f"x: {T}"), WRITER) == []


def test_groups_share_memory_by_design():
    group = method("y = self.fill(x)\nz = self.fill(x)", f"x: {T}", head="@pl.function(type=pl.FunctionType.Group)")
    assert found(verify_in_out_use_valid, group, WRITER) == []


def test_an_array_that_enters_or_leaves_is_found():
    entering = method("return x", f"arr: pl.Array[8, pl.INT32], x: {T}", T)
    leaving = method("arr = pl.array.create(4, pl.INT32)\nreturn arr", f"x: {T}", "pl.Array[4, pl.INT32]")
    end = "of function 'f' has ArrayType: an array stays local"
    assert [text for _, text in found(verify_array_not_escaped, entering)] == [f"parameter 'arr' {end}"]
    assert [text for _, text in found(verify_array_not_escaped, leaving)] == [f"return type[0] {end}"]


def test_an_array_that_stays_local_is_fine():
    local = method("arr = pl.array.create(4, pl.INT32)\narr[0] = 7\nreturn x", f"x: {T}", T)
    assert found(verify_array_not_escaped, local) == []


ID, X = scalar("t", TASK_ID), tensor("x", 4)


def launch(name, *deps, **attrs):
    return ir.Submit(ir.GlobalVar(name), (X,), deps, ir.EMPTY_MAP, ir.frozen_map(attrs), X.type)


def main(*exprs, kind=FunctionType.Orchestration):
    return function("main", (X, ID), *(EvalStmt(expr) for expr in exprs), func_type=kind)


WORK = function("work", (tensor("p", 4),), func_type=FunctionType.InCore)


def test_dependencies_of_a_plain_call_are_found():
    of = program(main(call("work", X, manual_dep_edges=(ID,))), WORK)
    message = "the call of 'work' in 'main' has 'manual_dep_edges': launch it with pl.submit"
    assert found(verify_manual_deps, of) == [(0, message)]
    assert codes(verify_manual_deps, of) == [0]


def test_dependencies_among_the_attributes_of_a_launch_are_found():
    of = program(main(launch("work", manual_dep_edges=(ID,))), WORK)
    message = (
        "the launch of 'work' in 'main' has 'manual_dep_edges' among its attributes: its dependencies belong in deps_"
    )
    assert found(verify_manual_deps, of) == [(0, message)]
    assert codes(verify_manual_deps, of) == [1]


def test_a_launch_with_dependencies_in_its_field_and_an_operation_with_edges_are_fine():
    task = op("system.task_dummy", attrs={"manual_dep_edges": (ID,)})
    assert found(verify_manual_deps, program(main(launch("work", ID), task), WORK)) == []


@pytest.mark.parametrize("made", [call("ghost", X), launch("ghost")])
def test_orchestration_that_calls_nothing_known_is_found(made):
    message = "function 'main' calls undefined function 'ghost'"
    assert found(verify_calls, program(main(made))) == [(0, message)]


def test_functions_of_the_program_and_operations_are_known_and_other_functions_are_not_asked():
    calls = (call("work", X), call("tensor.print", X), call("pld.system.get_comm_ctx", X))
    assert found(verify_calls, program(main(*calls), WORK)) == []
    opaque = program(main(call("ghost", X), kind=FunctionType.Opaque))
    assert found(verify_calls, opaque) == []


INLINE = function("tiny", (tensor("p", 4),), func_type=FunctionType.Inline)


def test_an_inline_function_and_its_calls_are_found():
    messages = [
        "Call to Inline function 'tiny' is left in function 'main'",
        "Inline function 'tiny' is left in the program",
    ]
    of = program(main(call("tiny", X)), INLINE)
    assert [text for _, text in found(verify_no_inline_functions, of)] == messages


def test_a_launch_of_an_inline_function_is_found_even_when_that_is_gone():
    message = "'tiny', launched in function 'main', is Inline or gone: call it instead"
    assert found(verify_no_inline_functions, program(main(launch("tiny")))) == [(0, message)]
    assert found(verify_no_inline_functions, program(main(launch("work")), WORK)) == []


def before_def(name):
    return [(0, f"Variable '{name}' used before definition in function 'f'")]


N, Y, Z = scalar("n"), scalar("y"), scalar("z")


@pytest.mark.parametrize(
    ("stmts", "name"),
    [
        ((assign(Y, Z), assign(Z, number(1))), "z"),
        ((loop(Z, number(4)), give(Z)), "z"),
        ((loop(Y, Z),), "z"),
        ((assign(tensor("t", Z), op("test.make")),), "z"),
    ],
)
def test_a_variable_that_is_read_where_it_is_not_bound_is_found(stmts, name):
    assert found(verify_use_after_def, program(function("f", (N,), *stmts))) == before_def(name)


def test_a_variable_in_the_attributes_of_a_function_must_be_a_parameter():
    stray = function("f", (N,), attrs=ir.frozen_map({"core_num": ir.binary("add", Z, 1)}))
    assert found(verify_use_after_def, program(stray)) == before_def("z")
    assert found(verify_use_after_def, program(function("f", (N,), attrs=ir.frozen_map({"core_num": N})))) == []


def test_dimensions_of_the_signature_and_leaks_of_a_branch_without_results_are_visible():
    leaking = ir.IfStmt(ir.binary("gt", N, 0), assign(Y, N))
    assert found(verify_use_after_def, program(function("f", (N, tensor("t", Z)), leaking, give(Y, Z)))) == []


def test_what_a_branch_with_results_binds_ends_with_it():
    kept = ir.IfStmt(ir.binary("gt", N, 0), ir.SeqStmts((assign(Y, N), ir.YieldStmt((N,)))), ir.YieldStmt((N,)), (Z,))
    assert found(verify_use_after_def, program(function("f", (N,), kept, give(Z, Y)))) == before_def("y")
