# SPDX-License-Identifier: Apache-2.0
"""Rules that tensor operations share: fresh results, views in their shortest form, valid regions, element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pypto_build.ir import (
    DataType,
    DistributedTensorType,
    Expr,
    MemRef,
    PadValue,
    ScalarType,
    TensorLayout,
    TensorType,
    TensorView,
    as_int,
)
from pypto_build.ops.deduce import format_dim, format_shape, valid_shape_of
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import same_dimensions
from pypto_build.ops.tensor_layout import MX_LAYOUTS, packed_strides

_PLAIN_VIEW = TensorView()


def require(operands: Operands, holds: bool, message: str, *shown: object) -> None:
    """ValueError unless the condition holds; each `{}` in the message is a shape, an extent or anything else.

    Nothing is formatted while the condition holds: showing a symbolic shape costs a run of the printer.
    """
    if not holds:
        raise operands.error(message.format(*map(_shown, shown)))


def _shown(value: object) -> str:
    if isinstance(value, Expr):
        return format_dim(value)
    if not isinstance(value, tuple):
        return str(value)
    items = cast("tuple[object, ...]", value)
    dims = tuple(item for item in items if isinstance(item, Expr))
    return format_shape(dims) if len(dims) == len(items) else str(items)


def tensor_type(
    shape: Sequence[Expr],
    dtype: DataType,
    view: TensorView | None = None,
    *,
    kind_of: TensorType | None = None,
    memref: MemRef | None = None,
) -> TensorType:
    """A tensor with its view in the shortest form: a full valid region is left out, and a view that says nothing too.

    With `kind_of` a distributed tensor, the result is one too, of the same window buffer.
    """
    whole = tuple(shape)
    if view is not None and view.valid_shape and same_dimensions(view.valid_shape, whole):
        view = TensorView(view.stride, view.layout, (), view.pad)
    if view == _PLAIN_VIEW:
        view = None
    if isinstance(kind_of, DistributedTensorType):
        return DistributedTensorType(whole, dtype, memref, view, kind_of.window_buffer)
    return TensorType(whole, dtype, memref, view)


def fresh_tensor(shape: Sequence[Expr], dtype: DataType, valid_shape: Sequence[Expr] = ()) -> TensorType:
    """A tensor in memory of its own: packed, row by row, valid in a region only."""
    return tensor_type(shape, dtype, TensorView(valid_shape=tuple(valid_shape)))


def layout_of(tensor: TensorType) -> TensorLayout:
    """The layout tag, ND when there is no view."""
    return TensorLayout.ND if tensor.tensor_view is None else tensor.tensor_view.layout


def strides_of(tensor: TensorType) -> tuple[Expr, ...]:
    """The strides as stated; empty when they are packed."""
    return () if tensor.tensor_view is None else tensor.tensor_view.stride


def is_plain(tensor: TensorType) -> bool:
    """Whether a tensor lies in ordinary memory, not in a window that other ranks reach."""
    return not isinstance(tensor, DistributedTensorType)


def is_packed(tensor: TensorType) -> bool:
    """Whether no strides are stated, or exactly those that the layout implies."""
    stride = strides_of(tensor)
    return not stride or same_dimensions(stride, packed_strides(tensor.shape, layout_of(tensor)))


def pad_of(tensor: TensorType) -> PadValue:
    """What stands outside the valid region; null when nothing is said."""
    return PadValue.null if tensor.tensor_view is None else tensor.tensor_view.pad


def refuse_mx(operands: Operands, tensor: TensorType) -> None:
    """The MX layouts cannot be viewed: the hardware has no base offset for them."""
    operands.check(layout_of(tensor) not in MX_LAYOUTS, "does not support MX-layout tensors")


def checked_valid(operands: Operands, tensor: TensorType) -> tuple[Expr, ...]:
    """The valid region of an input, one extent per dimension.

    Raises:
        ValueError: a stated region of another rank.
    """
    valid = valid_shape_of(tensor)
    rank = len(tensor.shape)
    require(operands, len(valid) == rank, "valid_shape rank ({}) must match the tensor rank ({})", len(valid), rank)
    return valid


def check_integer_extents(operands: Operands, values: Sequence[Expr], what: str) -> None:
    """ValueError unless every value is an integer scalar."""
    for i, value in enumerate(values):
        kind = value.type
        integer = isinstance(kind, ScalarType) and kind.dtype.is_int()
        require(operands, integer, "requires {} {} to be an integer scalar", what, i)


def positive_constants(operands: Operands, shape: Sequence[Expr], what: str) -> tuple[int, ...]:
    """The extents of a shape that must be known and positive."""
    found: list[int] = []
    for i, dim in enumerate(shape):
        extent = as_int(dim)
        if extent is None or extent <= 0:
            raise operands.error(f"requires {what} dimension {i} to be a positive compile-time ConstInt")
        found.append(extent)
    return tuple(found)


def axis_of(operands: Operands, value: int, rank: int, what: str) -> int:
    """An axis number that may count from the end; ValueError when it is out of range."""
    axis = value + rank if value < 0 else value
    require(operands, 0 <= axis < rank, "{} {} is out of range for rank {}", what, value, rank)
    return axis
