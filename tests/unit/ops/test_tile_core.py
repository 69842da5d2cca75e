# SPDX-License-Identifier: Apache-2.0
"""Where a kernel runs, and tiles that cross between the cube core and the vector cores."""

import pytest

from pypto_build.ir import UNKNOWN_TYPE, SplitMode
from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import FP16, INDEX, Acc, Mat, N, shown, tile

ROWS, COLUMNS = SplitMode.UP_DOWN, SplitMode.LEFT_RIGHT


@pytest.mark.parametrize("operation", [op.get_block_idx, op.get_block_num, op.get_subblock_idx])
def test_a_place_is_an_index(operation):
    assert operation().type.dtype is INDEX


@pytest.mark.parametrize(
    ("split", "result"),
    [(0, "Tile[[32, 64], FP32, Vec]"), (ROWS, "Tile[[16, 64], FP32, Vec]"), (COLUMNS, "Tile[[32, 32], FP32, Vec]")],
)
def test_a_lane_gets_its_half_of_a_tile(split, result):
    assert shown(op.aiv_shard(tile(32, 64, space=Acc), split=split)) == result


@pytest.mark.parametrize(
    ("split", "result"),
    [(0, "Tile[[16, 64], FP32, Mat]"), (ROWS, "Tile[[32, 64], FP32, Mat]"), (COLUMNS, "Tile[[16, 128], FP32, Mat]")],
)
def test_the_halves_of_two_lanes_are_one_tile_for_the_cube_core(split, result):
    assert shown(op.aic_gather(tile(16, 64), split=split)) == result


def test_a_lane_is_valid_in_its_half():
    made = op.aiv_shard(tile(32, 64, space=Acc, valid=[20, 64]), split=ROWS)
    assert shown(made) == "Tile[[16, 64], FP32, Vec, TileView(valid_shape=[10, 64])]"


@pytest.mark.parametrize(
    ("source", "split", "message"),
    [
        (tile(32, 64), 3, "split must be 0, 1 or 2"),
        (tile(2, 32, 64), 1, r"requires a 2D tile, but got \[2, 32, 64\]"),
        (tile(32, 64, valid=[32, 20]), 2, "splits the column axis, so its valid extent 20 must be full"),
        (tile(32, 64, valid=[20, 20]), 1, "needs a per-lane row extent"),
        (tile(32, 64, valid=[32, N]), 1, "that is a runtime value narrower than the physical box"),
    ],
)
def test_what_the_transport_cannot_say_is_refused(source, split, message):
    with pytest.raises(ValueError, match=message):
        op.aiv_shard(source, split=split)


def test_a_passed_tile_yields_nothing():
    made = op.tpush_to_aiv(tile(32, 64, space=Acc), split=1)
    assert (made.type, made.kwargs) == (UNKNOWN_TYPE, {"split": 1})


@pytest.mark.parametrize("operation", [op.tpop_from_aic, op.tpop_from_aiv])
def test_a_taken_tile_has_the_stated_type(operation):
    assert operation(split=1).type is UNKNOWN_TYPE
    assert shown(operation(shape=[16, 64], dtype=FP16, split=1)) == "Tile[[16, 64], FP16]"


def test_the_type_of_a_taken_tile_is_stated_whole():
    with pytest.raises(ValueError, match="tpop takes shape and dtype together"):
        op.tpop_from_aic(shape=[16, 64])


def test_a_pipe_can_be_named():
    assert op.tpush_to_aic(tile(16, 64, space=Mat), split=0, id=3).kwargs == {"split": 0, "id": 3}
