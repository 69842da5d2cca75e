# SPDX-License-Identifier: Apache-2.0
"""Types of reductions along rows and columns, and of vectors that are repeated along them."""

import pytest

from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import COLUMNS, FP16, FP32, INT32, NO_BOX, UINT16, N, scalar, shown, tile


@pytest.mark.parametrize("operation", [op.row_sum, op.row_max, op.row_min, op.row_prod])
def test_a_row_reduction_leaves_one_column(operation):
    made = operation(tile(16, 32, valid=[N, 20]), tile(16, 32))
    assert shown(made) == "Tile[[16, 1], FP32, Vec, TileView(valid_shape=[n, 1])]"


@pytest.mark.parametrize("operation", [op.col_sum, op.col_max, op.col_min, op.col_prod])
def test_a_column_reduction_leaves_one_row(operation):
    made = operation(tile(16, 32, valid=[N, 20]))
    assert shown(made) == "Tile[[1, 32], FP32, Vec, TileView(valid_shape=[1, 20])]"


@pytest.mark.parametrize("operation", [op.row_argmax, op.row_argmin])
def test_a_row_index_is_an_int32_column(operation):
    assert shown(operation(tile(16, 32, dtype=FP16), tile(16, 32, dtype=FP16))) == "Tile[[16, 1], INT32, Vec]"


@pytest.mark.parametrize("operation", [op.col_argmax, op.col_argmin])
def test_a_column_index_is_an_int32_row(operation):
    assert shown(operation(tile(16, 32, dtype=FP16), tile(16, 32, dtype=FP16))) == "Tile[[1, 32], INT32, Vec]"


@pytest.mark.parametrize(
    ("source", "scratch", "message"),
    [
        (tile(16, 32), tile(16, 32, dtype=FP16), "but got tmp_tile dtype fp16 and input dtype fp32"),
        (tile(16, 32), tile(16), r"to have the same rank, but got \[16\] for \[16, 32\]"),
        (tile(16, 32), tile(16, 16), r"to be at least the input shape, but got \[16, 16\] for \[16, 32\]"),
        (tile(16), tile(16), r"requires a tile of rank >= 2, but got \[16\]"),
        (tile(16, 32, valid=[16, 0]), tile(16, 32), "has nothing to reduce: the valid extent on axis 1 is 0"),
    ],
)
def test_what_cannot_be_reduced_is_refused(source, scratch, message):
    with pytest.raises(ValueError, match=message):
        op.row_sum(source, scratch)


def test_the_scratch_of_a_row_index_has_exactly_the_shape_of_the_tile():
    assert shown(op.row_sum(tile(16, 32), tile(16, 64))) == "Tile[[16, 1], FP32, Vec]"
    with pytest.raises(ValueError, match="to exactly match the input shape"):
        op.row_argmax(tile(16, 32), tile(16, 64))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (tile(16, 32, dtype=UINT16), r"requires input dtype in \{INT16, INT32, FP16, FP32\}, but got uint16"),
        (tile(16, 32, layout=(COLUMNS, NO_BOX)), "requires an ND input layout .*, but got col_major, none_box"),
    ],
)
def test_a_row_minimum_is_there_for_some_tiles_only(source, message):
    with pytest.raises(ValueError, match=message):
        op.row_min(source, tile(16, 32, dtype=source.type.dtype))


ROW_OPS = [op.row_expand_sub, op.row_expand_mul, op.row_expand_div, op.row_expand_max, op.row_expand_expdif]


@pytest.mark.parametrize("operation", [*ROW_OPS, op.row_expand, op.row_expand_add])
def test_a_column_is_repeated_along_each_row(operation):
    made = operation(tile(16, 32, valid=[N, 20]), tile(16, 1, valid=[N, 1]))
    assert shown(made) == "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[n, 20])]"


COLUMN_OPS = [op.col_expand, op.col_expand_add, op.col_expand_mul, op.col_expand_min, op.col_expand_expdif]


@pytest.mark.parametrize("operation", COLUMN_OPS)
def test_a_row_is_repeated_along_each_column(operation):
    made = operation(tile(16, 32, valid=[N, 20]), tile(1, 32))
    assert shown(made) == "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[n, 20])]"


@pytest.mark.parametrize(
    ("operation", "vector", "message"),
    [
        (op.row_expand_mul, tile(8, 1), r"a vector of the tile's extent \[16\], but got \[8\]"),
        (op.row_expand_mul, tile(16), r"tiles of one rank of at least 2, but got \[16, 32\] and \[16\]"),
        (op.col_expand_mul, tile(2, 32), r"a vector of one row, but got \[2, 32\]"),
        (op.col_expand_mul, tile(1, 16), r"a vector of the tile's extent \[32\], but got \[16\]"),
    ],
)
def test_a_vector_that_does_not_fit_is_refused(operation, vector, message):
    with pytest.raises(ValueError, match=message):
        operation(tile(16, 32), vector)


def test_a_vector_is_promoted_with_the_tile():
    assert shown(op.row_expand_mul(tile(16, 32, dtype=FP16), tile(16, 1))) == "Tile[[16, 32], FP32, Vec]"


@pytest.mark.parametrize(
    "vector",
    [tile(16, 1), tile(16, 8, layout=None), tile(16, 8, valid=[16, 8]), tile(16, 1, layout=(COLUMNS, NO_BOX))],
)
def test_a_sum_takes_a_column_or_rows_of_32_bytes(vector):
    assert shown(op.row_expand_add(tile(16, 32), vector)) == "Tile[[16, 32], FP32, Vec]"


@pytest.mark.parametrize(
    ("target", "vector", "message"),
    [
        (tile(16, 32), tile(16, 1, dtype=FP16), "to have the same dtype, but got fp32 and fp16"),
        (
            tile(16, 32, layout=(COLUMNS, NO_BOX)),
            tile(16, 1),
            "src0 effective blayout to be row_major, but got col_major",
        ),
        (tile(16, 32), tile(16, 1, valid=[8, 1]), "src1 valid row extent to match src0/dst"),
        (tile(16, 32), tile(16, 16), "a valid last dimension to be 8, but got 16"),
        (tile(16, 32, dtype=UINT16), tile(16, 1, dtype=UINT16), r"requires src0 dtype in"),
    ],
)
def test_a_sum_with_a_vector_is_stricter(target, vector, message):
    with pytest.raises(ValueError, match=message):
        op.row_expand_add(target, vector)


def test_a_scalar_is_repeated_over_a_tile():
    assert shown(op.expands(tile(16, 32, dtype=INT32), scalar(FP32))) == "Tile[[16, 32], INT32, Vec]"
