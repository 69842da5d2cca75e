# SPDX-License-Identifier: Apache-2.0
"""What the idle vector core does instead of each kind of statement."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.idle_lanes import IdleLane

from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    ForStmt,
    Function,
    Stmt,
    TileType,
    as_int,
    collect,
    defined_vars,
    statements,
)
from pypto_build.ops import builtin_registry
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"


def kernel(text: str) -> Function:
    """A vector kernel."""
    body = indent(dedent(text).strip("\n"), "    ")
    header = f"def kernel(self, x: {T}, s: pl.Tensor[[1], pl.INT32], out: pl.Out[{T}]) -> {T}:"
    made = programs.program(f"@pl.function(type=pl.FunctionType.AIV)\n{header}\n{body}\n    return out")
    return programs.method(apply_pass(ConvertToSSA(), made), "kernel")


def idle(function: Function) -> Stmt:
    """What the idle core does."""
    return IdleLane(builtin_registry()).visit_body(function.body)


def operations(text: str) -> list[str]:
    """The operations of the idle core."""
    stmts = collect(idle(kernel(text)), AssignStmt, EvalStmt)
    return [call.op.name.partition(".")[2] for stmt in stmts for call in collect(stmt, Call)]


LOAD = "t = pl.tile.load(x, [0, 0], [16, 16])\n"


@pytest.mark.parametrize("text", ["r = pl.tile.slice(t, [8, 8], [0, 0])", "r = pl.tile.transpose(t, 0, 1)"])
def test_what_cannot_work_on_empty_tiles_becomes_a_creation(text: str):
    assert operations(LOAD + text) == ["create", "create"]


def test_an_operation_on_tiles_stays_and_its_result_is_empty():
    (stmt,) = (s for s in collect(idle(kernel(LOAD + "r = pl.tile.exp(t)")), AssignStmt) if "exp" in str(s.value))
    kind = stmt.var.type
    assert isinstance(kind, TileType)
    assert [as_int(extent) for extent in kind.effective_tile_view().valid_shape] == [0, 0]


def test_a_store_is_left_out_and_the_tensor_is_what_it_was():
    function = kernel(LOAD + "out = pl.tile.store(t, [0, 0], out)")
    made = idle(function)
    assert [call.op.name for call in collect(made, Call)] == ["tile.create"]
    assert statements(made)[-1].value == (function.params[2],)  # type: ignore[attr-defined]  # a return


def test_an_element_is_not_written_to_global_memory():
    assert operations("pl.tensor.write(s, [0], pl.const(1, pl.INT32))") == []


def test_messages_and_releases_are_kept():
    text = """
    v: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)
    pl.tile.tpush_to_aic(v, split=0)
    pl.system.tfree_to_aic(v)
    """
    assert operations(text) == ["tpop_from_aic", "tpush_to_aic", "tfree_to_aic"]


def test_carried_tiles_are_empty_too():
    text = f"{LOAD}for i in pl.range(4):\n    t = pl.tile.exp(t)"
    (loop,) = collect(idle(kernel(text)), ForStmt)
    kinds = [var.type for var in (*loop.iter_args, *loop.return_vars)]
    assert all(as_int(k.effective_tile_view().valid_shape[0]) == 0 for k in kinds if isinstance(k, TileType))


def test_the_variables_are_its_own():
    function = kernel(LOAD + "r = pl.tile.exp(t)")
    assert not set(defined_vars([function.body])) & set(defined_vars([idle(function)]))
