# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: tensors that a kernel makes for itself, and operations that it must not convert by name."""

from __future__ import annotations

import pytest
from pypto_passes.convert_tensor_to_tile_ops import ConvertTensorToTileOps
from pypto_passes.verifiers.ssa_form import verify_ssa_form

from pypto_build.errors import UserError
from pypto_build.ir import Call, ForStmt, TileType, collect
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

LOCAL = """
@pl.function(type=pl.FunctionType.InCore)
def kernel(self, x: pl.Tensor[[1, 32], pl.FP32]) -> pl.Tensor[[1, 64], pl.FP32]:
    whole = pl.tensor.create([1, 64], dtype=pl.FP32)
    for i, (built,) in pl.range(2, init_values=(whole,)):
        piece = pl.tensor.slice(x, [1, 32], [0, 0])
        longer = pl.tensor.assemble(built, piece, [0, i * 32])
        done = pl.yield_(longer)
    return done
"""
SCATTER = """
@pl.function(type=pl.FunctionType.InCore)
def kernel(
    self, x: pl.Tensor[[8, 16], pl.FP32], at: pl.Tensor[[1, 4], pl.INT32], y: pl.Tensor[[4, 16], pl.FP32]
) -> pl.Tensor[[8, 16], pl.FP32]:
    moved = pl.tensor.scatter_update(x, -2, at, y)
    return moved
"""


def test_a_loop_that_fills_a_local_tensor_carries_a_tile():
    made = apply_pass(ConvertTensorToTileOps(), programs.program(LOCAL))
    (loop,) = collect(programs.method(made, "kernel"), ForStmt)
    assert isinstance(loop.iter_args[0].type, TileType)
    assert list(verify_ssa_form(made, PassContext())) == []


def test_the_filled_tile_is_stored_once_after_the_loop():
    made = apply_pass(ConvertTensorToTileOps(), programs.program(LOCAL))
    names = [call.op.name for call in collect(programs.method(made, "kernel"), Call)]
    assert names.count("tile.store") == 1
    assert names.count("tile.assemble") == 1


def test_an_operation_whose_namesake_means_something_else_is_refused_at_its_line():
    with pytest.raises(UserError, match=r"tensor\.scatter_update has no registered tile conversion") as caught:
        apply_pass(ConvertTensorToTileOps(), programs.program(SCATTER))
    assert caught.value.span.is_valid()
