# SPDX-License-Identifier: Apache-2.0
"""`pypto.codegen.PTOCodegen`: the assembly of a program's kernels by the public name."""

from __future__ import annotations

import pytest

from pypto_build.compat.codegen import PTOCodegen
from pypto_build.dsl.text import parse_program
from pypto_build.ir import Program

KERNEL = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def copy(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        mem: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024)
        t: pl.Tile[[16, 16], pl.FP32, pl.MemRef(mem, 64, 1024), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 16])
        done = pl.tile.store(t, [0, 0], out)
        return out
"""


@pytest.fixture
def program() -> Program:
    return parse_program(KERNEL)


def test_a_kernel_becomes_a_module(program: Program) -> None:
    text = PTOCodegen().generate(program, emit_source_loc=False)
    assert text.startswith("module attributes {pto.target_arch")
    assert "func.func @copy(" in text


def test_tiles_have_their_addresses(program: Program) -> None:
    assert "arith.constant 64 : i64" in PTOCodegen().generate(program, emit_source_loc=False)


def test_places_are_in_the_text_when_asked_for(program: Program) -> None:
    plain, placed = (PTOCodegen().generate(program, emit_source_loc=wanted) for wanted in (False, True))
    assert "loc(" not in plain
    assert "loc(" in placed


def test_the_assembler_places_tiles_that_get_no_address(program: Program) -> None:
    text = PTOCodegen().generate(program, emit_tile_addr=False, emit_source_loc=False)
    assert "pto.alloc_tile valid_row" in text


def test_a_program_without_kernels_is_refused() -> None:
    text = KERNEL.replace("FunctionType.AIV", "FunctionType.Orchestration")
    with pytest.raises(ValueError, match="InCore-variant"):
        PTOCodegen().generate(parse_program(text))
