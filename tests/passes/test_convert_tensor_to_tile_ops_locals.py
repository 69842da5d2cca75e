# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: tensors that a kernel makes for itself, and what flows through its loops and branches."""

from __future__ import annotations

from typing import Any

import pytest
from pypto_passes.convert_tensor_to_tile_ops import ConvertTensorToTileOps
from pypto_passes.verifiers.ssa_form import verify_ssa_form

from pypto_build.ir import ForStmt, Program, TileType, collect
from pypto_build.passes import PassContext
from tests.passes import programs
from tests.passes.tensor_programs import assert_same_answers, kernel_and_caller, operations

ROW = "pl.Tensor[[1, 32], pl.FP32]"
TWO = "pl.Tensor[[1, 64], pl.FP32]"

FILLED = """
    whole = pl.tensor.create([1, 64], dtype=pl.FP32)
    for i, (built,) in pl.range(2, init_values=(whole,)):
        piece = pl.tensor.slice(x, [1, 32], [0, 0])
        longer = pl.tensor.assemble(built, piece, [0, i * 32])
        done = pl.yield_(longer)
"""


def converted(params: str, text: str, result: str, **given: Any) -> Program:
    """A kernel after the pass, which computes what it did before and is in SSA form."""
    made = assert_same_answers(ConvertTensorToTileOps(), kernel_and_caller(params, text, result), **given)
    assert list(verify_ssa_form(made, PassContext())) == []
    return made


def carries(program: Program) -> list[bool]:
    """For each carry of the kernel's loops whether it is a tile."""
    loops = collect(programs.method(program, "kernel"), ForStmt)
    return [isinstance(arg.type, TileType) for loop in loops for arg in loop.iter_args]


def test_a_local_tensor_that_a_loop_fills_and_the_kernel_returns_is_the_output():
    made = converted(f"x: {ROW}", FILLED + "    return done", TWO)
    assert operations(made) == ["tile.load", "tile.store"]
    assert carries(made) == [False]


def test_a_local_tensor_that_a_loop_fills_and_something_reads_is_a_tile():
    made = converted(f"x: {ROW}", FILLED + "    more = pl.tensor.adds(done, 1.0)\n    return more", TWO)
    assert operations(made) == ["tile.create", "tile.load", "tile.assemble", "tile.adds", "tile.store"]
    assert carries(made) == [True]


def test_a_parameter_that_a_loop_fills_stays_where_it_is():
    text = FILLED.replace("whole = pl.tensor.create([1, 64], dtype=pl.FP32)", "whole = y") + "    return done"
    made = converted(f"x: {ROW}, y: pl.InOut[{TWO}]", text, TWO)
    assert carries(made) == [False]


@pytest.mark.parametrize("c", [0, 1])
def test_a_parameter_that_meets_a_computed_tensor_is_loaded(c: int):
    text = """
        if c > 0:
            other = x
            met = pl.yield_(other)
        else:
            more = pl.tensor.adds(x, 1.0)
            met = pl.yield_(more)
        return met
    """
    made = converted(f"x: {ROW}, c: pl.Scalar[pl.INT32]", text, ROW, c=c)
    assert operations(made) == ["tile.load", "tile.adds", "tile.store"]


@pytest.mark.parametrize("c", [0, 1])
def test_a_stored_tensor_that_meets_a_computed_one_is_loaded_where_they_meet(c: int):
    text = """
        if c > 0:
            piece = pl.tensor.slice(x, [1, 32], [0, 0])
            stored = pl.tensor.assemble(y, piece, [0, 32])
            met = pl.yield_(stored)
        else:
            more = pl.tensor.adds(z, 1.0)
            met = pl.yield_(more)
        return met
    """
    made = converted(f"x: {ROW}, y: pl.InOut[{TWO}], z: {TWO}, c: pl.Scalar[pl.INT32]", text, TWO, c=c)
    assert operations(made).count("tile.load") == 3


def test_an_element_of_a_loaded_parameter_is_read_from_its_tile():
    text = (
        "    t = pl.tensor.adds(x, 1.0)\n    v = pl.tensor.read(x, [0, 3])\n    r = pl.tensor.adds(t, v)\n    return r"
    )
    assert "tensor.read" not in operations(converted(f"x: {ROW}", text, ROW))


def test_an_element_of_a_parameter_that_is_written_is_read_in_memory():
    text = """
        t = pl.tensor.adds(x, 1.0)
        y = pl.tensor.assemble(x, t, [0, 0])
        v = pl.tensor.read(x, [0, 3])
        r = pl.tensor.adds(t, v)
        return r
    """
    assert "tensor.read" in operations(converted(f"x: pl.InOut[{ROW}]", text, ROW))
