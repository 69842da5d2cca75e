# SPDX-License-Identifier: Apache-2.0
"""Units, descriptions, parameters, places."""

from __future__ import annotations

from pypto_targets.orchestration.target import OrchestrationTarget

from pypto_build.host import FunctionOutline
from pypto_build.ir import FunctionType
from tests.targets.orchestration.generating import KERNELS, T, description, members, program, source

STRAIGHT = "out = self.copy(x, out)\nreturn out"


def outline(name: str, kind: FunctionType, *callees: str) -> FunctionOutline:
    return FunctionOutline(name, kind, callees)


def units(*given: FunctionOutline) -> dict[str, tuple[str, ...]]:
    return {unit.name: unit.functions for unit in OrchestrationTarget().units({o.name: o for o in given})}


def test_a_unit_is_an_orchestration_function_with_all_that_it_launches():
    found = units(
        outline("main", FunctionType.Orchestration, "wide"),
        outline("wide", FunctionType.Spmd, "kernel"),
        outline("kernel", FunctionType.AIV),
        outline("unused", FunctionType.AIV),
    )
    assert found == {"main": ("kernel", "main", "wide")}


def test_a_group_that_holds_the_text_of_a_kernel_belongs_to_the_unit():
    found = units(
        outline("main", FunctionType.Orchestration, "kernel"),
        outline("group", FunctionType.Group, "kernel"),
        outline("kernel", FunctionType.AIV),
    )
    assert found == {"main": ("group", "kernel", "main")}


def test_the_description_lists_the_kernels_by_number():
    kernels = description("out = self.scale(x, 2.0, out)\nout = self.both(x, out)\nreturn out")["kernels"]
    assert [(k["func_id"], k["name"], k["core_type"]) for k in kernels] == [
        (0, "copy", "aiv"),
        (1, "product", "aic"),
        (2, "scale", "aiv"),
    ]


def test_a_kernel_of_a_group_lies_in_the_member_of_the_group():
    kernels = description("out = self.both(x, out)\nreturn out")["kernels"]
    assert {kernel["source"] for kernel in kernels} == {"kernels/both.pto"}


def test_a_signature_says_what_happens_to_each_tensor():
    found = description("out = self.scale(x, 2.0, out)\nreturn out")
    assert found["signature"] == ["IN", "OUT"]
    assert found["kernels"][0]["signature"] == ["IN", "OUT"]


def test_the_description_lists_the_parameters():
    found = description(STRAIGHT, params=f"x: {T}, n: pl.Scalar[pl.INT32], out: pl.InOut[{T}]")["params"]
    assert found == [
        {"name": "x", "direction": "in", "shape": [16, 16], "dtype": "fp32"},
        {"name": "n", "direction": "in", "shape": None, "dtype": "int32"},
        {"name": "out", "direction": "inout", "shape": [16, 16], "dtype": "fp32"},
    ]


def test_scalar_parameters_have_a_table_of_their_own():
    main = "for i in pl.range(n):\n    out = self.scale(x, by, out)\nreturn out"
    found = source(main, params=f"n: pl.Scalar[pl.INT32], x: {T}, by: pl.Scalar[pl.FP32], out: pl.Out[{T}]")
    assert "int32_t n = from_u64<int32_t>(orch_args.scalar(0));" in found
    assert "float by = from_u64<float>(orch_args.scalar(1));" in found
    assert "ext_out = orch_args.tensor(1).ref();" in found
    assert ".expected_arg_count = 4," in found


def test_a_name_that_cxx_keeps_for_itself_is_changed():
    found = source("new = pl.tensor.read(x, [0, 0])\nout = self.scale(x, new, out)\nreturn out")
    assert "float v_new = " in found


def test_two_orchestration_functions_are_two_units():
    second = f"""
    @pl.function(type=pl.FunctionType.Orchestration)
    def other(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        out = self.copy(x, out)
        return out
    """
    found = members(program(STRAIGHT, kernels=KERNELS + second))
    assert sorted(found) == [f"orchestration/{name}.{end}" for name in ("main", "other") for end in ("cpp", "json")]


def test_lines_know_where_they_come_from():
    member = members(program(STRAIGHT))["orchestration/main.cpp"]
    lines = member.data.decode().splitlines()
    places = {lines[number - 1].strip(): span.begin_line for number, span in member.locations}
    assert places["rt_submit_aiv_task(0, params_t0);"] == places["CoreTaskArgs params_t0;"] > 1


def test_places_may_stand_in_the_text():
    made = members(program(STRAIGHT), locations="inline")["orchestration/main.cpp"].data.decode()
    line = next(line for line in made.splitlines() if "rt_submit_aiv_task" in line)
    assert "  // " in line


def test_the_same_program_gives_the_same_bytes():
    first, second = members(program(STRAIGHT)), members(program(STRAIGHT))
    assert {path: member.data for path, member in first.items()} == {p: member.data for p, member in second.items()}
