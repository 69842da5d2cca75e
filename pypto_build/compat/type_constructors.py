# SPDX-License-Identifier: Apache-2.0
"""Public constructors of types whose arguments differ from our fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pypto_build.compat.constructors import shape as as_shape
from pypto_build.dsl.annotations_view import canonical_tensor_view
from pypto_build.dsl.language.views import extent as as_extent
from pypto_build.dsl.type_rules import array_type, check_packed
from pypto_build.ir import (
    ArrayType,
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    MemRef,
    ScalarType,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    WindowBuffer,
    scalar_type,
)


def make_scalar(dtype: DataType) -> ScalarType:
    """ScalarType(dtype)."""
    return scalar_type(dtype)


def make_tensor(
    shape: Iterable[object],
    dtype: DataType,
    memref: MemRef | None = None,
    tensor_view: TensorView | None = None,
) -> TensorType:
    """TensorType(shape, dtype, memref, tensor_view); a view that says nothing is left out."""
    dims = _dims(shape, dtype)
    return TensorType(dims, dtype, memref, canonical_tensor_view(dims, _copied(tensor_view)))


def make_distributed(
    shape: Iterable[object],
    dtype: DataType,
    memref: MemRef | WindowBuffer | None = None,
    tensor_view: TensorView | None = None,
    window_buffer: WindowBuffer | None = None,
) -> DistributedTensorType:
    """DistributedTensorType(shape, dtype, memref, tensor_view) or (shape, dtype, window_buffer)."""
    dims = _dims(shape, dtype)
    if isinstance(memref, WindowBuffer):
        memref, window_buffer = None, memref
    view = canonical_tensor_view(dims, _copied(tensor_view))
    return DistributedTensorType(dims, dtype, memref, view, window_buffer)


def _dims(shape: Iterable[object], dtype: DataType) -> tuple[Expr, ...]:
    dims = as_shape(shape)
    check_packed(dims, dtype)
    return dims


def _copied(view: TensorView | None) -> TensorView | None:
    """A type holds its own view: the public ones can be changed."""
    return None if view is None else view.replace()


def make_tile(
    shape: Iterable[object],
    dtype: DataType,
    memref: MemRef | None = None,
    tile_view: TileView | None = None,
    memory_space: MemorySpace | None = None,
) -> TileType:
    """TileType(shape, dtype, memref, tile_view, memory_space)."""
    if memref is not None and memory_space is None:
        raise ValueError("TileType with a memref needs a memory_space")
    return TileType(_dims(shape, dtype), dtype, memref, tile_view, memory_space)


def make_array(dtype: DataType, extent: object) -> ArrayType:
    """ArrayType(dtype, extent)."""
    return array_type(dtype, as_extent(extent))


def make_tuple(types: Iterable[Type] = ()) -> TupleType:
    """TupleType(types)."""
    return TupleType(tuple(types))


MAKERS: dict[type[Type], Callable[..., Type]] = {
    ScalarType: make_scalar,
    TensorType: make_tensor,
    DistributedTensorType: make_distributed,
    TileType: make_tile,
    ArrayType: make_array,
    TupleType: make_tuple,
}
