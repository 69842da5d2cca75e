# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ARG002, RET504  # kernels are read, never run: their names and forms are the subject
"""Functions and programs read from decorated Python."""

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, UndefinedVariableError
from pypto_build.ir import AssignStmt, Call, ConstInt, Function, FunctionType, Program, ReturnStmt, TupleType


def test_a_decorated_function_becomes_ir_with_its_own_parameters():
    @pl.function
    def same(x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x

    assert isinstance(same, Function)
    assert isinstance(same.body, ReturnStmt)
    assert same.body.value[0] is same.params[0]


def test_places_are_those_of_the_file_with_columns_from_one():
    @pl.function
    def place(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        m = n
        return m

    body = place.body
    assert body.stmts[0].span.filename == __file__
    assert body.stmts[0].span.begin_column == 9
    assert body.stmts[1].span.begin_line == body.stmts[0].span.begin_line + 1


def test_a_program_holds_the_decorated_methods_of_its_class():
    @pl.program
    class Two:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
            return x

        @pl.function
        def main(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
            y = self.kernel(x)
            return y

    assert isinstance(Two, Program)
    assert [function.name for function in Two.functions.values()] == ["kernel", "main"]
    assert Two.get_function("kernel").func_type is FunctionType.InCore


def test_a_call_has_the_callees_type_even_before_the_callee_is_read():
    @pl.program
    class Forward:
        @pl.function
        def main(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
            return self.later(x)

        @pl.function
        def later(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
            return x

    call = Forward.get_function("main").body.value[0]
    assert call.type == Forward.get_function("later").params[0].type


def test_the_result_type_of_a_callee_without_annotation_is_that_of_its_return():
    @pl.program
    class Bare:
        @pl.function
        def main(self, x: pl.Tensor[[64], pl.FP32], y: pl.Scalar[pl.INT64]):
            return self.later(x, y)

        @pl.function
        def later(self, x: pl.Tensor[[64], pl.FP32], y: pl.Scalar[pl.INT64]):
            return x, y

    call = Bare.get_function("main").body.value[0]
    assert call.type == TupleType(tuple(param.type for param in Bare.get_function("later").params))


def test_dynamic_dimensions_of_a_callee_take_the_callers_sizes():
    rows = pl.dynamic("ROWS")

    @pl.program
    class Dynamic:
        @pl.function
        def kernel(self, x: pl.Tensor[[rows, 64], pl.FP32]) -> pl.Tensor[[rows, 64], pl.FP32]:
            return x

        @pl.function
        def main(self, x: pl.Tensor[[128, 64], pl.FP32]):
            return self.kernel(x)

    call = Dynamic.get_function("main").body.value[0]
    assert [dim.value for dim in call.type.shape] == [128, 64]


def test_two_sizes_for_one_dynamic_dimension_are_refused():
    rows = pl.dynamic("ROWS")
    with pytest.raises(ParserSyntaxError, match="conflicting bindings"):

        @pl.program
        class Conflict:
            @pl.function
            def kernel(self, x: pl.Tensor[[rows], pl.FP32], y: pl.Tensor[[rows], pl.FP32]) -> pl.Scalar[pl.INT32]:
                return x

            @pl.function
            def main(self, x: pl.Tensor[[128], pl.FP32], y: pl.Tensor[[64], pl.FP32]):
                return self.kernel(x, y)


def test_a_function_from_outside_joins_the_program_that_calls_it():
    @pl.function
    def helper(x: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        return x

    @pl.program
    class Caller:
        @pl.function
        def main(self, x: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
            return helper(x)

    assert Caller.get_function("helper") is helper


def test_an_inline_function_is_expanded_where_it_is_called():
    @pl.inline
    def next_one(x: pl.Scalar[pl.INT64]):
        r = x + 1
        return r

    @pl.function
    def twice(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        a = next_one(n)
        b = next_one(a)
        return b

    names = [stmt.var.name_hint for stmt in twice.body.stmts if isinstance(stmt, AssignStmt)]
    assert names == ["r", "a", "r", "b"]


def test_the_wrong_number_of_arguments_names_what_was_expected():
    with pytest.raises(ParserTypeError, match=r"expects 2 argument\(s\), got 1"):

        @pl.program
        class Short:
            @pl.function
            def kernel(self, x: pl.Scalar[pl.INT64], y: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
                return x

            @pl.function
            def main(self, x: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
                return self.kernel(x)


def test_a_call_of_a_method_that_does_not_exist_is_an_undefined_name():
    with pytest.raises(UndefinedVariableError, match="'nothing' not found"):

        @pl.program
        class Missing:
            @pl.function
            def main(self, x: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
                return self.nothing(x)


def test_a_class_without_functions_is_refused():
    with pytest.raises(ParserSyntaxError, match=r"contains no @pl\.function decorated methods"):

        @pl.program
        class Empty:
            pass


def test_a_parameter_needs_an_annotation():
    with pytest.raises(ParserTypeError, match="missing type annotation"):

        @pl.function
        def bare(x):
            return x


def test_no_dep_marks_the_argument_and_passes_it_on():
    @pl.program
    class Marked:
        @pl.function
        def kernel(self, x: pl.Tensor[[8], pl.FP32], y: pl.Tensor[[8], pl.FP32]) -> pl.Tensor[[8], pl.FP32]:
            return x

        @pl.function
        def main(self, x: pl.Tensor[[8], pl.FP32]) -> pl.Tensor[[8], pl.FP32]:
            return self.kernel(x, pl.no_dep(x))

    call = Marked.get_function("main").body.value[0]
    assert isinstance(call, Call)
    assert call.attrs["arg_direction_overrides"] == (1,)


def test_function_attributes_of_the_prologue_may_name_parameters():
    @pl.function
    def marked(x: pl.Tensor[[8], pl.FP32]) -> pl.Tensor[[8], pl.FP32]:
        pl.func_attr({"stationary": x, "windowize": True})
        return x

    assert marked.attrs["stationary"] is marked.params[0]
    assert marked.attrs["windowize"] is True


def test_closure_constants_are_known_while_reading():
    width = 64

    @pl.function
    def half() -> pl.Scalar[pl.INDEX]:
        return width // 2

    value = half.body.value[0]
    assert isinstance(value, ConstInt)
    assert value.value == 32


def test_a_literal_takes_the_type_of_its_annotation():
    @pl.function
    def counted() -> pl.Scalar[pl.INT64]:
        count: pl.Scalar[pl.INT64] = 0
        return count

    assert counted.body.stmts[0].value.dtype is pl.INT64
