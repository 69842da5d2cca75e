# SPDX-License-Identifier: Apache-2.0
"""Types, views and memory references as annotations."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir import DataType, MemorySpace, PadValue, TensorLayout, TileLayout
from pypto_build.ir.printing import print_type, python_print
from tests.unit.ir.build import FP16, FP32, INDEX, INT32, INT64, number, scalar

N, K = scalar("N"), scalar("i")
SHAPE = ir.dims((16, 32))


def tile_type(view: ir.TileView | None = None, space: MemorySpace | None = MemorySpace.Vec) -> ir.TileType:
    return ir.TileType(SHAPE, FP16, None, view, space)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ir.ScalarType(INT64), "pl.Scalar[pl.INT64]"),
        (ir.scalar_type(DataType.TASK_ID), "pl.Scalar[pl.TASK_ID]"),
        (ir.TensorType((N, number(8, INT64)), FP32), "pl.Tensor[[N, 8], pl.FP32]"),
        (ir.DistributedTensorType(SHAPE, FP32), "pld.DistributedTensor[[16, 32], pl.FP32]"),
        (tile_type(space=None), "pl.Tile[[16, 32], pl.FP16]"),
        (tile_type(), "pl.Tile[[16, 32], pl.FP16, pl.Mem.Vec]"),
        (ir.ArrayType(INT32, number(8)), "pl.Array[8, pl.INT32]"),
        (ir.TupleType((ir.scalar_type(INDEX), ir.PTR_TYPE)), "pl.Tuple[pl.Scalar[pl.INDEX], pl.Ptr]"),
        (ir.TupleType(()), "pl.Tuple[()]"),
        (ir.UNKNOWN_TYPE, "pl.UnknownType"),
        (ir.MEMREF_TYPE, "pl.MemRefType"),
        (ir.WindowBufferType(), "pld.WindowBufferType"),
        (ir.CommCtxType(), "pld.CommCtx"),
        (ir.PrefetchAsyncContextType(), "pl.PrefetchAsyncContext"),
        (ir.AsyncEventType(), "pl.AsyncEvent"),
        (ir.AsyncSessionType(), "pl.AsyncSession"),
    ],
)
def test_every_type_has_its_annotation(kind: ir.Type, text: str):
    assert print_type(kind) == text == str(kind)


def test_a_dimension_may_be_an_expression():
    kind = ir.TensorType((ir.FloorDiv(N, number(4), INDEX), ir.Add(number(1), number(2), INDEX)), FP32)
    assert print_type(kind) == "pl.Tensor[[N // 4, pl.const(1, pl.INDEX) + pl.const(2, pl.INDEX)], pl.FP32]"


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (ir.TensorView((), TensorLayout.NZ), "pl.TensorView(stride=[], layout=pl.TensorLayout.NZ)"),
        (
            ir.TensorView((N, number(1)), valid_shape=(N, N), pad=PadValue.zero),
            "pl.TensorView(stride=[N, 1], layout=pl.TensorLayout.ND, valid_shape=[N, N], pad=pl.PadValue.zero)",
        ),
        (ir.TensorView(), "pl.TensorView()"),
    ],
)
def test_a_tensor_view_says_what_it_is(view: ir.TensorView, text: str):
    assert print_type(ir.TensorType(SHAPE, FP32, None, view)) == f"pl.Tensor[[16, 32], pl.FP32, {text}]"


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (ir.TileView((N, number(32))), "valid_shape=[N, 32]"),
        (ir.TileView(stride=(number(1), number(16))), "stride=[1, 16]"),
        (ir.TileView(start_offset=number(4)), "start_offset=4"),
        (ir.TileView(blayout=TileLayout.col_major), "blayout=pl.TileLayout.col_major"),
        (ir.TileView(slayout=TileLayout.row_major), "slayout=pl.TileLayout.row_major"),
        (ir.TileView(fractal=1024), "fractal=1024"),
        (ir.TileView(pad=PadValue.min), "pad=pl.PadValue.min"),
        (ir.TileView(compact=ir.CompactMode.normal), "compact=pl.CompactMode.normal"),
    ],
)
def test_a_tile_view_says_only_what_is_not_implied(view: ir.TileView, text: str):
    assert print_type(tile_type(view)) == f"pl.Tile[[16, 32], pl.FP16, pl.Mem.Vec, pl.TileView({text})]"


def test_what_the_memory_space_implies_is_left_out():
    view = ir.TileView(blayout=TileLayout.col_major, slayout=TileLayout.row_major, pad=PadValue.max)
    text = print_type(tile_type(view, MemorySpace.Left))
    assert text == "pl.Tile[[16, 32], pl.FP16, pl.Mem.Left, pl.TileView(pad=pl.PadValue.max)]"


def test_a_layout_against_the_memory_space_is_stated():
    text = print_type(tile_type(ir.TileView(slayout=TileLayout.row_major), MemorySpace.Left))
    assert text.endswith("pl.TileView(blayout=pl.TileLayout.row_major)]")


def test_explicit_layout_states_the_implied_view():
    assert print_type(tile_type(space=MemorySpace.Acc), explicit_layout=True) == (
        "pl.Tile[[16, 32], pl.FP16, pl.Mem.Acc, pl.TileView(blayout=pl.TileLayout.col_major, "
        "slayout=pl.TileLayout.row_major, fractal=1024)]"
    )


def test_explicit_layout_names_the_window_buffer():
    buffer = ir.WindowBuffer("buf", base=ir.Var("buf", ir.PTR_TYPE), size=number(64))
    kind = ir.DistributedTensorType(SHAPE, FP16, None, None, buffer)
    assert print_type(kind) == "pld.DistributedTensor[[16, 32], pl.FP16]"
    assert print_type(kind, explicit_layout=True).endswith(', pl.FP16, "window_buffer=buf"]')


BASE = ir.Var("mem_vec_3", ir.PTR_TYPE)


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        (ir.MemRef("m", base=BASE, byte_offset=number(64), size=128), 'pl.MemRef("mem_vec_3", 64, 128)'),
        (
            ir.MemRef("m", base=BASE, byte_offset=number(64, INT64), size=128),
            'pl.MemRef("mem_vec_3", pl.const(64, pl.INT64), 128)',
        ),
        (ir.MemRef("m", base=BASE, byte_offset=number(0), is_pinned=True), 'pl.MemRef("mem_vec_3")'),
        (
            ir.MemRef("m", base=BASE, byte_offset=number(0), is_pinned=True, slot_count=2, slot_index=K),
            'pl.MemRef("mem_vec_3", slots=2)[i]',
        ),
        (
            ir.MemRef("m", base=BASE, byte_offset=K, size=8, is_pinned=True, slot_count=2, slot_index=number(1)),
            'pl.MemRef("mem_vec_3", i, 8, is_pinned=True, slots=2, slot=1)',
        ),
    ],
)
def test_a_memory_reference_names_its_allocation(ref: ir.MemRef, text: str):
    assert python_print(ref) == text
    assert print_type(ir.TensorType(SHAPE, FP32, ref)) == f"pl.Tensor[[16, 32], pl.FP32, {text}]"


def test_a_tile_has_its_memory_reference_before_its_space():
    ref = ir.MemRef("m", base=BASE, byte_offset=number(0), size=1024)
    kind = ir.TileType(SHAPE, FP16, ref, None, MemorySpace.Vec)
    assert print_type(kind) == 'pl.Tile[[16, 32], pl.FP16, pl.MemRef("mem_vec_3", 0, 1024), pl.Mem.Vec]'


def test_a_deep_tuple_type_is_written_in_full():
    kind: ir.Type = ir.scalar_type(INDEX)
    for _ in range(50):
        kind = ir.TupleType((kind,))
    assert print_type(kind).count("pl.Tuple[") == 50
