# SPDX-License-Identifier: Apache-2.0
"""Types of gathers from tiles and from global memory."""

import pytest

from pypto_build.ir import MemorySpace, TensorLayout
from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import (
    BF16,
    FP16,
    FP32,
    INT16,
    INT32,
    INT64,
    UINT32,
    M,
    Mat,
    N,
    shown,
    tensor,
    tile,
)


@pytest.mark.parametrize(("source", "index"), [(FP32, INT32), (FP16, INT32), (FP16, INT16)])
def test_a_gather_has_an_element_for_each_index(source, index):
    made = op.gather(tile(8, 64, dtype=source), tile(4, 16, dtype=index, valid=[N, 16]), tile(4, 16, dtype=INT32))
    assert shown(made) == f"Tile[[4, 16], {source.attribute}, Vec, TileView(valid_shape=[n, 16])]"


@pytest.mark.parametrize(
    ("source", "index", "message"),
    [
        (BF16, INT32, r"src dtype in \{FP16, FP32, INT16, INT32\}, but got bfloat16"),
        (FP32, UINT32, r"indices dtype in \{INT16, INT32\}, but got uint32"),
        (FP32, INT16, "takes INT16 indices only with a 16-bit src, but src is fp32"),
    ],
)
def test_a_gather_of_other_types_is_refused(source, index, message):
    with pytest.raises(ValueError, match=message):
        op.gather(tile(8, 64, dtype=source), tile(4, 16, dtype=index), tile(4, 16, dtype=INT32))


@pytest.mark.parametrize(
    ("pattern", "columns", "valid"),
    [
        (op.MaskPattern.P0101, 32, 5),
        (op.MaskPattern.P1010, 32, 5),
        (op.MaskPattern.P0001, 16, 3),
        (op.MaskPattern.P1000, 16, 2),
        (op.MaskPattern.P1111, 64, 10),
    ],
)
def test_marked_columns_lie_side_by_side(pattern, columns, valid):
    made = op.gather_mask(tile(8, 64, valid=[8, 10]), pattern)
    assert shown(made) == f"Tile[[8, {columns}], FP32, Vec, TileView(valid_shape=[8, {valid}])]"


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (tile(8, 63), {"mask_pattern": 1}, "the last dimension of input to be divisible by 2, but got 63"),
        (tile(8, N), {"mask_pattern": 1}, "a static last dimension of input"),
        (tile(8, 64), {"mask_pattern": 8}, "mask_pattern"),
        (tile(8, 64), {"mask_pattern": 1, "output_dtype": FP16}, "an output_dtype of the same bit width as fp32"),
    ],
)
def test_columns_that_cannot_be_marked_are_refused(source, options, message):
    with pytest.raises(ValueError, match=message):
        op.gather_mask(source, **options)


def test_a_block_gather_has_32_bytes_for_each_offset():
    offsets = tile(4, 8, dtype=UINT32, valid=[N, 3])
    made = op.gatherb(tile(8, 64, dtype=FP16), offsets)
    assert shown(made) == "Tile[[4, 128], FP16, Vec, TileView(valid_shape=[n, 48])]"
    assert shown(op.gatherb(tile(8, 64, dtype=FP16), tile(4, 8, dtype=UINT32), output_dtype=FP32)) == (
        "Tile[[4, 64], FP32, Vec]"
    )


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        (tile(4, 8, dtype=INT32), "offset dtype UINT32, but got int32"),
        (tile(4, 12, dtype=UINT32), "a positive multiple of 8, but got 12"),
        (tile(4, N, dtype=UINT32), "static offset columns"),
        (tile(8, dtype=UINT32), r"a 2D offset tile, but got \[8\]"),
    ],
)
def test_offsets_that_name_no_blocks_are_refused(offsets, message):
    with pytest.raises(ValueError, match=message):
        op.gatherb(tile(8, 64, dtype=FP16), offsets)


MEMORY = tensor(1000, 64, dtype=FP16)


@pytest.mark.parametrize(
    ("index", "mode", "result"),
    [
        (tile(1, 16, dtype=INT32), "row", "Tile[[16, 64], FP16, Vec]"),
        (tile(16, 1, dtype=INT32), "row", "Tile[[16, 64], FP16, Vec]"),
        (tile(1, 16, dtype=INT32, valid=[1, N]), "row", "Tile[[16, 64], FP16, Vec, TileView(valid_shape=[n, 64])]"),
        (tile(4, 16, dtype=INT32), "elem", "Tile[[4, 16], FP16, Vec]"),
    ],
)
def test_rows_or_elements_of_a_tensor_are_gathered_by_a_tile(index, mode, result):
    assert shown(op.mgather(MEMORY, index, mode)) == result


@pytest.mark.parametrize(
    ("memory", "index", "mode", "message"),
    [
        (tensor(8, 8, dtype=INT64), tile(1, 16, dtype=INT32), "row", "mem dtype in"),
        (MEMORY, tile(1, 16, dtype=INT16), "row", "idx dtype INT32, but got int16"),
        (MEMORY, tile(4, 16, dtype=INT32), "row", r"a \[1, R\] or \[R, 1\] idx shape, but got \[4, 16\]"),
        (MEMORY, tile(1, N, dtype=INT32), "row", r"a static \[1, R\] or \[R, 1\] idx shape"),
        (tensor(64, dtype=FP16), tile(1, 16, dtype=INT32), "row", "in row mode requires mem rank >= 2, but got 1"),
    ],
)
def test_indices_that_name_no_rows_are_refused(memory, index, mode, message):
    with pytest.raises(ValueError, match=message):
        op.mgather(memory, index, mode)


def test_rows_are_gathered_into_the_matrix_buffer_by_a_tensor():
    made = op.mgather(MEMORY, tensor(1, 16, dtype=INT32), target_memory=Mat, valid_shape=[N, 64])
    assert shown(made) == "Tile[[16, 64], FP16, Mat, TileView(valid_shape=[n, 64])]"


def test_elements_reach_the_matrix_buffer_through_a_scratch_tensor():
    index, scratch = tensor(16, 32, dtype=INT32), tensor(16, 32, dtype=FP16)
    made = op.mgather(MEMORY, index, "elem", target_memory=Mat, scratch=scratch)
    assert shown(made) == "Tile[[16, 32], FP16, Mat]"


INDEX_TENSOR = tensor(16, 32, dtype=INT32)


@pytest.mark.parametrize(
    ("index", "scratch", "message"),
    [
        (tile(16, 32, dtype=INT32), None, "into Mat requires idx to be a GM TensorType, but got TileType"),
        (tensor(16, 32, dtype=INT32, layout=TensorLayout.DN), None, "into Mat requires idx to use ND tensor layout"),
        (tensor(8, 32, dtype=INT32), None, "rows must be a multiple of 16, but got 8"),
        (INDEX_TENSOR, None, "in Mat elem mode requires GM scratch"),
        (INDEX_TENSOR, MEMORY, "scratch, which must not alias mem or idx"),
        (INDEX_TENSOR, tensor(16, 32), "scratch dtype must match mem dtype, but got fp32 and fp16"),
        (INDEX_TENSOR, tensor(16, 16, dtype=FP16), "scratch of at least 512 elements, but got 256"),
        (INDEX_TENSOR, tensor(16, N, dtype=FP16), "scratch shape must be static"),
        (INDEX_TENSOR, tensor(16, 32, dtype=FP16, stride=[64, 1]), "scratch in contiguous ND layout"),
    ],
)
def test_elements_that_cannot_reach_the_matrix_buffer_are_refused(index, scratch, message):
    with pytest.raises(ValueError, match=message):
        op.mgather(MEMORY, index, "elem", target_memory=Mat, scratch=scratch)


def test_only_elements_on_their_way_to_the_matrix_buffer_take_scratch():
    with pytest.raises(ValueError, match="permits scratch only for Mat elem mode"):
        op.mgather(MEMORY, tile(1, 16, dtype=INT32), scratch=tensor(16, 64, dtype=FP16))


@pytest.mark.parametrize("given", [{"gather_oob": "clamp"}, {"gather_oob": 1}])
def test_what_happens_beyond_the_tensor_is_stated_by_name_or_number(given):
    assert op.mgather(MEMORY, tile(1, 16, dtype=INT32), **given).kwargs == {"coalesce": 0, "gather_oob": 1}


def test_a_gathered_row_is_the_destination():
    target = tile(16, 64, dtype=FP16, space=Mat)
    assert op.gather_row(target, MEMORY, [0, 0], [N, 0], [1, 64], valid_shape=[1, M]).type == target.type


@pytest.mark.parametrize(
    ("shapes", "valid", "message"),
    [
        ([1, N], None, "shapes of positive compile-time constants, but got n"),
        ([1, 64], [64], "valid_shape to have the same rank as shapes, but got 1 and 2"),
        ([1, 64], [1, 65], r"valid_shape\[1\] that provably exceeds physical shape extent: 65 > 64"),
        ([1, 64], [-1, 64], r"valid_shape\[0\], which must be >= 0, but got -1"),
    ],
)
def test_a_row_that_cannot_be_gathered_is_refused(shapes, valid, message):
    with pytest.raises(ValueError, match=message):
        op.gather_row(tile(16, 64, dtype=FP16), MEMORY, [0, 0], [0, 0], shapes, valid_shape=valid)


def test_a_row_of_another_type_is_refused():
    with pytest.raises(ValueError, match="dst and src to share dtype, but got fp32 and fp16"):
        op.gather_row(tile(16, 64), MEMORY, [0, 0], [0, 0], [1, 64])


def test_a_transposed_row_has_constant_extents():
    with pytest.raises(ValueError, match="does not support a dynamic valid_shape together with transpose"):
        op.gather_row(tile(64, 16, dtype=FP16), MEMORY, [0, 0], [0, 0], [1, 64], True, valid_shape=[1, N])


def test_a_gather_into_vector_memory_says_nothing_of_it():
    assert op.mgather(MEMORY, tile(1, 16, dtype=INT32), target_memory=MemorySpace.Vec).kwargs == {"coalesce": 0}
