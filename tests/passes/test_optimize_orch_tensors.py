# SPDX-License-Identifier: Apache-2.0
"""OptimizeOrchTensors: results in place of inputs, pieces stored at once, strides of parents told to kernels."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.optimize_orch_tensors import OptimizeOrchTensors

from pypto_build.ir import Program, TensorType, as_int
from tests.passes import programs
from tests.passes.tensor_programs import assert_same_answers, operations

V = "pl.Tensor[[64], pl.FP32]"
ADD = f"""
@pl.function(type=pl.FunctionType.InCore)
def step(self, acc: {V}, x: {V}, out: pl.Out[{V}]) -> {V}:
    a = pl.load(acc, [0], [64])
    b = pl.load(x, [0], [64])
    c = pl.tile.add(a, b)
    done = pl.store(c, [0], out)
    return done
"""
FILL = f"""
@pl.function(type=pl.FunctionType.InCore)
def fill(self, x: {V}, out: pl.Out[{V}]) -> {V}:
    a = pl.load(x, [0], [64])
    done = pl.store(a, [0], out)
    return done
"""


def source(kernels: str, text: str, params: str, result: str = V) -> Program:
    """Kernels, and orchestration around them."""
    head = "@pl.function(type=pl.FunctionType.Orchestration)"
    body = indent(dedent(text).strip(), "    ")
    return programs.program(kernels, f"{head}\ndef main(self, {params}) -> {result}:\n{body}")


def optimized(program: Program) -> Program:
    """The program after the pass, which computes what it did, and which a second run leaves alone."""
    made = assert_same_answers(OptimizeOrchTensors(), program)
    programs.assert_unchanged(OptimizeOrchTensors(), made)
    return made


def directions(program: Program, name: str) -> list[str]:
    """The directions of a function's parameters."""
    return [direction.name for direction in programs.method(program, name).param_directions]


# -- results in place of inputs ----------------------------------------------------------------------------------------

CARRIED = """
    first = pl.create_tensor([64], dtype=pl.FP32)
    begun = self.fill(y, first)
    for i, (acc,) in pl.range(3, init_values=(begun,)):
        made = pl.create_tensor([64], dtype=pl.FP32)
        result = self.step(acc, x, made)
        last = pl.yield_(result)
    return last
"""
XY = f"x: {V}, y: {V}"


def test_a_carried_result_is_written_into_the_carry():
    made = optimized(source(ADD + FILL, CARRIED, XY))
    assert directions(made, "step") == ["InOut", "In"]
    assert operations(made, "main") == ["tensor.create", "fill", "step"]


MORE = "more = pl.create_tensor([64], dtype=pl.FP32)\n    z = self.step({}, more)\n    return z"
NOT_CARRIED = {
    "the carry is the host's": (ADD, CARRIED.replace("(begun,)", "(y,)").replace("begun = self.fill(y, first)", "")),
    "the carry is read twice": (
        ADD + FILL,
        CARRIED.replace("result = self", "twice = self.fill(acc, begun)\n        result = self"),
    ),
    "the first value is used behind the loop": (ADD + FILL, CARRIED.replace("return last", MORE.format("last, begun"))),
    "the kernel reads on after it has begun to write": (
        ADD.replace("c = pl.tile.add(a, b)", "begun = pl.store(b, [0], out)\n    c = pl.load(acc, [0], [64])") + FILL,
        CARRIED,
    ),
    "another call keeps what it passes": (ADD + FILL, CARRIED.replace("return last", MORE.format("x, last"))),
}


@pytest.mark.parametrize("case", NOT_CARRIED)
def test_a_result_is_not_written_into_what_somebody_else_may_see(case: str):
    kernels, text = NOT_CARRIED[case]
    programs.assert_unchanged(OptimizeOrchTensors(), source(kernels, text, XY))


# -- pieces ------------------------------------------------------------------------------------------------------------

ONE, TWO = "pl.Tensor[[1, 32], pl.FP32]", "pl.Tensor[[1, 64], pl.FP32]"
PIECES = f"""
@pl.function(type=pl.FunctionType.InCore)
def build(self, x: {ONE}, out: pl.Out[{TWO}]) -> {TWO}:
    whole = pl.tile.create([1, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
    for i, (acc,) in pl.range(2, init_values=(whole,)):
        piece = pl.load(x, [0, 0], [1, 32])
        longer = pl.tile.assemble(acc, piece, [0, i * 32])
        last = pl.yield_(longer)
    done = pl.store(last, [0, 0], out)
    return done
"""
BUILD = "made = pl.create_tensor([1, 64], dtype=pl.FP32)\ny = self.build(x, made)\nreturn y"


def test_pieces_of_a_tile_that_is_stored_as_a_whole_are_stored_at_once():
    made = optimized(source(PIECES, BUILD, f"x: {ONE}", TWO))
    assert operations(made, "build") == ["tile.load", "tile.store"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pl.store(last, [0, 0], out)", "pl.store(pl.tile.add(last, last), [0, 0], out)"),
        ("pl.tile.assemble(acc, piece, [0, i * 32])", "pl.tile.add(acc, acc)"),
        (
            "pl.tile.create([1, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)",
            "pl.tile.full([1, 64], dtype=pl.FP32, value=1.0)",
        ),
    ],
    ids=["the whole is computed with", "the pieces are not assembled", "the tile has contents before"],
)
def test_a_tile_that_is_more_than_its_pieces_stays(old: str, new: str):
    program = source(PIECES.replace(old, new), BUILD, f"x: {ONE}", TWO)
    programs.assert_unchanged(OptimizeOrchTensors(), program)


# -- strides -----------------------------------------------------------------------------------------------------------

M, S = "pl.Tensor[[8, 32], pl.FP32]", "pl.Tensor[[4, 16], pl.FP32]"
COPY = f"""
@pl.function(type=pl.FunctionType.InCore)
def copy(self, x: {S}, out: pl.Out[{S}]) -> {S}:
    a = pl.load(x, [0, 0], [4, 16])
    done = pl.store(a, [0, 0], out)
    return done
"""
WINDOWS = """
    for i, (acc,) in pl.range(2, init_values=(y,)):
        part = pl.slice(x, [4, 16], [i * 4, 16])
        made = pl.create_tensor([4, 16], dtype=pl.FP32)
        result = self.copy(part, made)
        longer = pl.assemble(acc, result, [i * 4, 0])
        last = pl.yield_(longer)
    return last
"""
MY = f"x: {M}, y: pl.InOut[{M}]"


def strides(program: Program, name: str) -> list[list[int | None]]:
    """The strides that a kernel's parameters state."""
    kinds = [param.type for param in programs.method(program, name).params]
    views = [kind.tensor_view for kind in kinds if isinstance(kind, TensorType)]
    return [[as_int(stride) for stride in view.stride] if view is not None else [] for view in views]


def test_kernels_are_told_the_strides_of_what_they_get_windows_of():
    assert strides(optimized(source(COPY, WINDOWS, MY, M)), "copy") == [[32, 1], [32, 1]]


def test_a_window_of_a_window_has_the_outer_strides():
    text = """
        rows = pl.slice(x, [8, 16], [0, 16])
        part = pl.slice(rows, [4, 16], [4, 0])
        z = self.copy(part, y)
        return z
    """
    assert strides(optimized(source(COPY, text, f"x: {M}, y: pl.InOut[{S}]", S)), "copy") == [[32, 1], []]


def test_what_is_assembled_twice_stays_packed():
    text = WINDOWS.replace("last = pl", "again = pl.assemble(longer, result, [0, 16])\n        last = pl").replace(
        "pl.yield_(longer)", "pl.yield_(again)"
    )
    assert strides(optimized(source(COPY, text, MY, M)), "copy") == [[32, 1], []]


def test_calls_that_disagree_leave_a_parameter_packed():
    more = "z = pl.create_tensor([4, 16], dtype=pl.FP32)\n    w = self.copy(z, z)\n    return last"
    text = WINDOWS.replace("return last", more)
    programs.assert_unchanged(OptimizeOrchTensors(), source(COPY, text, MY, M))


def test_a_symbolic_stride_is_not_told():
    text = "part = pl.slice(x, [4, 16], [0, 0])\nz = self.copy(part, y)\nreturn z"
    params = f"x: pl.Tensor[[8, pl.dynamic('N')], pl.FP32], y: pl.InOut[{S}]"
    programs.assert_unchanged(OptimizeOrchTensors(), source(COPY, text, params, S))
