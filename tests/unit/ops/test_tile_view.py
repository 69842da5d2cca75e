# SPDX-License-Identifier: Apache-2.0
"""Types of tiles seen in another way: windows, shapes, element types, valid regions, transposition."""

import pytest

from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import (
    COLUMNS,
    FP16,
    FP32,
    INT8,
    INT32,
    NO_BOX,
    ROWS,
    Acc,
    M,
    Mat,
    N,
    scalar,
    shown,
    tile,
)


@pytest.mark.parametrize(
    ("source", "offset", "asked", "result"),
    [
        (tile(16, 32), [0, 0], None, "Tile[[8, 16], FP32, Vec]"),
        (tile(16, 32), [N, 0], None, "Tile[[8, 16], FP32, Vec]"),
        (tile(16, 32), [0, 0], [M, 16], "Tile[[8, 16], FP32, Vec, TileView(valid_shape=[m, 16])]"),
        (tile(16, 32, valid=[4, 32]), [0, 0], None, "Tile[[8, 16], FP32, Vec, TileView(valid_shape=[4, 16])]"),
        (tile(16, 32, space=Mat), [0, 0], None, "Tile[[8, 16], FP32, Mat]"),
    ],
)
def test_a_window_is_valid_where_the_tile_is_and_where_asked(source, offset, asked, result):
    assert shown(op.slice(source, [8, 16], offset, asked)) == result


@pytest.mark.parametrize(
    ("shape", "offset", "message"),
    [
        ([N, 16], [0, 0], "each extent of the window to be a compile-time constant, but got n"),
        ([8, 16], [0], "one offset per extent, but got 2 extents and 1 offsets for rank 2"),
        ([8, 16], [12, 0], "cut the read where the tile is loaded"),
    ],
)
def test_a_window_that_cannot_be_read_is_refused(shape, offset, message):
    with pytest.raises(ValueError, match=message):
        op.slice(tile(16, 32), shape, offset)


def test_dropped_axes_leave_at_least_two():
    source = tile(4, 16, 32)
    assert shown(op.slice(source, [1, 16, 32], [N, 0, 0], drop_dims=[0])) == "Tile[[16, 32], FP32, Vec]"
    assert shown(op.slice(source, [1, 1, 32], [0, 0, 0], drop_dims=[0, 1])) == "Tile[[1, 32], FP32, Vec]"


@pytest.mark.parametrize(
    ("axes", "message"),
    [([1], "may only drop a static unit dimension, but got axis 1"), ([5], "axis 5 is out of range for rank 3")],
)
def test_axes_that_cannot_be_dropped_are_refused(axes, message):
    with pytest.raises(ValueError, match=message):
        op.slice(tile(4, 16, 32), [1, 16, 32], [0, 0, 0], drop_dims=axes)


@pytest.mark.parametrize(
    ("source", "shape", "result"),
    [
        (tile(16, 32), [8, 64], "Tile[[8, 64], FP32, Vec]"),
        (tile(8, 16, valid=[5, 16]), [16, 8], "Tile[[16, 8], FP32, Vec, TileView(valid_shape=[10, 8])]"),
        (tile(8, 16, valid=[5, 16]), [128], "Tile[[128], FP32, Vec, TileView(valid_shape=[80])]"),
        (tile(1, 8, 16, valid=[1, 8, 5]), [8, 16], "Tile[[8, 16], FP32, Vec, TileView(valid_shape=[8, 5])]"),
    ],
)
def test_a_reshaped_tile_is_valid_at_the_same_elements(source, shape, result):
    assert shown(op.reshape(source, shape)) == result


@pytest.mark.parametrize(
    ("source", "shape"), [(tile(16, 32), [16, 16]), (tile(8, 16, valid=[5, 16]), [4, 32])], ids=["size", "region"]
)
def test_a_shape_that_cannot_hold_the_same_elements_is_refused(source, shape):
    with pytest.raises(ValueError, match=r"tile\.reshape"):
        op.reshape(source, shape)


@pytest.mark.parametrize(
    ("source", "dtype", "result"),
    [
        (tile(16, 32), FP16, "Tile[[16, 64], FP16, Vec]"),
        (tile(16, 32), INT32, "Tile[[16, 32], INT32, Vec]"),
        (tile(16, 32, dtype=INT8), FP32, "Tile[[16, 8], FP32, Vec]"),
        (tile(16, 32, valid=[4, 8]), FP16, "Tile[[16, 64], FP16, Vec, TileView(valid_shape=[4, 16])]"),
        (tile(16, 32, layout=(COLUMNS, NO_BOX)), FP16, "Tile[[32, 32], FP16, Vec, TileView(blayout=col_major)]"),
    ],
)
def test_the_same_bytes_as_another_type_change_the_contiguous_axis(source, dtype, result):
    assert shown(op.reinterpret_view(source, dtype)) == result


@pytest.mark.parametrize(
    ("source", "dtype", "shape", "message"),
    [
        (tile(16, 32, space=Mat), FP16, None, "only supports flat tiles"),
        (tile(16, 32), FP16, [16, 32], r"reinterpret_view"),
        (tile(16, 31, dtype=FP16), FP32, None, r"reinterpret_view"),
    ],
)
def test_bytes_that_cannot_be_seen_so_are_refused(source, dtype, shape, message):
    with pytest.raises(ValueError, match=message):
        op.reinterpret_view(source, dtype, shape=shape)


@pytest.mark.parametrize(
    ("rows", "columns", "result"),
    [
        (N, 8, "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[n, 8])]"),
        (16, 32, "Tile[[16, 32], FP32, Vec]"),
        (0, 8, "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[0, 8])]"),
    ],
)
def test_another_valid_region_can_be_stated(rows, columns, result):
    assert shown(op.set_validshape(tile(16, 32, valid=[4, 4]), rows, columns)) == result


@pytest.mark.parametrize(
    ("source", "rows", "message"),
    [
        (tile(16, 32), 17, "got valid_rows=17, which exceeds tile bound 16"),
        (tile(16, 32), -1, "requires valid_rows that must be >= 0, but got -1"),
        (tile(16, 32), scalar(FP32), "requires valid_rows to be an integer scalar, but got fp32"),
        (tile(2, 16, 32), 1, r"requires a 2D tile, but got \[2, 16, 32\]"),
    ],
)
def test_a_valid_region_outside_of_the_tile_is_refused(source, rows, message):
    with pytest.raises(ValueError, match=message):
        op.set_validshape(source, rows, 4)


def test_a_transposed_tile_swaps_two_axes():
    made = op.transpose(tile(2, 16, 32, valid=[2, N, 8]), 1, -1)
    assert shown(made) == "Tile[[2, 32, 16], FP32, Vec, TileView(valid_shape=[2, 8, n])]"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [(0, 0, "two different axes, but got 0 twice"), (0, 2, "a constant axis within rank 2, but got 2")],
)
def test_axes_that_cannot_be_swapped_are_refused(first, second, message):
    with pytest.raises(ValueError, match=message):
        op.transpose(tile(16, 32), first, second)


@pytest.mark.parametrize(
    ("layout", "flipped"), [((ROWS, NO_BOX), (COLUMNS, NO_BOX)), ((COLUMNS, ROWS), (ROWS, COLUMNS))]
)
def test_a_transposed_view_flips_each_layout(layout, flipped):
    made = op.transpose_view(tile(16, 32, dtype=FP16, space=Mat, layout=layout)).type
    view = made.effective_tile_view()
    assert ([str(dim) for dim in made.shape], (view.blayout, view.slayout)) == (["32", "16"], flipped)


def test_a_transposed_view_stays_where_it_is():
    assert op.transpose_view(tile(16, 32, space=Acc)).type.memory_space is Acc
