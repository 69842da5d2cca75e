# SPDX-License-Identifier: Apache-2.0
"""Types of scatters and sorts."""

import pytest

from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import FP16, FP32, INT8, INT16, INT32, UINT16, UINT32, N, scalar, shown, tensor, tile


@pytest.mark.parametrize(("dtype", "index"), [(FP32, INT32), (INT32, INT32), (FP16, INT16), (INT8, INT16)])
def test_scattered_elements_land_in_the_destination(dtype, index):
    target = tile(8, 64, dtype=dtype, valid=[N, 64])
    assert op.scatter(target, tile(4, 16, dtype=dtype), tile(4, 16, dtype=index)).type == target.type


@pytest.mark.parametrize(
    ("source", "index", "message"),
    [
        (tile(4, 16, dtype=FP16), tile(4, 16, dtype=INT32), "dst dtype to match src dtype, but got fp32 and fp16"),
        (tile(4, 16), tile(4, 16, dtype=INT16), "indexes dtype int32 for fp32, but got int16"),
        (tile(4, 16), tile(4, 8, dtype=INT32), r"indexes.shape\[1\] == src.shape\[1\]"),
        (tile(16), tile(16, dtype=INT32), r"2D src and indexes, but got \[16\] and \[16\]"),
    ],
)
def test_elements_that_cannot_be_scattered_are_refused(source, index, message):
    with pytest.raises(ValueError, match=message):
        op.scatter(tile(8, 64), source, index)


def test_columns_are_written_to_the_marked_ones():
    target = tile(8, 64)
    assert op.scatter_mask(target, tile(8, 32), op.MaskPattern.P0101).type == target.type
    with pytest.raises(ValueError, match=r"with mask_pattern=3 requires dst of shape \[8, 128\], but got \[8, 64\]"):
        op.scatter_mask(target, tile(8, 32), op.MaskPattern.P0001)


@pytest.mark.parametrize("give", ["positional", "dim by name", "all by name"])
def test_updated_rows_are_the_input(give):
    target, index, rows = tile(16, 64), tile(1, 4, dtype=INT32), tile(4, 64)
    made = {
        "positional": lambda: op.scatter_update(target, -2, index, rows),
        "dim by name": lambda: op.scatter_update(target, index, rows, dim=-2),
        "all by name": lambda: op.scatter_update(target, index=index, src=rows),
    }[give]()
    assert (made.args, made.kwargs, made.type) == ((target, index, rows), {"dim": -2}, target.type)


@pytest.mark.parametrize(
    ("dim", "index", "rows", "message"),
    [
        (-1, tile(1, 4, dtype=INT32), tile(4, 64), "supports only dim=-2, but got -1"),
        (-2, tile(1, 4), tile(4, 64), "index dtype to be an integer type, but got fp32"),
        (-2, tile(1, 4, dtype=INT32), tile(4, 32), r"rows of one length, but got \[16, 64\] and \[4, 32\]"),
        (-2, tile(1, 4, dtype=INT32), tile(4, 64, dtype=FP16), "src dtype to match input dtype"),
    ],
)
def test_rows_that_cannot_be_updated_are_refused(dim, index, rows, message):
    with pytest.raises(ValueError, match=message):
        op.scatter_update(tile(16, 64), dim, index, rows)


def test_an_update_needs_an_index_and_rows():
    with pytest.raises(TypeError, match="scatter_update takes input, dim, index and src"):
        op.scatter_update(tile(16, 64), -2, tile(1, 4, dtype=INT32))


def test_elements_are_scattered_to_a_tensor():
    target = tensor(N, 64)
    assert op.mscatter(tile(8, 16), tile(8, 16, dtype=INT32), target).type is target.type


@pytest.mark.parametrize(
    ("index", "target", "message"),
    [
        (tile(8, 16, dtype=INT16), tensor(64), "idx dtype INT32, but got int16"),
        (tile(8, dtype=INT32), tensor(64), "idx rank to match the src rank, but got 1 and 2"),
        (tile(8, 8, dtype=INT32), tensor(64), "idx shape to match src shape"),
        (tile(8, 16, dtype=INT32), tensor(64, dtype=FP16), "output_tensor dtype fp32, but got fp16"),
    ],
)
def test_elements_that_cannot_be_scattered_to_a_tensor_are_refused(index, target, message):
    with pytest.raises(ValueError, match=message):
        op.mscatter(tile(8, 16), index, target)


def test_a_sorted_block_holds_pairs_of_value_and_index():
    made = op.sort32(tile(8, 32, valid=[N, 20]), tile(8, 32, dtype=UINT32))
    assert shown(made) == "Tile[[8, 64], FP32, Vec, TileView(valid_shape=[n, 40])]"


@pytest.mark.parametrize("dtype", [INT32, UINT16])
def test_only_floats_are_sorted(dtype):
    with pytest.raises(ValueError, match="src dtype FP16 or FP32"):
        op.sort32(tile(8, 32, dtype=dtype), tile(8, 32, dtype=UINT32))


def test_runs_of_one_tile_are_merged_in_its_shape():
    made = op.mrgsort(tile(1, 1024), block_len=64)
    assert (made.op.name, shown(made)) == ("tile.mrgsort_format1", "Tile[[1, 1024], FP32, Vec]")


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (63, "block_len to be a positive multiple of 64, but got 63"),
        (0, "block_len to be a positive multiple of 64, but got 0"),
        (scalar(FP32), "block_len to be an integer scalar, but got fp32"),
    ],
)
def test_runs_of_another_length_are_refused(length, message):
    with pytest.raises(ValueError, match=message):
        op.mrgsort(tile(1, 1024), block_len=length)


@pytest.mark.parametrize(("count", "columns"), [(2, 128), (3, 192), (4, 256)])
def test_merged_tiles_are_as_long_as_all_of_them(count, columns):
    sources = [tile(1, 64) for _ in range(count)]
    made = (
        op.mrgsort(sources[0], *sources[1:], tmp=tile(1, columns))
        if count == 4
        else op.mrgsort_format2(*sources, tile(1, columns))
    )
    assert (made.op.name, shown(made)) == ("tile.mrgsort_format2", f"Tile[[1, {columns}], FP32, Vec]")


@pytest.mark.parametrize(
    ("second", "scratch", "message"),
    [
        (tile(1, 64, dtype=FP16), tile(1, 128), "sources of matching dtype, but got fp32 and fp16"),
        (tile(2, 64), tile(1, 128), "sources with the same rows"),
        (tile(1, 64), tile(1, 128, dtype=FP16), "tmp of matching dtype fp32, but got fp16"),
    ],
)
def test_tiles_that_cannot_be_merged_are_refused(second, scratch, message):
    with pytest.raises(ValueError, match=message):
        op.mrgsort_format2(tile(1, 64), second, scratch)


@pytest.mark.parametrize(
    ("others", "options", "message"),
    [
        ([tile(1, 64)], {"block_len": 64}, "mutually exclusive"),
        ([], {}, "needs block_len, or at least src1 and tmp"),
    ],
)
def test_a_merge_is_of_runs_or_of_tiles(others, options, message):
    with pytest.raises(ValueError, match=message):
        op.mrgsort(tile(1, 64), *others, **options)
