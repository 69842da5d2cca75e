# SPDX-License-Identifier: Apache-2.0
"""MaterializeValidShapeSymbols: extents that a kernel cannot ask its tensors for are passed to it."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest
from pypto_passes.materialize_valid_shape_symbols import MaterializeValidShapeSymbols

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError
from pypto_build.ir import ArgDirection, Call, FrozenMap, GlobalVar, Program, Rewriter, TensorType, collect, rebuilt
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.simulators.running import simulate

PART = "pl.Tensor[[16, 128], pl.FP32, pl.TensorView(valid_shape=[{}], layout=pl.TensorLayout.ND)]"
WHOLE = "pl.Tensor[[16, 128], pl.FP32]"
CALLED = "narrow = pl.slice(x, [16, 128], [0, 0], valid_shape=[16, n])\n        return self.kernel(narrow, out)"


def source(extents: str = "16, VALID", called: str = CALLED, kind: str = "Orchestration", before: str = "") -> Program:
    """A kernel with a valid region, and its caller, which knows the extent as n."""
    return parse_program(
        dedent(
            f"""
            VALID = pl.dynamic("VALID")
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def kernel(self, {before}x: {PART.format(extents)}, out: pl.Out[{WHOLE}]) -> {WHOLE}:
                    t = pl.load(x, [0, 0], [16, 128])
                    return pl.store(t, [0, 0], out)

                @pl.function(type=pl.FunctionType.{kind})
                def main(self, x: {WHOLE}, n: pl.Scalar[pl.INDEX], out: pl.Out[{WHOLE}]) -> {WHOLE}:
                    {called.replace("        ", " " * 20)}
            """
        )
    )


def made_of(program: Program) -> Program:
    """The program after the pass, which a second run leaves alone."""
    made = apply_pass(MaterializeValidShapeSymbols(), program)
    programs.assert_unchanged(MaterializeValidShapeSymbols(), made)
    return made


def refusal(program: Program) -> str:
    """How the pass refuses a program."""
    with pytest.raises(UserError) as caught:
        apply_pass(MaterializeValidShapeSymbols(), program)
    assert caught.value.help
    assert caught.value.span.is_valid()
    return caught.value.message


def test_the_extent_is_the_first_parameter_and_the_first_argument():
    made = made_of(source())
    kernel, main = programs.method(made, "kernel"), programs.method(made, "main")
    (call,) = [call for call in collect(main.body, Call) if isinstance(call.op, GlobalVar)]
    assert [param.name_hint for param in kernel.params] == ["VALID", "x", "out"]
    assert [direction.name for direction in kernel.param_directions] == ["In", "In", "Out"]
    assert call.args[0] is main.params[1]


def test_the_region_names_the_new_parameter_and_the_text_reads_the_same():
    made = made_of(source())
    kernel = programs.method(made, "kernel")
    kind = kernel.params[1].type
    assert isinstance(kind, TensorType)
    assert kind.tensor_view is not None
    assert kind.tensor_view.valid_shape[1] is kernel.params[0]
    programs.assert_structural_equal(parse_program(str(made)), made, enable_auto_mapping=True)


def test_the_program_computes_what_it_computed():
    inputs = {"x": np.arange(16 * 128, dtype=np.float32).reshape(16, 128), "n": 40}
    before, after = (simulate(program, inputs).outputs["out"] for program in (source(), made_of(source())))
    np.testing.assert_array_equal(before[:, :40], after[:, :40])


def test_directions_that_are_written_down_grow_with_the_arguments():
    class Directed(Rewriter):
        def visit_call(self, call: Call) -> Call:
            given = (ArgDirection.Input, ArgDirection.Output)
            attrs = FrozenMap({"arg_directions": given})
            return rebuilt(call, {"attrs": attrs}) if isinstance(call.op, GlobalVar) else call

    made = made_of(Directed().visit(source()))
    (call,) = [call for call in collect(programs.method(made, "main").body, Call) if isinstance(call.op, GlobalVar)]
    assert call.attrs["arg_directions"] == (ArgDirection.Scalar, ArgDirection.Input, ArgDirection.Output)


@pytest.mark.parametrize(("extents", "before"), [("16, 64", ""), ("16, VALID", "y: pl.Tensor[[VALID], pl.FP32], ")])
def test_an_extent_that_the_kernel_can_ask_for_stays(extents: str, before: str):
    called = CALLED.replace("(narrow", "(pl.create_tensor([n], dtype=pl.FP32), narrow") if before else CALLED
    programs.assert_unchanged(MaterializeValidShapeSymbols(), source(extents, called, before=before))


def test_an_extent_inside_of_an_expression_is_refused():
    assert "stands only inside of an expression" in refusal(source("16, VALID * 2"))


def test_a_call_that_tells_two_extents_is_refused():
    called = "narrow = pl.slice(x, [16, 128], [0, 0], valid_shape=[n, 64])\n        return self.kernel(narrow, out)"
    assert "gives 'VALID' two extents" in refusal(source("VALID, VALID", called))


def test_a_call_without_the_argument_is_refused():
    class Short(Rewriter):
        def visit_call(self, call: Call) -> Call:
            return rebuilt(call, {"args": ()}) if isinstance(call.op, GlobalVar) else call

    message = refusal(Short().visit(source()))
    assert "does not supply that argument. Pass the argument explicitly" in message
    assert "kernel 'kernel' is that of its parameter 0" in message


def test_a_wrapper_gets_the_extent_and_hands_it_on():
    wrapper = f"""
        VALID = pl.dynamic("VALID")
        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: {PART.format("16, VALID")}, out: pl.Out[{WHOLE}]) -> {WHOLE}:
                t = pl.load(x, [0, 0], [16, 128])
                return pl.store(t, [0, 0], out)

            @pl.function(type=pl.FunctionType.Group)
            def group(self, x: {PART.format("16, VALID")}, out: pl.Out[{WHOLE}]) -> {WHOLE}:
                return self.kernel(x, out)
    """
    group = programs.method(made_of(parse_program(dedent(wrapper))), "group")
    assert collect(group.body, Call)[0].args == group.params
