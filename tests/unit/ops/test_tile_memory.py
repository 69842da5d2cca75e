# SPDX-License-Identifier: Apache-2.0
"""Types of tiles that are allocated, loaded, stored, moved, put together and taken apart."""

import pytest

from pypto_build.ir import PTR_TYPE, AtomicType, MemorySpace, TensorLayout, TensorView, TileType, dims
from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import (
    COLUMNS,
    FP16,
    FP32,
    INT32,
    NO_BOX,
    ROWS,
    SCALE,
    UINT8,
    Acc,
    Bias,
    Left,
    LeftScale,
    M,
    Mat,
    N,
    Right,
    RightScale,
    Vec,
    scalar,
    shown,
    tensor,
    tile,
)


def test_memory_is_a_pointer():
    made = op.alloc(MemorySpace.Mat, 4096)
    assert made.type is PTR_TYPE
    assert [argument.value for argument in made.args] == [MemorySpace.Mat.value, 4096]


@pytest.mark.parametrize("space", [Vec, Mat, Left, Right, Acc, Bias])
def test_a_created_tile_lies_as_its_space_implies(space):
    assert op.create([16, N], FP16, space).type == TileType(dims([16, N]), FP16, None, None, space)


@pytest.mark.parametrize(
    ("options", "rows", "boxes"), [({"transpose": True}, ROWS, COLUMNS), ({"flat_layout": True}, ROWS, NO_BOX)]
)
def test_a_tile_for_the_matrix_unit_can_lie_in_another_way(options, rows, boxes):
    view = op.create([16, 32], FP16, Mat, **options).type.effective_tile_view()
    assert (view.blayout, view.slayout) == (rows, boxes)
    with pytest.raises(ValueError, match=r"only .*target_memory=Mat"):
        op.create([16, 32], FP16, Vec, **options)


def test_no_tile_is_created_in_the_memory_of_scales():
    with pytest.raises(ValueError, match="does not support target_memory=LeftScale/RightScale"):
        op.create([16, 2], SCALE, LeftScale)


@pytest.mark.parametrize(
    ("source", "asked", "result"),
    [
        (tensor(64, 32), None, "Tile[[16, 32], FP32, Vec]"),
        (tensor(64, 32), [M, 20], "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[m, 20])]"),
        (tensor(N, 32), None, "Tile[[16, 32], FP32, Vec]"),
        (tensor(64, 32, valid=[8, 32]), None, "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[8, 32])]"),
    ],
)
def test_a_loaded_tile_is_valid_where_the_tensor_is_and_where_asked(source, asked, result):
    assert shown(op.load(source, [0, 0], [16, 32], asked)) == result


def test_a_clamped_load_is_cut_at_the_edge():
    made = op.load(tensor(40, 32), [32, 0], [16, 32], clamp=True)
    assert shown(made) == "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[8, 32])]"


def test_one_row_for_the_matrix_unit_has_no_boxes():
    view = op.load(tensor(64, 32), [0, 0], [1, 32], target_memory=Mat).type.effective_tile_view()
    assert (view.blayout, view.slayout) == (ROWS, NO_BOX)


@pytest.mark.parametrize(
    ("layout", "rows"), [(TensorLayout.MX_A_ZZ, ROWS), (TensorLayout.MX_B_NN, COLUMNS)], ids=["left", "right"]
)
def test_scales_are_loaded_in_the_layout_that_the_move_wants(layout, rows):
    made = op.load(tensor(16, 2, dtype=SCALE, layout=layout), [0, 0], [16, 2], target_memory=Mat)
    view = made.type.effective_tile_view()
    assert (view.blayout, view.slayout, view.fractal) == (rows, rows, 32)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (tensor(16, 2, dtype=SCALE, layout=TensorLayout.MX_A_ZZ), {}, "requires explicit target_memory"),
        (tensor(16, 2, dtype=SCALE, layout=TensorLayout.MX_A_ZZ), {"target_memory": Vec}, "requires target_memory="),
        (tensor(16, 2, layout=TensorLayout.MX_A_ZZ), {"target_memory": Mat}, "requires dtype UINT8 or FP8E8M0"),
    ],
)
def test_scales_that_cannot_be_loaded_are_refused(source, options, message):
    with pytest.raises(ValueError, match=message):
        op.load(source, [0, 0], [16, 2], **options)


def test_a_stored_tile_makes_nothing_invalid():
    target = tensor(64, 32)
    assert op.store(tile(16, 32), [0, 0], target).type is target.type


def test_a_stored_tile_extends_what_is_valid():
    target = tensor(64, 32, valid=[16, 32])
    made = op.store(tile(16, 32), [16, 0], target)
    assert made.type.tensor_view == TensorView(valid_shape=dims([32, 32]))


def test_an_atomic_store_says_so():
    assert op.store(tile(16, 32), [0, 0], tensor(64, 32), atomic=AtomicType.Add).kwargs == {"atomic": 1}
    assert op.store(tile(16, 32), [0, 0], tensor(64, 32)).kwargs == {}


@pytest.mark.parametrize("space", [Vec, Mat, Left, Acc, Bias])
def test_a_moved_tile_takes_the_layout_of_its_new_space(space):
    assert shown(op.move(tile(16, 32, dtype=FP16), space)) == f"Tile[[16, 32], FP16, {space.name}]"


def test_a_moved_tile_keeps_what_is_valid():
    made = op.move(tile(16, 32, valid=[N, 20]), Mat)
    assert [str(dim) for dim in made.type.tile_view.valid_shape] == ["n", "20"]


def test_a_moved_tile_can_be_asked_for_a_layout():
    view = op.move(tile(16, 32), Mat, blayout=ROWS, slayout=NO_BOX).type.effective_tile_view()
    assert (view.blayout, view.slayout) == (ROWS, NO_BOX)


@pytest.mark.parametrize(("space", "rows"), [(LeftScale, ROWS), (RightScale, COLUMNS)])
def test_scales_are_moved_in_a_fixed_layout_and_become_scales(space, rows):
    made = op.move(tile(16, 2, dtype=UINT8, space=None), space)
    view = made.type.effective_tile_view()
    assert (made.type.dtype, view.blayout, view.slayout, view.fractal) == (SCALE, rows, rows, 32)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (tile(16, 2, dtype=FP16, space=None), {}, "to LeftScale requires dtype UINT8 or FP8E8M0, but got fp16"),
        (tile(16, 2, dtype=SCALE, space=None), {"blayout": COLUMNS}, "so blayout cannot be chosen"),
        (tile(16, 2, dtype=SCALE, space=Vec), {}, "requires a source in Mat memory"),
        (tile(2, 16, 2, dtype=SCALE, space=None), {}, "requires a 2D tile, but got rank 3"),
    ],
)
def test_scales_that_cannot_be_moved_are_refused(source, options, message):
    with pytest.raises(ValueError, match=message):
        op.move(source, LeftScale, **options)


def test_an_element_is_read_and_written_by_one_index_per_axis():
    assert op.read(tile(16, 32, dtype=FP16), [N, 3]).type.dtype is FP16
    assert shown(op.write(tile(16, 32, dtype=FP16), [0, 0], 1.5)) == "Tile[[16, 32], FP16, Vec]"
    with pytest.raises(ValueError, match=r"requires one index per dimension \(2\), but got 1"):
        op.read(tile(16, 32), [0])


def test_an_element_is_written_at_its_own_type():
    with pytest.raises(ValueError, match="requires a value of the tile's dtype, but got fp32 for fp16"):
        op.write(tile(16, 32, dtype=FP16), [0, 0], scalar(FP32))


@pytest.mark.parametrize(
    ("target", "source", "offset", "result"),
    [
        (tile(16, 32), tile(8, 32), [8, 0], "Tile[[16, 32], FP32, Vec]"),
        (tile(16, 32, valid=[8, 32]), tile(8, 32), [8, 0], "Tile[[16, 32], FP32, Vec]"),
        (
            tile(16, 32, valid=[4, 32]),
            tile(4, 32),
            [4, 0],
            "Tile[[16, 32], FP32, Vec, TileView(valid_shape=[8, 32])]",
        ),
    ],
)
def test_an_assembled_tile_is_valid_also_where_the_source_went(target, source, offset, result):
    assert shown(op.assemble(target, source, offset)) == result


def test_only_the_accumulator_is_converted_on_assembly():
    made = op.assemble(tile(32, 32, dtype=FP16, space=Mat), tile(16, 32, space=Acc), [0, 0])
    assert shown(made) == "Tile[[32, 32], FP16, Mat]"
    with pytest.raises(ValueError, match="target and source to have the same dtype, but got fp16 and fp32"):
        op.assemble(tile(32, 32, dtype=FP16), tile(16, 32), [0, 0])


def test_an_extracted_window_is_repacked_for_its_space():
    source = tile(64, 64, dtype=FP16, space=Mat, valid=[64, N])
    assert shown(op.extract(source, 0, 0, [16, 32], target_memory=Vec)).startswith("Tile[[16, 32], FP16, Vec")
    view = op.extract(tile(64, 64, dtype=FP16, space=Mat), 16, 0, [16, 32], target_memory=Left).type
    assert (view.effective_tile_view().blayout, view.effective_tile_view().slayout) == (ROWS, ROWS)


@pytest.mark.parametrize(
    ("row", "shape", "message"),
    [
        (-1, [16, 32], "requires index_row, which must be >= 0, but got -1"),
        (56, [16, 32], "reads too far: index 56 \\+ 16 exceeds src row extent 64"),
        (scalar(INT32), [16, 32], "requires index_row of dtype INT64/UINT64/INDEX, but got int32"),
        (0, [N, 32], "requires each shape element to be a compile-time ConstInt, but got n"),
        (0, [16], r"requires a 2D shape, but got \[16\]"),
    ],
)
def test_a_window_that_cannot_be_extracted_is_refused(row, shape, message):
    with pytest.raises(ValueError, match=message):
        op.extract(tile(64, 64, dtype=FP16, space=Mat), row, 0, shape, target_memory=Vec)


def test_tiles_side_by_side_are_as_wide_as_both():
    made = op.concat(tile(16, 32, valid=[N, 32]), tile(16, N))
    assert shown(made) == "Tile[[16, 32 + n], FP32, Vec, TileView(valid_shape=[n, 32 + n])]"


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (tile(16, 32), tile(8, 32), r"row count must match, but got \[16, 32\] and \[8, 32\]"),
        (tile(16, 32), tile(16, 32, dtype=FP16), "to have the same dtype, but got fp32 and fp16"),
    ],
)
def test_tiles_that_cannot_lie_side_by_side_are_refused(left, right, message):
    with pytest.raises(ValueError, match=message):
        op.concat(left, right)
