# SPDX-License-Identifier: Apache-2.0
"""Types of comparisons, of choices by their masks, and of tiles made of nothing but numbers."""

import math

import pytest

from pypto_build.ir import ConstFloat, ConstInt, PadValue
from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import (
    BF16,
    FP16,
    FP32,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    Mat,
    N,
    scalar,
    shown,
    tile,
)


@pytest.mark.parametrize(
    ("columns", "valid", "bytes_", "valid_bytes"), [(64, 64, 32, 8), (256, 20, 32, 3), (257, 257, 64, 33)]
)
def test_a_mask_has_a_bit_per_element_and_rows_of_32_bytes(columns, valid, bytes_, valid_bytes):
    made = op.cmp(tile(4, columns, valid=[4, valid]), tile(4, columns), "lt")
    assert shown(made) == f"Tile[[4, {bytes_}], UINT8, Vec, TileView(valid_shape=[4, {valid_bytes}])]"


def test_a_comparison_with_a_number_is_one_with_a_scalar():
    made = op.cmp(tile(4, 64, dtype=FP16), 0, "gt")
    assert (made.op.name, made.kwargs) == ("tile.cmps", {"cmp_type": 4})
    assert isinstance(made.args[1], ConstFloat)


def test_an_unknown_comparison_is_refused():
    with pytest.raises(ValueError, match="cmp_type must be one of eq, ne, lt, le, gt, ge or 0 to 5, got 'like'"):
        op.cmp(tile(4, 64), tile(4, 64), "like")


MASK, SCRATCH = tile(4, 32, dtype=UINT8), tile(1, 32, dtype=UINT8)


def test_a_choice_of_tiles_is_promoted_and_valid_where_both_are():
    made = op.sel(MASK, tile(4, 64, dtype=FP16, valid=[N, 64]), tile(4, 64), SCRATCH)
    assert shown(made) == "Tile[[4, 64], FP32, Vec, TileView(valid_shape=[n, 64])]"


def test_a_choice_of_a_tile_and_a_scalar_is_like_the_tile():
    made = op.sels(MASK, tile(4, 64, dtype=FP16, valid=[N, 64]), SCRATCH, 1.5)
    assert shown(made) == "Tile[[4, 64], FP16, Vec, TileView(valid_shape=[n, 64])]"


@pytest.mark.parametrize(
    ("dtype", "given", "value", "stored"),
    [
        (UINT8, 255, -1, INT8),
        (UINT16, 1, 1, INT16),
        (UINT32, 1 << 31, -(1 << 31), INT32),
        (INT32, 7.0, 7, INT32),
    ],
)
def test_a_constant_beside_unsigned_elements_keeps_its_bits(dtype, given, value, stored):
    constant = op.sels(MASK, tile(4, 64, dtype=dtype), SCRATCH, given).args[3]
    assert isinstance(constant, ConstInt)
    assert (constant.value, constant.dtype) == (value, stored)


@pytest.mark.parametrize(
    ("mask", "source", "value", "message"),
    [
        (MASK, tile(4, 64, dtype=BF16), 0, "src dtype in"),
        (tile(4, 32), tile(4, 64), 0, "an integer mask tile, but got fp32"),
        (MASK, tile(4, 64, dtype=UINT16), scalar(UINT16), "scalar dtype int16 for src dtype uint16, but got uint16"),
        (tile(2, 32, dtype=UINT8), tile(4, 64), 0, r"the mask carrier rows \(2\) to cover the src rows \(4\)"),
        (MASK, tile(4, 512), 0, "to hold a bit for each of 512 src columns"),
        (MASK, tile(4, 64, dtype=INT32), 1.5, "a non-integral scalar, 1.5, cannot stand beside int32 elements"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(mask, source, value, message):
    with pytest.raises(ValueError, match=message):
        op.sels(mask, source, SCRATCH, value)


@pytest.mark.parametrize(
    ("source", "slope", "message"),
    [
        (tile(4, 64, dtype=INT32), tile(4, 64, dtype=INT32), "src dtype in"),
        (tile(4, 64), tile(1, 64), "slope to have the physical shape of src"),
        (tile(4, 64), tile(4, 64, dtype=FP16), "slope dtype fp32 as that of src, but got fp16"),
        (tile(4, 64, valid=[2, 64]), tile(4, 64), "slope to have the valid_shape of src"),
    ],
)
def test_a_slope_is_of_the_kind_of_the_tile(source, slope, message):
    assert shown(op.prelu(tile(4, 64), tile(4, 64), SCRATCH)) == "Tile[[4, 64], FP32, Vec]"
    with pytest.raises(ValueError, match=message):
        op.prelu(source, slope, SCRATCH)


def test_a_full_tile_has_the_asked_type_and_shape():
    made = op.full([4, N], FP16, 0)
    assert (shown(made), made.args[1].dtype) == ("Tile[[4, n], FP16, Vec]", FP16)


def test_a_sequence_is_one_row():
    made = op.ci(0, [1, 64], INT16, descending=True)
    assert (shown(made), made.kwargs["descending"]) == ("Tile[[1, 64], INT16, Vec]", True)


@pytest.mark.parametrize(
    ("start", "shape", "dtype", "message"),
    [
        (0, [1, 64], FP32, "result dtype in"),
        (scalar(INT64), [1, 64], INT32, "start to have the result dtype int32, but got int64"),
        (0, [4, 64], INT32, r"the leading dimensions must be 1, but got \[4, 64\]"),
        (0, [64, 1], INT32, "an innermost dimension other than 1"),
        (0, [1, N], INT32, "each extent to be a compile-time constant, but got n"),
    ],
)
def test_a_sequence_that_is_no_row_of_integers_is_refused(start, shape, dtype, message):
    with pytest.raises(ValueError, match=message):
        op.ci(start, shape, dtype)


def test_a_triangle_can_be_valid_in_part():
    made = op.tri(1, [16, 32], [N, 32], FP16, upper=True)
    assert shown(made) == "Tile[[16, 32], FP16, Vec, TileView(valid_shape=[n, 32])]"


def test_a_triangle_may_be_of_bytes():
    """Which chip can make it is not asked here."""
    assert shown(op.tri(0, [16, 32], dtype=UINT8)) == "Tile[[16, 32], UINT8, Vec]"


@pytest.mark.parametrize(
    ("diagonal", "shape", "valid", "message"),
    [
        (scalar(INT64), [16, 32], None, "diagonal to be an INT32 scalar, but got int64"),
        (0, [32], None, r"a 2D shape, but got \[32\]"),
        (0, [0, 32], None, "which must be positive"),
        (0, [16, 32], [16], r"valid_shape rank \(1\) must match the shape rank \(2\)"),
        (0, [16, 32], [16, 33], r"0 < valid_shape\[1\] <= 32, but the valid_shape element is 33"),
    ],
)
def test_a_triangle_that_cannot_be_filled_is_refused(diagonal, shape, valid, message):
    with pytest.raises(ValueError, match=message):
        op.tri(diagonal, shape, valid)


def test_random_numbers_are_integers_of_seven_or_ten_rounds():
    words = [1, 2, 3, 4, 5, 6]
    assert shown(op.random(*words, [4, 64])) == "Tile[[4, 64], UINT32, Vec]"
    with pytest.raises(ValueError, match="rounds to be 7 or 10, but got 8"):
        op.random(*words, [4, 64], rounds=8)
    with pytest.raises(ValueError, match=r"dtype in \{INT32, UINT32\}, but got fp32"):
        op.random(*words, [4, 64], dtype=FP32)


@pytest.mark.parametrize("operation", [op.fillpad, op.fillpad_inplace])
def test_a_padded_tile_is_valid_everywhere_and_says_with_what(operation):
    made = operation(tile(4, 64, valid=[N, 20]), PadValue.max)
    assert shown(made) == "Tile[[4, 64], FP32, Vec, TileView(pad=max)]"


@pytest.mark.parametrize(
    ("given", "pad"),
    [(0, PadValue.zero), (0.0, PadValue.zero), (math.inf, PadValue.max), (-math.inf, PadValue.min)],
)
def test_a_pad_value_can_be_a_number(given, pad):
    assert op.fillpad(tile(4, 64), given).kwargs == {"pad_value": pad}


@pytest.mark.parametrize(("given", "error"), [(PadValue.null, ValueError), (1, ValueError), ("zero", TypeError)])
def test_another_pad_value_is_refused(given, error):
    with pytest.raises(error, match=r"fillpad pad_value must be PadValue\.zero, max or min, or 0, math\.inf"):
        op.fillpad(tile(4, 64), given)


def test_a_padded_tile_can_grow_but_not_shrink():
    assert (
        shown(op.fillpad_expand(tile(4, 60, valid=[4, N]), [8, 64])) == "Tile[[8, 64], FP32, Vec, TileView(pad=zero)]"
    )
    with pytest.raises(ValueError, match="dimension 1, which must be >= source dimension, but is 32 for 60"):
        op.fillpad_expand(tile(4, 60, space=Mat), [8, 32])
