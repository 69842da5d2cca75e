# SPDX-License-Identifier: Apache-2.0
"""Types and values: what counts as the same, and what a memory space implies."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir import MemorySpace, PadValue, TileLayout
from pypto_build.ir.types import implicit_tile_view
from tests.unit.ir.build import FP16, FP32, INDEX, INT32, INT64, number, scalar

N, M = scalar("n"), scalar("n")
ROW, COL, NONE = TileLayout.row_major, TileLayout.col_major, TileLayout.none_box


def same(left: object, right: object) -> bool:
    return ir.same_value(left, right)


def test_dimensions_that_are_variables_compare_by_identity():
    assert ir.TensorType((N,), FP32) == ir.TensorType((N,), FP32)
    assert ir.TensorType((N,), FP32) != ir.TensorType((M,), FP32)


def test_dimensions_that_are_expressions_compare_by_structure():
    half, again = (ir.FloorDiv(N, number(2), INDEX) for _ in range(2))
    assert ir.TensorType((half,), FP32) == ir.TensorType((again,), FP32)
    assert ir.TensorType((half,), FP32) != ir.TensorType((ir.FloorDiv(N, number(4), INDEX),), FP32)


def test_integer_dimensions_of_both_index_types_are_the_same():
    one, two = (ir.TensorType((number(8, dtype),), FP32) for dtype in (INDEX, INT64))
    assert one == two
    assert hash(one) == hash(two)
    assert one != ir.TensorType((number(8, INT32),), FP32)


def test_a_scalar_of_either_index_type_is_another_type():
    assert ir.ScalarType(INDEX) != ir.ScalarType(INT64)


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (1, 1.0), (0, False), ("1", 1), ((1,), (1, 2)), ((1,), (True,)), (None, 0), (FP16, FP32)],
)
def test_values_of_other_python_types_differ(left: object, right: object):
    assert not same(left, right)
    assert same(left, left)


def test_attributes_compare_whatever_their_order():
    assert same(ir.frozen_map({"a": 1, "b": (2,)}), {"b": (2,), "a": 1})
    assert not same(ir.frozen_map({"a": 1}), ir.frozen_map({"a": 1, "b": 2}))


def test_a_memory_reference_does_not_count():
    ref = ir.MemRef("m", base=scalar("m"), byte_offset=number(0), size=64)
    assert ir.TensorType((N,), FP32, ref) == ir.TensorType((N,), FP32)
    assert hash(ir.TensorType((N,), FP32, ref)) == hash(ir.TensorType((N,), FP32))


def test_a_tensor_and_a_distributed_tensor_differ():
    assert ir.TensorType((N,), FP32) != ir.DistributedTensorType((N,), FP32)


def test_the_scalar_type_of_an_element_type_is_one_object():
    assert ir.scalar_type(FP32) is ir.scalar_type(FP32)
    assert number(1).type is scalar("x").type


def test_types_serve_as_keys():
    known = {ir.TensorType((N, number(8)), FP32): "a", ir.UNKNOWN_TYPE: "b"}
    assert known[ir.TensorType((N, number(8)), FP32)] == "a"
    assert known[ir.UnknownType()] == "b"


def tile(view: ir.TileView | None, space: MemorySpace | None, *shape: int) -> ir.TileType:
    return ir.TileType(ir.dims(shape or (16, 32)), FP16, None, view, space)


@pytest.mark.parametrize(
    ("space", "layout"),
    [
        (MemorySpace.DDR, (ROW, NONE, 512)),
        (MemorySpace.Vec, (ROW, NONE, 512)),
        (MemorySpace.Mat, (COL, ROW, 512)),
        (MemorySpace.Left, (COL, ROW, 512)),
        (MemorySpace.Right, (ROW, COL, 512)),
        (MemorySpace.Acc, (COL, ROW, 1024)),
        (MemorySpace.Bias, (ROW, NONE, 512)),
        (MemorySpace.LeftScale, (ROW, ROW, 32)),
        (MemorySpace.RightScale, (COL, COL, 32)),
        (MemorySpace.ScalarLocal, (ROW, NONE, 512)),
        (None, (ROW, NONE, 512)),
    ],
)
def test_a_memory_space_implies_a_layout(space: MemorySpace | None, layout: tuple[TileLayout, TileLayout, int]):
    view = implicit_tile_view(ir.dims((16, 32)), space)
    assert (view.blayout, view.slayout, view.fractal) == layout


@pytest.mark.parametrize(
    ("shape", "layout"), [((16, 1), COL), ((1, 1), ROW), ((1, 16), ROW), ((16,), ROW), ((4, 16, 1), ROW)]
)
def test_a_column_is_laid_out_by_columns(shape: tuple[int, ...], layout: TileLayout):
    assert implicit_tile_view(ir.dims(shape), MemorySpace.Vec).blayout is layout


def test_a_view_that_says_nothing_new_is_not_kept():
    assert tile(ir.TileView(), MemorySpace.Vec).tile_view is None
    assert tile(ir.TileView(blayout=COL, slayout=ROW, fractal=1024), MemorySpace.Acc).tile_view is None
    assert tile(ir.TileView(ir.dims((16, 32))), MemorySpace.Vec) == tile(None, MemorySpace.Vec)


def test_a_view_that_says_something_is_kept_without_the_full_shape():
    kept = tile(ir.TileView(ir.dims((16, 32)), pad=PadValue.zero), MemorySpace.Vec).tile_view
    assert kept == ir.TileView(pad=PadValue.zero)


def test_the_view_in_effect_is_complete():
    view = tile(None, MemorySpace.Left).effective_tile_view()
    assert same(view.valid_shape, ir.dims((16, 32)))
    assert (view.blayout, view.slayout) == (COL, ROW)
    partial = ir.TileView((N, number(32)))
    assert tile(partial, MemorySpace.Vec).effective_tile_view().valid_shape[0] is N


def test_where_things_live_is_part_of_some_types_only():
    array = ir.ArrayType(INT32, number(8))
    assert ir.TensorType((N,), FP32).memory_space is MemorySpace.DDR
    assert (array.memory_space, array.memref, array.shape) == (MemorySpace.ScalarLocal, None, (array.extent,))


def test_the_type_of_a_tuple_follows_from_its_elements():
    pair = ir.MakeTuple((scalar("a"), number(1, INT32)))
    assert pair.type == ir.TupleType((ir.scalar_type(INDEX), ir.scalar_type(INT32)))
    assert ir.TupleGetItemExpr(pair, 1).type == ir.scalar_type(INT32)
    assert ir.TupleGetItemExpr(ir.Var("t", ir.UNKNOWN_TYPE), 0).type is ir.UNKNOWN_TYPE


def test_a_type_says_what_it_is():
    assert str(tile(None, MemorySpace.Vec)) == "pl.Tile[[16, 32], pl.FP16, pl.Mem.Vec]"
