# SPDX-License-Identifier: Apache-2.0
"""Operands for tests of operations, and the types of results as the printer shows them."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import (
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    TensorLayout,
    TensorType,
    TensorView,
    TileLayout,
    TileType,
    TileView,
    Var,
    dims,
    scalar_type,
)

FP32, FP16, BF16 = DataType.FP32, DataType.FP16, DataType.BF16
INT8, INT16, INT32, INT64 = DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64
UINT8, UINT16, UINT32 = DataType.UINT8, DataType.UINT16, DataType.UINT32
INDEX, BOOL = DataType.INDEX, DataType.BOOL
FP8, SCALE = DataType.FP8E4M3FN, DataType.FP8E8M0
Vec, Mat, Left, Right = MemorySpace.Vec, MemorySpace.Mat, MemorySpace.Left, MemorySpace.Right
Acc, Bias = MemorySpace.Acc, MemorySpace.Bias
LeftScale, RightScale = MemorySpace.LeftScale, MemorySpace.RightScale
ROWS, COLUMNS, NO_BOX = TileLayout.row_major, TileLayout.col_major, TileLayout.none_box

Extents = Sequence[Expr | int]


def scalar(dtype: DataType = INDEX, name: str = "s") -> Var:
    """A scalar variable."""
    return Var(name, scalar_type(dtype))


N = scalar(INDEX, "n")
M = scalar(INDEX, "m")


def tile(
    *shape: Expr | int,
    dtype: DataType = FP32,
    valid: Extents | None = None,
    space: MemorySpace | None = Vec,
    layout: tuple[TileLayout, TileLayout] | None = None,
) -> Var:
    """A tile variable; valid everywhere and in the layout of its space unless something else is said."""
    view = None
    if valid is not None or layout is not None:
        whole = TileType(dims(shape), dtype, None, None, space).effective_tile_view()
        blayout, slayout = layout or (whole.blayout, whole.slayout)
        view = TileView(valid_shape=dims(valid or shape), blayout=blayout, slayout=slayout, fractal=whole.fractal)
    return Var("t", TileType(dims(shape), dtype, None, view, space))


def tensor(
    *shape: Expr | int,
    dtype: DataType = FP32,
    valid: Extents | None = None,
    layout: TensorLayout = TensorLayout.ND,
    stride: Extents = (),
) -> Var:
    """A tensor variable; packed and valid everywhere unless something else is said."""
    plain = valid is None and layout is TensorLayout.ND and not stride
    view = None if plain else TensorView(stride=dims(stride), layout=layout, valid_shape=dims(valid or ()))
    return Var("x", TensorType(dims(shape), dtype, None, view))


def window(*shape: Expr | int, dtype: DataType = FP32) -> Var:
    """A tensor that other ranks can reach."""
    return Var("w", DistributedTensorType(dims(shape), dtype))


def shown(value: Expr) -> str:
    """The type of a value, as DSL text without the words that do not tell types apart."""
    text = str(value.type)
    for default in ("stride=[], layout=pl.TensorLayout.ND, ", ", layout=pl.TensorLayout.ND"):
        text = text.replace(default, "")
    for prefix in ("pl.Mem.", "pl.TileLayout.", "pl.TensorLayout.", "pl.PadValue.", "pl."):
        text = text.replace(prefix, "")
    return text
