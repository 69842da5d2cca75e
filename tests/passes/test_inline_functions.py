# SPDX-License-Identifier: Apache-2.0
"""InlineFunctions: bodies in place of calls."""

import pytest
from pypto_passes.inline_functions import InlineFunctions

from pypto_build.errors import UserError
from pypto_build.ir import defined_vars
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[4], pl.FP32]"
SQUARE = f"""
@pl.function(type=pl.FunctionType.Inline)
def square(self, x: {T}) -> {T}:
    y = pl.mul(x, x)
    return y
"""
SCALED = """
@pl.function(type=pl.FunctionType.Inline)
def scaled(self, k: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
    k = k * 2
    return k
"""
SWAP = f"""
@pl.function(type=pl.FunctionType.Inline)
def swap(self, x: {T}, y: {T}) -> tuple[{T}, {T}]:
    return y, x
"""


def main(text, results=""):
    params = f"a: {T}, b: {T}, n: pl.Scalar[pl.INDEX]"
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"@pl.function\ndef main(self, {params}){results and ' -> ' + results}:\n{lines}\n"


def assert_inlined(inline, before, expected):
    made = programs.assert_becomes(InlineFunctions(), programs.program(inline, before), programs.program(expected))
    programs.assert_unchanged(InlineFunctions(), made)


def test_each_call_gets_a_copy_of_its_own():
    before = main("c = self.square(a)\nd = self.square(c)\nreturn d", T)
    expected = main("y0 = pl.mul(a, a)\nc = y0\ny1 = pl.mul(c, c)\nd = y1\nreturn d", T)
    assert_inlined(SQUARE, before, expected)


def test_the_variables_of_a_copy_carry_its_number():
    made = apply_pass(InlineFunctions(), programs.program(SQUARE, main("c = self.square(a)\nd = self.square(c)")))
    names = [var.name_hint for var in defined_vars([programs.method(made, "main").body])]
    assert names == ["y_inline0", "c", "y_inline1", "d"]


def test_a_returned_call_returns_what_the_body_returns():
    assert_inlined(SQUARE, main("return self.square(a)", T), main("y = pl.mul(a, a)\nreturn y", T))


def test_a_call_for_its_effect_leaves_the_statements():
    assert_inlined(SQUARE, main("self.square(a)\nreturn a", T), main("y = pl.mul(a, a)\nreturn a", T))


def test_inline_functions_may_call_each_other():
    twice = f"""
    @pl.function(type=pl.FunctionType.Inline)
    def twice(self, x: {T}) -> {T}:
        return self.square(x)
    """
    made = apply_pass(InlineFunctions(), programs.program(SQUARE, twice, main("return self.twice(a)", T)))
    assert [function.name for function in made.functions.values()] == ["main"]


def test_a_parameter_that_is_written_in_place_is_the_variable_of_the_caller():
    put = f"""
    @pl.function(type=pl.FunctionType.Inline)
    def put(self, x: {T}, out: {T}) -> {T}:
        out = pl.tensor.assemble(out, x, [0])
        return out
    """
    expected = main("b = pl.tensor.assemble(b, a, [0])\nc = b\nreturn c", T)
    assert_inlined(put, main("c = self.put(a, b)\nreturn c", T), expected)


def test_a_parameter_that_gets_another_value_leaves_the_variable_of_the_caller_alone():
    write = "pl.tensor.write(a, [n], pl.tensor.read(a, [m]))"
    assert_inlined(SCALED, main(f"m = self.scaled(n)\n{write}"), main(f"k = n\nk = k * 2\nm = k\n{write}"))


def test_elements_of_a_result_are_read_without_a_tuple():
    before = main("c, d = self.swap(a, b)\nreturn c, d", f"tuple[{T}, {T}]")
    assert_inlined(SWAP, before, main("c = b\nd = a\nreturn c, d", f"tuple[{T}, {T}]"))


def test_variables_that_change_places_are_copied_first():
    before = main("a, b = self.swap(a, b)\nreturn a, b", f"tuple[{T}, {T}]")
    expected = main("b0 = b\na0 = a\na = b0\nb = a0\nreturn a, b", f"tuple[{T}, {T}]")
    assert_inlined(SWAP, before, expected)


def test_a_program_without_inline_functions_stays_the_same_object():
    programs.assert_unchanged(InlineFunctions(), programs.program(main("return a", T)))


def test_a_function_that_contains_itself_is_refused():
    loop = f"@pl.function(type=pl.FunctionType.Inline)\ndef loop(self, x: {T}) -> {T}:\n    return self.loop(x)\n"
    with pytest.raises(UserError, match="Cycle detected among Inline functions: loop -> loop") as caught:
        apply_pass(InlineFunctions(), programs.program(loop, main("return self.loop(a)", T)))
    assert caught.value.code == "INLINE001"


def test_a_return_before_the_end_is_refused():
    early = f"""
    @pl.function(type=pl.FunctionType.Inline)
    def early(self, x: {T}, n: pl.Scalar[pl.INDEX]) -> {T}:
        if n > 0:
            return x
        return x
    """
    with pytest.raises(UserError, match="inline function 'early' returns before its end"):
        apply_pass(InlineFunctions(), programs.program(early, main("c = self.early(a, n)")))


def test_an_inline_function_that_is_launched_as_a_task_is_refused():
    text = """
        @pl.function(type=pl.FunctionType.Inline)
        def helper(self, x: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[8, 8], pl.FP32]:
            return x

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[8, 8], pl.FP32]:
            y, task = pl.submit(self.helper, x)
            return y
    """
    with pytest.raises(UserError, match="'helper' cannot be launched as a task") as caught:
        apply_pass(InlineFunctions(), programs.program(text))
    assert caught.value.span.is_valid()
