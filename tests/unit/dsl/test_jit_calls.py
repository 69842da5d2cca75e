# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ARG001, RET504  # kernels are read, never run: their names and forms are the subject
"""Calls between @pl.jit functions: found by name, made for the types of the arguments."""

from types import SimpleNamespace

import pytest

import pypto_build.dsl.language as pl
import pypto_build.dsl.language.distributed as pld
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, UnsupportedFeatureError
from pypto_build.ir import Call, Function, FunctionType, Level, ParamDirection, SpmdScopeStmt, collect
from tests.unit.dsl.jit_programs import function, program, shapes


@pl.jit.incore
def copy(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    rows, columns = a.shape
    out = pl.store(pl.load(a, [0, 0], [rows, columns]), [0, 0], out)
    return out


@pl.jit.incore
def fill(n: pl.INDEX, out: pl.Out[pl.Tensor]):
    out = pl.store(pl.tile.full([16, 16], dtype=pl.FP32, value=1.0), [n, 0], out)
    return out


def calls(made: Function) -> list[str]:
    """The calls of functions in a body, as they are printed."""
    return [str(call) for call in collect(made.body, Call) if "." not in call.op.name]


def test_a_function_that_is_called_is_part_of_the_program() -> None:
    @pl.jit
    def twice(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        buffer = pl.create_tensor(a.shape, dtype=a.dtype)
        buffer = copy(a, buffer)
        out = copy(buffer, out)
        return out

    made = program(twice, "a=f32[16,32]", "out=f32[16,32]")
    assert [one.name for one in made.functions.values()] == ["copy", "twice"]


def test_a_function_of_another_module_is_called_through_it() -> None:
    kernels = SimpleNamespace(copy=copy)

    @pl.jit
    def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = kernels.copy(a, out)
        return out

    assert calls(function(program(main, "a=f32[8,8]", "out=f32[8,8]"), "main")) == ["copy(a, out)"]


def test_a_version_takes_no_name_that_is_taken() -> None:
    @pl.function(type=pl.FunctionType.InCore)
    def copy_2(out: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[8, 8], pl.FP32]:
        return out

    @pl.jit
    def main(a: pl.Tensor, b: pl.Tensor, x: pl.Out[pl.Tensor], y: pl.Out[pl.Tensor]):
        x = copy_2(x)
        x = copy(a, x)
        y = copy(b, y)
        return x, y

    made = program(main, "a=f32[8,8]", "b=f16[8,8]", "x=f32[8,8]", "y=f16[8,8]")
    assert sorted(one.name for one in made.functions.values()) == ["copy", "copy_2", "copy_3", "main"]


def test_a_function_is_made_again_for_other_types() -> None:
    @pl.jit
    def both(a: pl.Tensor, b: pl.Tensor, x: pl.Out[pl.Tensor], y: pl.Out[pl.Tensor]):
        x = copy(a, x)
        y = copy(b, y)
        x = copy(a, x)
        return x, y

    made = program(both, "a=f32[16,32]", "b=f16[8,8]", "x=f32[16,32]", "y=f16[8,8]")
    assert [one.name for one in made.functions.values()] == ["both", "copy", "copy_2"]
    assert shapes(function(made, "copy_2"))[0] == "pl.Tensor[[8, 8], pl.FP16]"


def test_the_types_of_slices_and_results_reach_the_callee() -> None:
    @pl.jit
    def part(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        view = pl.slice(a, [8, 16], [0, 0])
        out = copy(view, out)
        return out

    made = program(part, "a=f32[32,32]", "out=f32[8,16]")
    assert shapes(function(made, "copy"))[0] == "pl.Tensor[[8, 16], pl.FP32]"


def test_a_slice_of_computed_width_has_the_width_of_the_whole() -> None:
    @pl.jit
    def part(a: pl.Tensor, sizes: pl.Tensor, out: pl.Out[pl.Tensor]):
        width = pl.tensor.read(sizes, [0])
        view = pl.slice(a, [8, width], [0, 0])
        out = copy(view, out)
        return out

    made = program(part, "a=f32[32,64]", "sizes=i64[1]", "out=f32[8,64]")
    assert shapes(function(made, "copy"))[0] == "pl.Tensor[[8, 64], pl.FP32]"


def test_a_computed_extent_that_nothing_bounds_is_refused() -> None:
    @pl.jit
    def part(sizes: pl.Tensor, out: pl.Out[pl.Tensor]):
        width = pl.tensor.read(sizes, [0])
        buffer = pl.create_tensor([8, width], dtype=pl.FP32)
        out = copy(buffer, out)
        return out

    with pytest.raises(ParserTypeError, match="is given an extent that is known only when the program runs: width"):
        program(part, "sizes=i64[1]", "out=f32[8,64]")


def test_a_constant_of_the_caller_is_one_of_the_callee() -> None:
    @pl.jit
    def main(n: pl.INDEX, out: pl.Out[pl.Tensor]):
        out = fill(n, out)
        return out

    made = program(main, "n=7", "out=f32[32,16]")
    assert "[7, 0], out)" in str(function(made, "fill"))
    assert calls(function(made, "main")) == ["fill(7, out)"]


def test_a_number_that_is_written_at_a_call_is_an_argument() -> None:
    @pl.jit
    def main(out: pl.Out[pl.Tensor]):
        out = fill(0, out)
        out = fill(16, out)
        return out

    made = program(main, "out=f32[32,16]")
    assert "[n, 0], out)" in str(function(made, "fill"))
    assert [one.name for one in made.functions.values()] == ["fill", "main"]


def test_arguments_may_be_given_by_name_and_left_to_defaults() -> None:
    @pl.jit.incore
    def place(a: pl.Tensor, out: pl.Out[pl.Tensor], row: pl.INDEX = 8):
        out = pl.store(pl.load(a, [0, 0], [8, 16]), [row, 0], out)
        return out

    @pl.jit
    def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = place(out=out, a=a)
        return out

    assert calls(function(program(main, "a=f32[8,16]", "out=f32[32,16]"), "main")) == ["place(a, out, 8)"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("copy(a)", "Function 'copy' expects 2 argument"),
        ("copy(a, out, a)", "Function 'copy' expects 2 argument"),
        ("copy(a, out, a=a)", "'copy' is given 'a' twice"),
        ("copy(a, out, speed=2)", "does not accept keyword argument 'speed'"),
        ("copy(1, out)", "Parameter 'a' of 'copy' is a Tensor, it is given a Scalar"),
    ],
)
def test_wrong_arguments_are_refused(call: str, message: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"""
import pypto_build.dsl.language as pl
from tests.unit.dsl.test_jit_calls import copy

@pl.jit
def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = {call}
    return out
"""
    path = tmp_path / "wrong.py"
    path.write_text(text)
    names: dict[str, object] = {}
    exec(compile(text, str(path), "exec"), names)  # a kernel per case
    with pytest.raises(ParserTypeError, match=message):
        program(names["main"], "a=f32[8,8]", "out=f32[8,8]")


def test_an_inline_function_has_parameters_without_directions() -> None:
    @pl.jit.inline
    def part(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = copy(a, out)
        return out

    @pl.jit
    def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = part(a, out)
        return out

    made = function(program(main, "a=f32[8,8]", "out=f32[8,8]"), "part")
    assert made.func_type is FunctionType.Inline
    assert made.param_directions == (ParamDirection.In, ParamDirection.In)


def test_several_results_are_unpacked() -> None:
    @pl.jit.incore
    def split(a: pl.Tensor, x: pl.Out[pl.Tensor], y: pl.Out[pl.Tensor]):
        tile = pl.load(a, [0, 0], [8, 8])
        x = pl.store(pl.abs(tile), [0, 0], x)
        y = pl.store(pl.neg(tile), [0, 0], y)
        return x, y

    @pl.jit
    def main(a: pl.Tensor, x: pl.Out[pl.Tensor], y: pl.Out[pl.Tensor]):
        x, y = split(a, x, y)
        return x, y

    made = program(main, "a=f32[8,8]", "x=f32[8,8]", "y=f32[8,8]")
    assert len(function(made, "split").return_types) == len(function(made, "main").return_types) == 2


def test_an_entry_calls_no_entry() -> None:
    @pl.jit
    def inner(a: pl.Tensor):
        return a

    @pl.jit
    def outer(a: pl.Tensor):
        a = inner(a)
        return a

    with pytest.raises(UnsupportedFeatureError, match=r"@pl.jit function 'inner' is an entry"):
        program(outer, "a=f32[8]")


def test_a_host_entry_hands_work_to_devices() -> None:
    @pl.jit
    def chip(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = copy(a, out)
        return out

    @pl.jit.host
    def host(inputs: pl.Tensor, outputs: pl.Out[pl.Tensor]):
        for rank in pl.range(pld.world_size()):
            chip(inputs[rank], outputs[rank], device=rank)
        return outputs

    made = program(host, "inputs=f32[2,8,16]", "outputs=f32[2,8,16]")
    assert function(made, "host").level is Level.HOST
    assert shapes(function(made, "chip")) == ["pl.Tensor[[8, 16], pl.FP32]"] * 2


def test_a_function_does_not_call_itself() -> None:
    @pl.jit.incore
    def again(a: pl.Tensor):
        a = again(a)
        return a

    with pytest.raises(ParserSyntaxError, match=r"'again' calls itself"):
        program(again, "a=f32[8]")


def test_a_function_with_written_types_calls_no_jit_function() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"'copy' is called from a function that is not @pl.jit"):

        @pl.function
        def main(a: pl.Tensor[[8, 8], pl.FP32], out: pl.Tensor[[8, 8], pl.FP32]):
            out = copy(a, out)
            return out


def test_a_mistake_in_a_callee_names_the_call_that_it_was_read_for() -> None:
    @pl.jit
    def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = copy(a, out)
        return out

    with pytest.raises(ParserTypeError, match="Cannot unpack 1 value") as caught:
        program(main, "a=f32[8]", "out=f32[8]")
    ((text, place),) = caught.value.notes
    assert text.startswith("'copy' is read for this call, with a: pl.Tensor[[8], pl.FP32]")
    assert place.begin_line == main.python.__code__.co_firstlineno + 2


def test_a_launch_on_several_cores_runs_a_jit_kernel() -> None:
    @pl.jit
    def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
        with pl.spmd(2):
            out = copy(a, out)
        return out

    made = function(program(main, "a=f32[8,8]", "out=f32[8,8]"), "main")
    assert len(collect(made.body, SpmdScopeStmt)) == 1
