# SPDX-License-Identifier: Apache-2.0
"""The group of a kernel: it starts both halves with all parameters and hands on what the vector half returns."""

from __future__ import annotations

import pytest
from pypto_passes.kernel_groups import group_of

from pypto_build.ir import AssignStmt, Call, Function, FunctionType, ReturnStmt, collect
from pypto_build.ops import builtin_registry
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"


def group(text: str, result: str = T) -> Function:
    """The group of a kernel."""
    header = f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, x: {T}, out: pl.Out[{T}]){result}:\n    "
    return group_of(programs.method(programs.program(header + text), "kernel"), builtin_registry())


def test_it_has_the_kernels_name_and_parameters_of_its_own():
    made = group("return out", f" -> {T}")
    assert (made.name, made.func_type) == ("kernel", FunctionType.Group)
    assert [call.op.name for call in collect(made, Call)] == ["kernel_aic", "kernel_aiv"]
    assert all(call.args == made.params for call in collect(made, Call))


def test_an_output_is_returned_as_the_parameter_that_it_is():
    made = group("out = pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)\n    return out", f" -> {T}")
    assert collect(made, ReturnStmt)[0].value == (made.params[1],)


@pytest.mark.parametrize(
    ("text", "result", "count"), [("return 3", " -> pl.Scalar[pl.INDEX]", 1), ("return out, 3", "", 2)]
)
def test_another_result_is_that_of_the_vector_half(text: str, result: str, count: int):
    made = group(text, result or f" -> tuple[{T}, pl.Scalar[pl.INDEX]]")
    (binding,) = collect(made, AssignStmt)
    assert collect(made, ReturnStmt)[0].value == (binding.var,)
    assert len(made.return_types) == count


def test_a_kernel_without_results_has_a_group_without_results():
    assert collect(group("pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)", ""), ReturnStmt) == []
