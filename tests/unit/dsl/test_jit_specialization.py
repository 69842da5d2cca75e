# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ARG001, RET504, SIM108  # kernels are read, never run: their names and forms are the subject
"""A @pl.jit function and its arguments give the program that one would have written with the types spelled out."""

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import ParserTypeError
from pypto_build.errors import UserError, UserErrors
from pypto_build.ir import AssignStmt, IfStmt, ParamDirection, assert_structural_equal, collect
from tests.unit.dsl.jit_programs import function, program, shapes

WIDTH = 32


@pl.jit.incore
def add_tile(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    rows, columns = a.shape
    tile_a = pl.load(a, [0, 0], [rows, columns])
    tile_b = pl.load(b, [0, 0], [rows, columns])
    out = pl.store(pl.add(tile_a, tile_b), [0, 0], out)
    return out


@pl.jit
def add(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = add_tile(a, b, out)
    return out


@pl.program
class Written:
    @pl.function(type=pl.FunctionType.InCore)
    def add_tile(
        self,
        a: pl.Tensor[[16, 32], pl.FP32],
        b: pl.Tensor[[16, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    ) -> pl.Tensor[[16, 32], pl.FP32]:
        tile_a = pl.load(a, [0, 0], [16, 32])
        tile_b = pl.load(b, [0, 0], [16, 32])
        out = pl.store(pl.add(tile_a, tile_b), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def add(
        self,
        a: pl.Tensor[[16, 32], pl.FP32],
        b: pl.Tensor[[16, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    ) -> pl.Tensor[[16, 32], pl.FP32]:
        out = self.add_tile(a, b, out)
        return out


ADD = ("a=f32[16,32]", "b=f32[16,32]", "out=f32[16,32]")


def test_a_program_is_that_of_the_types_spelled_out() -> None:
    assert_structural_equal(program(add, *ADD), Written)


def test_places_are_the_authors() -> None:
    first = function(program(add, *ADD), "add_tile")
    assert first.span.filename == __file__
    assert collect(first.body, AssignStmt)[0].span.begin_line == add_tile.python.__code__.co_firstlineno + 3


def test_one_function_makes_as_many_programs_as_one_likes() -> None:
    small, large = (program(add, *(f"{name}=f32[{n},{n}]" for name in ("a", "b", "out"))) for n in (16, 32))
    assert shapes(function(small, "add"))[0] == "pl.Tensor[[16, 16], pl.FP32]"
    assert shapes(function(large, "add"))[0] == "pl.Tensor[[32, 32], pl.FP32]"


@pl.jit.incore
def scale(a: pl.Tensor, n: pl.INDEX, factor: pl.Scalar[pl.FP32], out: pl.Out[pl.Tensor]):
    half = n // 2
    out = pl.store(pl.mul(pl.load(a, [0, 0], [half, WIDTH]), factor), [0, 0], out)
    return out


def test_a_number_is_a_constant_wherever_it_is_named_and_stays_a_parameter() -> None:
    made = function(program(scale, "a=f32[16,32]", "n=16", "factor=2", "out=f32[16,32]"), "scale")
    assert "pl.tile.load(a, [0, 0], [8, 32]" in str(made)
    assert "2.0" in str(made)
    assert [param.name_hint for param in made.params] == ["a", "n", "factor", "out"]


def test_a_number_that_is_not_given_is_known_when_the_kernel_runs() -> None:
    made = function(program(scale, "a=f32[16,32]", "n=16", "out=f32[16,32]"), "scale")
    assert ", factor)" in str(made)


def test_directions_and_element_types_are_kept() -> None:
    made = function(program(scale, "a=f16[16,32]", "n=16", "out=f16[16,32]"), "scale")
    assert made.param_directions[0] is ParamDirection.In
    assert made.param_directions[3] is ParamDirection.Out
    assert [str(kind) for kind in made.return_types] == ["pl.Tensor[[16, 32], pl.FP16]"]


def test_a_default_is_a_constant() -> None:
    @pl.jit
    def repeat(a: pl.Tensor, times: pl.INDEX = 3):
        for _ in pl.range(times):
            a = pl.slice(a, [4], [0])
        return a

    assert "pl.range(3)" in str(program(repeat, "a=f32[4]"))
    assert "pl.range(5)" in str(program(repeat, "a=f32[4]", "times=5"))


def test_a_default_may_leave_the_number_to_the_run() -> None:
    @pl.jit
    def repeat(a: pl.Tensor, times: pl.INDEX = pl.RUNTIME):
        for _ in pl.range(times):
            a = pl.slice(a, [4], [0])
        return a

    assert "pl.range(times)" in str(program(repeat, "a=f32[4]"))


def test_a_constant_that_the_body_changes_begins_as_that_number() -> None:
    @pl.jit
    def count(a: pl.Tensor, n: pl.INT32):
        for _ in pl.range(4):
            n = n + 1
        return n

    assigned = collect(function(program(count, "a=f32[4]", "n=7"), "count").body, AssignStmt)
    assert [str(stmt.value) for stmt in assigned] == ["7", "n + 1"]
    assert assigned[0].var is assigned[1].var


def test_an_extent_that_a_loop_changes_is_a_variable() -> None:
    @pl.jit
    def count(a: pl.Tensor):
        n = a.shape[0]
        for _ in pl.range(4):
            n = n + 1
        return n

    assigned = collect(function(program(count, "a=f32[4]"), "count").body, AssignStmt)
    assert [str(stmt.value) for stmt in assigned] == ["4", "n + 1"]


def test_a_branch_that_constants_decide_is_the_only_one_that_is_read() -> None:
    @pl.jit
    def choose(a: pl.Tensor, wide: pl.BOOL):
        if wide and a.shape[0] > 2:
            b = pl.slice(a, [4], [0])
        else:
            b = undefined  # noqa: F821  # not read
        return b

    made = function(program(choose, "a=f32[4]", "wide=True"), "choose")
    assert collect(made.body, IfStmt) == []
    assert str(made.return_types[0]) == "pl.Tensor[[4], pl.FP32]"


def test_a_branch_that_the_kernel_decides_stays() -> None:
    @pl.jit
    def choose(a: pl.Tensor, n: pl.INDEX):
        if n > 2:
            n = n + 1
        return n

    assert len(collect(function(program(choose, "a=f32[4]"), "choose").body, IfStmt)) == 1


def test_a_name_may_begin_again_with_another_type() -> None:
    @pl.jit.incore
    def convert(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        tile = pl.load(a, [0, 0], [16, 16])
        tile = pl.cast(tile, out.dtype)
        out = pl.store(tile, [0, 0], out)
        return out

    made = function(program(convert, "a=f32[16,16]", "out=f16[16,16]"), "convert")
    assert [str(stmt.var.type)[:28] for stmt in collect(made.body, AssignStmt)[:2]] == [
        "pl.Tile[[16, 16], pl.FP32, p",
        "pl.Tile[[16, 16], pl.FP16, p",
    ]


def test_a_value_that_a_loop_carries_keeps_its_type() -> None:
    @pl.jit.incore
    def convert(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        tile = pl.load(a, [0, 0], [16, 16])
        for _ in pl.range(2):
            tile = pl.cast(tile, pl.FP16)
        out = pl.store(tile, [0, 0], out)
        return out

    with pytest.raises(ParserTypeError, match="Cannot reassign 'tile' with a different type"):
        program(convert, "a=f32[16,16]", "out=f16[16,16]")


def test_the_names_around_a_function_are_constants() -> None:
    def make(rows: int):
        @pl.jit.incore
        def copy(a: pl.Tensor, out: pl.Out[pl.Tensor]):
            out = pl.store(pl.load(a, [0, 0], [rows, WIDTH]), [0, 0], out)
            return out

        return copy

    assert "[8, 32]" in str(program(make(8), "a=f32[16,32]", "out=f32[16,32]"))


@pl.jit
def typed(a: pl.Tensor[[16, 32], pl.FP32], n: pl.Scalar[pl.INT32]):
    return a


@pytest.mark.parametrize("arguments", [(), ("a=f32[16,32]", "n=i32")])
def test_a_whole_annotation_needs_no_argument(arguments: tuple[str, ...]) -> None:
    assert shapes(function(program(typed, *arguments), "typed")) == [
        "pl.Tensor[[16, 32], pl.FP32]",
        "pl.Scalar[pl.INT32]",
    ]


@pytest.mark.parametrize("argument", ["a=f32[16,33]", "a=f16[16,32]", "a=f32[16]", "a=f32[N,32]", "a=f32", "n=i64"])
def test_an_argument_does_not_contradict_an_annotation(argument: str) -> None:
    with pytest.raises(UserErrors, match="contradicts its annotation"):
        program(typed, argument)


@pytest.mark.parametrize("argument", ["n=1.5", "n=2.0", "a=3"])
def test_a_number_is_of_the_kind_that_the_annotation_says(argument: str) -> None:
    with pytest.raises(ParserTypeError, match=r"it is given (1.5|2.0|3)"):
        program(typed, argument)


def test_everything_that_is_missing_is_said_at_once() -> None:
    with pytest.raises(UserErrors) as caught:
        program(add, "a=f32[16,32]")
    assert [error.message for error in caught.value.errors] == [
        "Nothing says what the parameter 'b' of 'add' is",
        "Nothing says what the parameter 'out' of 'add' is",
    ]
    assert "b=f32[64,64]" in caught.value.errors[0].help


def test_an_argument_without_a_parameter_is_named() -> None:
    with pytest.raises(UserErrors, match="'add' has no parameter 'ou'") as caught:
        program(add, *ADD, "ou=3")
    assert caught.value.errors[0].help == "did you mean `out`?"


def test_a_parameter_needs_an_annotation() -> None:
    @pl.jit
    def bare(a):
        return a

    with pytest.raises(ParserTypeError, match="Parameter 'a' is missing type annotation"):
        program(bare, "a=f32[4]")


def test_an_inline_function_is_no_program() -> None:
    @pl.jit.inline
    def part(a: pl.Tensor):
        return a

    with pytest.raises(UserError, match=r"'part' is @pl.jit.inline, which is no program"):
        program(part, "a=f32[4]")
