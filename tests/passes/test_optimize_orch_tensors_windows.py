# SPDX-License-Identifier: Apache-2.0
"""OptimizeOrchTensors: kernels that ask for it get the windows that they touch."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.optimize_orch_tensors import OptimizeOrchTensors

from pypto_build.ir import Call, GlobalVar, Program, TensorType, as_int, collect
from tests.passes import programs
from tests.passes.tensor_programs import assert_same_answers, operations

M = "pl.Tensor[[64, 16], pl.FP32]"
ASKS = '    pl.func_attr({"windowize": True})\n'
ROWS = f"""
def rows(self, x: {M}, r: pl.Scalar[pl.INDEX], out: pl.Out[{M}]) -> {M}:
    a = pl.load(x, [r, 0], [16, 16])
    b = pl.tile.adds(a, 1.0)
    done = pl.store(b, [r, 0], out)
    return done
"""
LOOP = f"""
def rows(self, x: {M}, r: pl.Scalar[pl.INDEX], out: pl.Out[{M}]) -> {M}:
    for i, (acc,) in pl.range(2, init_values=(out,)):
        at = r + i * 8
        a = pl.load(x, [at, 0], [8, 16])
        more = pl.store(a, [at, 0], acc)
        last = pl.yield_(more)
    return last
"""
PAIR = f"""
def pair(self, x: {M}, r: pl.Scalar[pl.INDEX], out: pl.Out[{M}], other: pl.Out[{M}]) -> tuple[{M}, {M}]:
    a = pl.load(x, [r, 0], [16, 16])
    done = pl.store(a, [r, 0], out)
    b = pl.tile.adds(a, 1.0)
    too = pl.store(b, [0, 0], other)
    return done, too
"""
ONE = "y2 = self.rows(x, 16, y)\nreturn y2"
PARAMS = f"x: {M}, y: pl.InOut[{M}], z: pl.InOut[{M}]"


def source(kernel: str, text: str, result: str = M, asks: str = ASKS) -> Program:
    """A kernel that asks for windows, and orchestration around it."""
    head, rest = kernel.strip().split(":\n", 1)
    kernel = f"@pl.function(type=pl.FunctionType.InCore)\n{head}:\n{asks}{rest}"
    body = indent(dedent(text).strip(), "    ")
    caller = f"@pl.function(type=pl.FunctionType.Orchestration)\ndef main(self, {PARAMS}) -> {result}:\n{body}"
    return programs.program(kernel, caller)


def windowed(program: Program) -> Program:
    """The program after the pass, which computes what it did; some call passes windows."""
    made = assert_same_answers(OptimizeOrchTensors(), program)
    assert len(made.functions) > len(program.functions)
    return made


def shapes(program: Program, name: str) -> list[list[int | None]]:
    """The shapes of a kernel's tensors."""
    kinds = [param.type for param in programs.method(program, name).params]
    return [[as_int(dim) for dim in kind.shape] for kind in kinds if isinstance(kind, TensorType)]


def test_a_call_passes_slices_and_its_result_is_assembled():
    made = windowed(source(ROWS, ONE))
    assert operations(made, "main") == ["tensor.slice", "tensor.slice", "rows__windowed", "tensor.assemble"]
    assert shapes(made, "rows__windowed") == [[16, 16], [16, 16]]
    assert shapes(made, "rows") == [[64, 16], [64, 16]]


def test_a_box_that_a_loop_fills_is_one_window():
    made = windowed(source(LOOP, ONE))
    assert shapes(made, "rows__windowed") == [[64, 16], [16, 16]]


def test_windows_in_a_loop_must_not_overlap():
    text = """
        for i, (acc,) in pl.range(4, init_values=(y,)):
            r = i * {}
            made = self.rows(x, r, acc)
            last = pl.yield_(made)
        return last
    """
    windowed(source(ROWS, text.format(16)))
    programs.assert_unchanged(OptimizeOrchTensors(), source(ROWS, text.format(8)))


def test_two_loops_around_a_call_count_together():
    text = """
        for i, (acc,) in pl.range(2, init_values=(y,)):
            for j, (inner,) in pl.range(2, init_values=(acc,)):
                r = i * 32 + j * {}
                made = self.rows(x, r, inner)
                more = pl.yield_(made)
            last = pl.yield_(more)
        return last
    """
    windowed(source(ROWS, text.format(16)))
    programs.assert_unchanged(OptimizeOrchTensors(), source(ROWS, text.format(32)))


def test_each_of_several_results_is_a_window_of_its_own():
    text = "both = self.pair(x, 16, y, z)\na = both[0]\nb = both[1]\nreturn a, b"
    made = windowed(source(PAIR, text, f"tuple[{M}, {M}]"))
    assert operations(made, "main").count("tensor.assemble") == 2


def test_a_tuple_of_results_that_is_used_as_a_whole_is_put_together_again():
    windowed(source(PAIR, "both = self.pair(x, 16, y, z)\nreturn both", f"tuple[{M}, {M}]"))


def test_a_second_writer_with_a_window_of_its_own_is_fine():
    made = windowed(source(ROWS, "y2 = self.rows(x, 0, y)\ny3 = self.rows(x, 32, y2)\nreturn y3"))
    assert [call.op.name for call in collect(made, Call) if isinstance(call.op, GlobalVar)] == ["rows__windowed"] * 2


READ = "n = pl.cast(pl.tensor.read(x, [0, 0]), pl.INDEX)\n    a = pl"
LEFT = {
    "a kernel that does not ask": (
        ROWS,
        ONE,
        "",
    ),
    "two windows of one tensor in one call": (PAIR, "a, b = self.pair(x, 16, y, y)\nreturn a", ASKS),
    "the whole of a tensor": (
        ROWS.replace("[r, 0]", "[0, 0]").replace("[16, 16]", "[64, 16]"),
        ONE,
        ASKS,
    ),
    "an output that is read": (ROWS.replace("pl.load(x", "pl.load(out"), ONE, ASKS),
    "a place that is computed from data": (
        ROWS.replace("a = pl", "n = pl.cast(pl.tensor.read(x, [0, 0]), pl.INDEX)\n    a = pl").replace(
            "[r, 0]", "[n, 0]"
        ),
        ONE,
        ASKS,
    ),
    "parts with a gap between them": (LOOP.replace("i * 8", "i * 16"), ONE, ASKS),
    "a while loop around the call": (
        ROWS,
        """
        n: pl.Scalar[pl.INDEX] = 0
        for i, acc in pl.while_(init_values=(n, y)):
            pl.cond(i < 64)
            made = self.rows(x, i, acc)
            more = i + 16
            last, done = pl.yield_(more, made)
        return done
        """,
        ASKS,
    ),
}


@pytest.mark.parametrize("case", LEFT)
def test_anything_else_keeps_whole_tensors(case: str):
    kernel, text, asks = LEFT[case]
    programs.assert_unchanged(OptimizeOrchTensors(), source(kernel, text, M, asks))


def test_a_writer_of_the_whole_keeps_the_others_from_windows():
    fill = f"""
@pl.function(type=pl.FunctionType.InCore)
def fill(self, out: pl.Out[{M}]) -> {M}:
    a = pl.tile.full([64, 16], dtype=pl.FP32, value=1.0)
    done = pl.store(a, [0, 0], out)
    return done
"""
    text = "y2 = self.fill(y)\ny3 = self.rows(x, 16, y2)\nreturn y3"
    programs.assert_unchanged(OptimizeOrchTensors(), source(ROWS + fill, text))
