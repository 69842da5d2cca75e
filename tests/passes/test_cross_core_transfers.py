# SPDX-License-Identifier: Apache-2.0
"""Tiles that cross between the cores: where they land, in which layout, and which part each lane gets."""

from __future__ import annotations

import pytest
from pypto_passes.cross_core_transfers import PushBoxer, TransferExpander
from pypto_passes.transport_splits import gather_split, shard_split

from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    MemorySpace,
    Stmt,
    TileLayout,
    TileType,
    TileView,
    Var,
    collect,
    dims,
    sequence,
    statements,
)
from pypto_build.ops.build.tile.core import aic_gather, aiv_shard, tpush_to_aic
from pypto_build.ops.build.tile.memory import move
from tests.unit.ir.build import tile

S = MemorySpace


def expanded(value: Call, space: MemorySpace) -> tuple[Stmt, ...]:
    """What takes the place of the assignment of a value to a tile in a memory."""
    kind = value.type
    assert isinstance(kind, TileType)
    target = Var("t", kind.replace(memory_space=space), value.span)
    return statements(TransferExpander().visit_body(sequence([AssignStmt(target, value)])))


def names(stmts: tuple[Stmt, ...]) -> list[str]:
    """The operations of some statements."""
    return [call.op.name for stmt in stmts for call in collect(stmt, Call)]


def valid(rows: int, box: int) -> Var:
    """A tile of which some rows are valid."""
    view = TileView(valid_shape=dims((rows, 16)))
    return Var("x", TileType(dims((box, 16)), tile("x", 1, 1).type.dtype, None, view, S.Vec))


def test_a_tile_from_the_accumulator_is_popped_where_it_is_used():
    stmts = expanded(move(tile("s", 16, 16, space=S.Acc), S.Vec), S.Vec)
    assert names(stmts) == ["tile.tpush_to_aiv", "tile.tpop_from_aic"]
    assert stmts[1].var.name_hint == "t"


def test_an_operand_of_a_product_lands_in_the_matrix_memory_and_moves_on():
    stmts = expanded(move(tile("s", 16, 16, space=S.Vec), S.Left), S.Left)
    assert names(stmts) == ["tile.tpush_to_aic", "tile.tpop_from_aiv", "tile.move"]
    assert stmts[1].var.type.memory_space is S.Mat
    assert stmts[1].var.name_hint == "t_mat"


@pytest.mark.parametrize(("source", "target"), [(S.Mat, S.Left), (S.Vec, S.Vec), (S.Acc, S.Mat)])
def test_a_tile_that_stays_on_its_core_is_moved_as_before(source: MemorySpace, target: MemorySpace):
    assert names(expanded(move(tile("s", 16, 16, space=source), target), target)) == ["tile.move"]


def test_what_is_pushed_to_the_cube_core_is_put_into_boxes_first():
    push = EvalStmt(tpush_to_aic(tile("s", 16, 16, space=S.Vec), split=0, id=1))
    boxed, pushed = statements(PushBoxer().visit_body(sequence([push])))
    view = boxed.var.type.effective_tile_view()
    assert (view.blayout, view.slayout) == (TileLayout.col_major, TileLayout.row_major)
    assert pushed.expr.args == (boxed.var,)
    assert pushed.expr.kwargs == push.expr.kwargs


def test_boxes_are_pushed_as_they_are():
    view = TileView(blayout=TileLayout.col_major, slayout=TileLayout.row_major)
    source = tile("s", 16, 16, space=S.Vec)
    body = sequence([EvalStmt(tpush_to_aic(Var("s", source.type.replace(tile_view=view)), split=0))])
    assert PushBoxer().visit_body(body) is body


def test_both_ends_of_a_divided_transfer_carry_one_code():
    stmts = expanded(aiv_shard(valid(15, 16), split=1), S.Vec)
    assert [call.kwargs["split"] for stmt in stmts for call in collect(stmt, Call)] == [3, 3]


def test_joined_halves_land_in_the_matrix_memory():
    stmts = expanded(aic_gather(valid(8, 8), split=1), S.Mat)
    assert names(stmts) == ["tile.tpush_to_aic", "tile.tpop_from_aiv"]


@pytest.mark.parametrize(
    ("rows", "box", "stride", "code"),
    [(16, 16, None, 1), (15, 16, None, 3), (17, 17, None, 3), (5, 16, None, 1), (13, 16, 7, 3), (12, 16, 6, 1)],
)
def test_the_code_says_how_the_extents_of_the_lanes_relate(rows: int, box: int, stride: int | None, code: int):
    assert shard_split(aiv_shard(valid(rows, box), split=1, lane_stride=stride)) == (code, stride)


def test_lanes_that_differ_by_more_than_one_are_refused():
    with pytest.raises(UserError, match="leaves the two AIV lanes 8 and 5 cells") as caught:
        shard_split(aiv_shard(valid(13, 16), split=1))
    assert caught.value.code == "SPLIT002"


def test_halves_of_different_extents_cannot_be_joined():
    with pytest.raises(UserError, match="would join 8 and 7 cells"):
        gather_split(aic_gather(valid(8, 8), split=1), valid(15, 16).type)


def test_without_an_axis_every_lane_gets_everything():
    assert shard_split(aiv_shard(valid(13, 16))) == (0, None)
