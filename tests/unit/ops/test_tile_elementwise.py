# SPDX-License-Identifier: Apache-2.0
"""Types of elementwise tile operations: on tiles, on a tile and a scalar, on one tile."""

import pytest

from pypto_build.ir import DataType
from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import (
    BF16,
    COLUMNS,
    FP16,
    FP32,
    INT8,
    INT16,
    INT32,
    NO_BOX,
    UINT16,
    Acc,
    Mat,
    N,
    scalar,
    shown,
    tile,
)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (tile(4, 8), tile(4, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(4, 8), tile(1, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(4, 1), tile(1, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(8), tile(4, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(4, 8, dtype=FP16), tile(4, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(4, 8, dtype=INT32), tile(4, 8, dtype=FP16), "Tile[[4, 8], FP16, Vec]"),
        (tile(4, 8, dtype=INT32), tile(4, 8, dtype=INT16), "Tile[[4, 8], INT32, Vec]"),
    ],
)
def test_two_tiles_broadcast_and_are_promoted(left, right, result):
    assert shown(op.add(left, right)) == result


@pytest.mark.parametrize(
    ("left", "right", "valid"),
    [
        (tile(4, 8, valid=[2, 8]), tile(4, 8, valid=[2, 8]), "valid_shape=[2, 8]"),
        (tile(4, 8, valid=[2, 8]), tile(4, 8, valid=[3, 5]), "valid_shape=[2, 5]"),
        (tile(4, 8, valid=[2, 8]), tile(4, 8), "valid_shape=[2, 8]"),
        (tile(4, 8, valid=[2, 8]), tile(1, 8), "valid_shape=[2, 8]"),
        (tile(4, 8, valid=[N, 8]), tile(4, 8), "valid_shape=[n, 8]"),
        (tile(4, 8, valid=[N, 8]), tile(4, 8, valid=[2, 8]), "valid_shape=[min(n, 2), 8]"),
    ],
)
def test_a_result_is_valid_where_both_tiles_are(left, right, valid):
    assert f"View({valid})" in shown(op.mul(left, right))


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (tile(4, 8, valid=[2, 8]), tile(4, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(4, 8, valid=[N, 8]), tile(4, 8), "Tile[[4, 8], FP32, Vec]"),
        (tile(4, 8, valid=[2, 8]), tile(4, 8, valid=[3, 8]), "Tile[[4, 8], FP32, Vec, TileView(valid_shape=[3, 8])]"),
    ],
)
def test_a_partwise_result_is_valid_where_one_tile_is(left, right, result):
    assert shown(op.part_add(left, right)) == result


def test_a_stated_layout_is_kept():
    by_columns = tile(4, 8, layout=(COLUMNS, NO_BOX))
    assert shown(op.add(by_columns, tile(4, 8))) == "Tile[[4, 8], FP32, Vec, TileView(blayout=col_major)]"


@pytest.mark.parametrize("space", [Mat, Acc])
def test_the_boxed_layout_of_a_matrix_buffer_is_not_kept(space):
    assert shown(op.exp(tile(16, 16, space=space))) == "Tile[[16, 16], FP32, Vec]"


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (
            tile(4, 8),
            tile(4, 7),
            r"tile\.add requires compatible shapes for broadcasting, but got \[4, 8\] and \[4, 7\]",
        ),
        (tile(4, N), tile(4, 8), r"requires compatible shapes for broadcasting, but got \[4, n\] and \[4, 8\]"),
        (tile(4, 8), tile(4, 8, dtype=DataType.BOOL), "requires compatible data types, but got fp32 and bool"),
    ],
)
def test_tiles_that_do_not_go_together_are_refused(left, right, message):
    with pytest.raises(ValueError, match=message):
        op.add(left, right)


def test_a_valid_region_of_another_rank_is_refused():
    with pytest.raises(ValueError, match=r"valid_shape rank \(1\) must match the tile rank \(2\)"):
        op.add(tile(4, 8, valid=[2]), tile(4, 8))


@pytest.mark.parametrize("operation", [op.and_, op.or_, op.shl, op.shr])
def test_bit_operations_take_integers_only(operation):
    with pytest.raises(ValueError, match="requires integer tiles, but got fp16"):
        operation(tile(4, 8, dtype=INT16), tile(4, 8, dtype=FP16))


def test_a_shift_has_the_type_of_what_is_shifted():
    assert shown(op.shl(tile(4, 8, dtype=INT16), tile(4, 8, dtype=INT32))) == "Tile[[4, 8], INT16, Vec]"


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (tile(4, 8), tile(4, 8, dtype=FP16), "same dtype, but got fp32 and fp16"),
        (
            tile(4, 8, dtype=BF16),
            tile(4, 8, dtype=BF16),
            r"tile dtype in \{INT16, INT32, FP16, FP32\}, but got bfloat16",
        ),
        (tile(4, 8), tile(1, 8), r"the same physical shape, but got \[4, 8\] and \[1, 8\]"),
        (tile(4, 8, valid=[2, 8]), tile(4, 8), r"the same valid_shape, but got \[2, 8\] and \[4, 8\]"),
    ],
)
def test_a_quotient_needs_two_tiles_of_one_kind(left, right, message):
    with pytest.raises(ValueError, match=message):
        op.div(left, right)


@pytest.mark.parametrize(("dtype", "fine"), [(FP16, True), (FP32, True), (INT32, False)])
def test_only_floats_are_divided_with_high_precision(dtype, fine):
    if fine:
        assert op.div(tile(4, 8, dtype=dtype), tile(4, 8, dtype=dtype), high_precision=True).kwargs["high_precision"]
    else:
        with pytest.raises(ValueError, match="supports high_precision only for FP16 or FP32, but got int32"):
            op.div(tile(4, 8, dtype=dtype), tile(4, 8, dtype=dtype), high_precision=True)


@pytest.mark.parametrize("operation", [op.addc, op.subc])
def test_three_tiles_broadcast_and_are_promoted(operation):
    made = operation(tile(4, 8, dtype=FP16), tile(1, 8, dtype=FP16), tile(4, 1))
    assert shown(made) == "Tile[[4, 8], FP32, Vec]"


@pytest.mark.parametrize(
    "made",
    [
        op.adds(tile(4, 8, dtype=FP16, valid=[2, 8]), scalar(FP32)),
        op.lrelu(tile(4, 8, dtype=FP16, valid=[2, 8]), 0.5),
        op.rems(tile(4, 8, dtype=FP16, valid=[2, 8]), 3, tile(4, 8)),
        op.addsc(tile(4, 8, dtype=FP16, valid=[2, 8]), 3, tile(4, 8, dtype=FP16)),
        op.expands(tile(4, 8, dtype=FP16, valid=[2, 8]), scalar(FP32)),
    ],
)
def test_a_tile_beside_a_scalar_keeps_its_type_and_valid_region(made):
    assert shown(made) == "Tile[[4, 8], FP16, Vec, TileView(valid_shape=[2, 8])]"


def test_an_integer_is_shifted_by_a_count_of_any_width_that_is_not_negative():
    assert shown(op.shls(tile(4, 8, dtype=INT16), scalar(INT32))) == "Tile[[4, 8], INT16, Vec]"
    with pytest.raises(ValueError, match="requires a non-negative shift count, but got -1"):
        op.shrs(tile(4, 8, dtype=INT16), -1)


@pytest.mark.parametrize(
    ("source", "value", "message"),
    [
        (tile(4, 8, dtype=UINT16), scalar(INT16), "requires tile dtype in"),
        (tile(4, 8, dtype=INT16), scalar(UINT16), "requires scalar dtype in"),
    ],
)
def test_a_scalar_is_subtracted_from_signed_types_only(source, value, message):
    with pytest.raises(ValueError, match=message):
        op.subs(source, value)


def test_bit_operations_take_an_integer_scalar_only():
    with pytest.raises(ValueError, match="requires the shift/bitwise scalar to be an integer, but got fp32"):
        op.ands(tile(4, 8, dtype=INT16), scalar(FP32))


@pytest.mark.parametrize("operation", [op.abs, op.exp, op.neg, op.relu, op.sqrt, op.recip, op.rsqrt])
def test_one_tile_keeps_its_type_and_valid_region(operation):
    made = operation(tile(4, 8, dtype=FP16, valid=[2, 8]))
    assert shown(made) == "Tile[[4, 8], FP16, Vec, TileView(valid_shape=[2, 8])]"


@pytest.mark.parametrize(
    ("operation", "dtype", "message"),
    [
        (op.sin, FP16, r"tile\.sin requires an FP32 tile, but got fp16"),
        (op.cos, INT32, r"tile\.cos requires an FP32 tile, but got int32"),
        (op.log, BF16, r"tile\.log requires an FP16 or FP32 tile, but got bfloat16"),
        (op.not_, INT8, r"tile\.not requires an int16 or uint16 tile, but got int8"),
    ],
)
def test_some_functions_are_there_for_some_types_only(operation, dtype, message):
    with pytest.raises(ValueError, match=message):
        operation(tile(4, 8, dtype=dtype))


def test_the_scratch_of_an_inverse_root_has_the_shape_of_the_tile():
    with pytest.raises(ValueError, match=r"tmp shape mismatch: \[4, 8\] and \[4, 16\]"):
        op.rsqrt(tile(4, 8), tile(4, 16))


def test_a_cast_changes_the_element_type_only():
    made = op.cast(tile(4, 8, valid=[2, 8]), FP16)
    assert shown(made) == "Tile[[4, 8], FP16, Vec, TileView(valid_shape=[2, 8])]"


def test_a_cast_to_the_same_type_is_refused():
    with pytest.raises(ValueError, match="is asked for fp32: a same-dtype cast is not a valid operation"):
        op.cast(tile(4, 8), FP32)
