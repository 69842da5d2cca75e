# SPDX-License-Identifier: Apache-2.0
"""Types of matrix products: element types, extents, valid regions and the pitch of the accumulator."""

import pytest

from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import (
    BF16,
    BOOL,
    FP8,
    FP16,
    FP32,
    INT8,
    INT16,
    INT32,
    SCALE,
    UINT8,
    Acc,
    Bias,
    Left,
    LeftScale,
    M,
    N,
    Right,
    RightScale,
    Vec,
    scalar,
    shown,
    tile,
)

LHS, RHS = tile(16, 64, dtype=FP16, space=Left), tile(64, 32, dtype=FP16, space=Right)


@pytest.mark.parametrize(("dtype", "summed"), [(FP16, FP32), (BF16, FP32), (FP32, FP32), (INT8, INT32), (UINT8, INT32)])
def test_a_product_is_summed_in_32_bits_in_the_accumulator(dtype, summed):
    made = op.matmul(tile(16, 64, dtype=dtype, space=Left), tile(64, 32, dtype=dtype, space=Right))
    assert shown(made) == f"Tile[[16, 32], {summed.attribute}, Acc]"


def test_a_product_of_valid_rows_only_is_compact():
    made = op.matmul(tile(16, 64, dtype=FP16, space=Left, valid=[N, 48]), RHS)
    assert shown(made) == "Tile[[16, 32], FP32, Acc, TileView(valid_shape=[n, 32], compact=CompactMode.normal)]"


def test_a_product_of_valid_columns_only_is_not_compact():
    made = op.matmul(LHS, tile(64, 32, dtype=FP16, space=Right, valid=[64, N]))
    assert shown(made) == "Tile[[16, 32], FP32, Acc, TileView(valid_shape=[16, n])]"


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (LHS, tile(64, 32, dtype=BF16), "identical lhs and rhs data types, but got fp16 and bfloat16"),
        (LHS, tile(32, 32, dtype=FP16), "matching physical inner dimensions, but got 64 and 32"),
        (LHS, tile(2, 64, 32, dtype=FP16), r"rhs to be a 2D tile, but got \[2, 64, 32\]"),
        (LHS, tile(64, 32, dtype=FP16, valid=[48, 32]), "rhs valid K to cover lhs valid K, but got 48 for 64"),
    ],
)
def test_factors_that_do_not_go_together_are_refused(left, right, message):
    with pytest.raises(ValueError, match=message):
        op.matmul(left, right)


def test_extents_that_may_be_equal_are_taken_on_trust():
    made = op.matmul(tile(16, N, dtype=FP16, space=Left), tile(M, 32, dtype=FP16, space=Right))
    assert shown(made) == "Tile[[16, 32], FP32, Acc]"


def test_an_accumulator_keeps_its_region_and_pitch():
    first = op.matmul(tile(16, 64, dtype=FP16, space=Left, valid=[12, 64]), RHS)
    more = op.matmul_acc(first, tile(16, 64, dtype=FP16, space=Left, valid=[12, 64]), RHS, scalar(BOOL))
    assert shown(more) == shown(first)


@pytest.mark.parametrize(
    ("acc", "init", "message"),
    [
        (tile(16, 32, dtype=INT32, space=Acc), None, "accumulator dtype fp32, but got int32"),
        (tile(32, 32, space=Acc), None, "acc and lhs to have one physical M, but got 32 and 16"),
        (tile(16, 16, space=Acc), None, "acc and rhs to have one physical N, but got 16 and 32"),
        (tile(16, 32, space=Acc, valid=[8, 32]), None, "acc valid M to cover lhs valid M, but got 8 for 16"),
        (tile(16, 32, space=Acc), scalar(INT32), "init_cond to have dtype BOOL, but got int32"),
    ],
)
def test_an_accumulator_that_does_not_fit_is_refused(acc, init, message):
    with pytest.raises(ValueError, match=message):
        op.matmul_acc(acc, LHS, RHS, init)


def test_a_bias_is_a_row_for_the_valid_columns():
    made = op.matmul_bias(LHS, RHS, tile(1, 32, space=Bias))
    assert shown(made) == "Tile[[16, 32], FP32, Acc]"


@pytest.mark.parametrize(
    ("bias", "message"),
    [
        (tile(1, 32, dtype=FP16, space=Bias), "bias dtype fp32, but got fp16"),
        (tile(2, 32, space=Bias), "bias to have one physical row, but got 2 and 1"),
        (tile(1, 64, space=Bias), "bias physical N to match the output, but got 64 and 32"),
        (tile(1, 32, space=Bias, valid=[1, 20]), "bias valid N to cover output valid N=32, but got 20 for 32"),
    ],
)
def test_a_bias_that_does_not_fit_is_refused(bias, message):
    with pytest.raises(ValueError, match=message):
        op.matmul_bias(LHS, RHS, bias)


def test_a_batch_broadcasts_its_leading_axes():
    left, right = tile(4, 1, 16, 64, dtype=FP16, space=Vec), tile(3, 64, 32, dtype=FP16, space=Vec)
    assert shown(op.batch_matmul(left, right)) == "Tile[[4, 3, 16, 32], FP32, Acc]"


@pytest.mark.parametrize(
    ("acc", "message"),
    [
        (tile(16, 32, space=Acc), r"acc of the rank of the product, but got \[16, 32\] for \[4, 16, 32\]"),
        (tile(3, 16, 32, space=Acc), "acc batch dim 0 to match the batch, but got 3 and 4"),
    ],
)
def test_an_accumulator_of_another_batch_is_refused(acc, message):
    with pytest.raises(ValueError, match=message):
        op.batch_matmul_acc(acc, tile(4, 16, 64, dtype=FP16), tile(64, 32, dtype=FP16))


ROW = tile(1, 64, dtype=FP16, space=Left)
GEMV = "Tile[[16, 32], FP32, Acc, TileView(valid_shape=[1, 32])]"


def test_a_row_times_a_matrix_is_one_valid_row_of_sixteen():
    first = op.gemv(ROW, RHS)
    assert (shown(first), shown(op.gemv_acc(first, ROW, RHS))) == (GEMV, GEMV)
    assert shown(op.gemv_bias(ROW, RHS, tile(1, 32, space=Bias))) == GEMV


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (LHS, RHS, "lhs physical row extent to be exactly 1, but got 16 and 1"),
        (
            tile(1, 64, dtype=INT16),
            tile(64, 32, dtype=INT16),
            "supports only INT8 x INT8 -> INT32 and .* but got int16",
        ),
    ],
)
def test_a_row_product_of_something_else_is_refused(left, right, message):
    with pytest.raises(ValueError, match=message):
        op.gemv(left, right)


def test_a_row_accumulator_has_sixteen_rows_of_which_one_is_valid():
    with pytest.raises(ValueError, match=r"accumulator valid_shape \[1, 32\], but got 16 and 1"):
        op.gemv_acc(tile(16, 32, space=Acc), ROW, RHS)


def test_the_phase_of_an_accumulation_is_stored_unless_it_says_nothing():
    assert op.gemv(ROW, RHS, "final").kwargs == {"acc_phase": "final"}
    assert op.gemv(ROW, RHS, "unspecified").kwargs == {}
    with pytest.raises(ValueError, match="acc_phase to be one of unspecified, partial, final, but got last"):
        op.gemv(ROW, RHS, "last")


MX = (
    tile(16, 64, dtype=FP8, space=Left),
    tile(16, 2, dtype=SCALE, space=LeftScale),
    tile(64, 32, dtype=FP8, space=Right),
    tile(2, 32, dtype=SCALE, space=RightScale),
)


def test_a_scaled_product_has_a_scale_for_each_group_of_32():
    assert shown(op.matmul_mx(*MX)) == "Tile[[16, 32], FP32, Acc]"
    assert shown(op.matmul_mx_bias(*MX, tile(1, 32, space=Bias))) == "Tile[[16, 32], FP32, Acc]"
    assert shown(op.matmul_mx_acc(tile(16, 32, space=Acc), *MX)) == "Tile[[16, 32], FP32, Acc]"


@pytest.mark.parametrize(
    ("place", "operand", "message"),
    [
        (0, tile(16, 64, dtype=FP16), "lhs dtype FP8E4M3FN, but got fp16"),
        (1, tile(16, 2, dtype=UINT8), "lhs_scale dtype FP8E8M0, but got uint8"),
        (0, tile(8, 64, dtype=FP8), "physical M divisible by 16 .* but got 8"),
        (2, tile(64, 16, dtype=FP8), "physical N divisible by 32 .* but got 16"),
        (2, tile(128, 32, dtype=FP8), "matching physical inner dimensions: rhs K=64, but got 128"),
        (1, tile(16, 4, dtype=SCALE), "lhs_scale physical cols=2, but got 4"),
        (3, tile(1, 32, dtype=SCALE), "rhs_scale physical rows=2, but got 1"),
    ],
)
def test_scaled_factors_that_do_not_go_together_are_refused(place, operand, message):
    operands = [operand if i == place else other for i, other in enumerate(MX)]
    with pytest.raises(ValueError, match=message):
        op.matmul_mx(*operands)


def test_symbolic_extents_of_scaled_factors_are_taken_on_trust():
    made = op.matmul_mx(tile(N, 64, dtype=FP8), tile(M, 2, dtype=SCALE), *MX[2:])
    assert shown(made) == "Tile[[n, 32], FP32, Acc]"


@pytest.mark.parametrize(
    ("scale", "data", "message"),
    [
        (MX[1], MX[2], "the pair LeftScale↔Left or RightScale↔Right"),
        (tile(16, 2, dtype=SCALE, space=None), MX[0], "resolved dst_scale and src memory spaces"),
        (tile(16, 4, dtype=SCALE, space=LeftScale), MX[0], "dst_scale physical cols=2, but got 4"),
    ],
)
def test_a_scale_is_bound_to_data_on_its_own_side(scale, data, message):
    assert shown(op.tget_scale_addr(MX[3], MX[2])) == shown(MX[3])
    with pytest.raises(ValueError, match=message):
        op.tget_scale_addr(scale, data)
