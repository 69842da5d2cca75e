# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: RET504  # kernels are read, never run: their names and forms are the subject
"""Dimensions that are known when a @pl.jit kernel runs: declared in the source, or named by an argument."""

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.ir import TensorType, Var
from tests.unit.dsl.jit_programs import function, program, shapes

ROWS = pl.dynamic("ROWS")
NAMED = ["pl.Tensor[[ROWS, 64], pl.FP32]"] * 2


@pl.jit.incore
def first_rows(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = pl.store(pl.load(a, [0, 0], [16, 64]), [0, 0], out)
    return out


@pl.jit
def bare(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = first_rows(a, out)
    return out


@pl.jit
def annotated(a: pl.Tensor[[ROWS, 64], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    out = first_rows(a, out)
    return out


@pl.jit
def bound(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    n = pl.dynamic("ROWS")
    with pl.manual_scope():
        a.bind_dynamic(0, n)
    out.bind_dynamic(0, n)
    out = first_rows(a, out)
    return out


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        (bare, ("a=f32[ROWS,64]", "out=f32[ROWS,64]")),
        (annotated, ()),
        (annotated, ("a=f32[256,64]", "out=f32[256,64]")),
        (bound, ("a=f32[256,64]", "out=f32[512,64]")),
    ],
)
def test_a_dimension_is_one_variable_of_all_functions(entry, arguments: tuple[str, ...]) -> None:
    made = program(entry, *arguments)
    functions = [function(made, "first_rows"), function(made, entry.name)]
    assert [shapes(one) for one in functions] == [NAMED, NAMED]
    kinds = [param.type for one in functions for param in one.params]
    assert len({kind.shape[0] for kind in kinds if isinstance(kind, TensorType)}) == 1


def test_a_name_of_an_argument_is_the_dimension_that_the_source_calls_so() -> None:
    made = function(program(bare, "a=f32[ROWS,64]", "out=f32[32,64]"), "bare")
    assert made.params[0].type.shape[0] is ROWS.unwrap()


def test_the_extent_of_a_tensor_is_its_dimension_in_an_entry() -> None:
    @pl.jit
    def make(a: pl.Tensor[[ROWS, 64], pl.FP32]):
        rows, columns = a.shape
        b = pl.create_tensor([rows, columns], dtype=a.dtype)
        return b

    assert [str(kind) for kind in function(program(make), "make").return_types] == NAMED[:1]


def test_the_extent_of_a_tensor_is_read_in_a_kernel() -> None:
    @pl.jit.incore
    def count(a: pl.Tensor[[ROWS, 64], pl.FP32]):
        rows = a.shape[0]
        return rows

    made = function(program(count), "count")
    assert "rows: pl.Scalar[pl.INDEX] = pl.tensor.dim(a, 0)" in str(made)


def test_a_callee_may_leave_open_what_its_caller_knows() -> None:
    @pl.jit.incore
    def open_rows(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        a.bind_dynamic(0, ROWS)
        out = pl.store(pl.load(a, [0, 0], [16, 64]), [0, 0], out)
        return out

    @pl.jit
    def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = open_rows(a, out)
        return out

    made = program(main, "a=f32[32,64]", "out=f32[16,64]")
    assert shapes(function(made, "open_rows"))[0] == NAMED[0]
    assert shapes(function(made, "main"))[0] == "pl.Tensor[[32, 64], pl.FP32]"


def test_nothing_of_a_declaration_is_left_in_the_body() -> None:
    text = str(function(program(bound, "a=f32[8,64]", "out=f32[8,64]"), "bound"))
    assert "bind_dynamic" not in text
    assert "pl.dynamic" not in text


def test_binding_takes_a_number_and_a_dimension() -> None:
    @pl.jit
    def wrong(a: pl.Tensor):
        a.bind_dynamic(ROWS, 0)
        return a

    with pytest.raises(ParserSyntaxError, match=r"a.bind_dynamic\(\) takes a number and a dimension"):
        program(wrong, "a=f32[8]")


def test_only_a_dimension_that_there_is_can_be_bound() -> None:
    @pl.jit
    def wrong(a: pl.Tensor):
        a.bind_dynamic(2, ROWS)
        return a

    with pytest.raises(ParserTypeError, match="'a' has no dimension 2 to bind"):
        program(wrong, "a=f32[8]")


def test_a_dimension_has_one_name_and_one_variable_in_an_argument() -> None:
    made = function(program(bare, "a=f32[K,64]", "out=f32[K,64]"), "bare")
    first, second = (param.type.shape[0] for param in made.params)
    assert isinstance(first, Var)
    assert first is second
