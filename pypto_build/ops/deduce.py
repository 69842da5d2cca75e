# SPDX-License-Identifier: Apache-2.0
"""Rules of type deduction that several families share: promotion, broadcasting, valid regions, result views."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pypto_build.ir import (
    DataType,
    Expr,
    MemorySpace,
    TensorType,
    TileType,
    UnknownType,
    Var,
    as_int,
)
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_equal, same_dimensions


def unknown(_: Operands) -> UnknownType:
    """The result of an operation that yields nothing."""
    return UNKNOWN_TYPE


def promote_dtypes(left: DataType, right: DataType) -> DataType | None:
    """The common type: float before integer, wider before narrower, signed before unsigned; None when there is none."""
    if left is right:
        return left
    for dtype in (left, right):
        if not (dtype.is_float() or dtype.is_int()):
            return None
    if left.is_float() != right.is_float():
        return left if left.is_float() else right
    if left.get_bit() != right.get_bit():
        return left if left.get_bit() > right.get_bit() else right
    return left if left.is_signed_int() or left.is_float() else right


def format_dim(dim: Expr) -> str:
    """An extent as messages show it: a constant as a number, anything else as DSL text."""
    value = as_int(dim)
    if value is not None:
        return str(value)
    return dim.name_hint if isinstance(dim, Var) else str(dim)


def format_shape(shape: Sequence[Expr]) -> str:
    """A shape as messages show it."""
    return "[" + ", ".join(map(format_dim, shape)) + "]"


def broadcast_shapes(operands: Operands, left: Sequence[Expr], right: Sequence[Expr]) -> tuple[Expr, ...]:
    """The shape of an elementwise result: right-aligned, extents equal or one of them 1.

    Raises:
        ValueError: two extents are neither provably equal nor 1.
    """
    rank = max(len(left), len(right))
    shape: list[Expr] = []
    for i in range(-rank, 0):
        a = left[i] if -i <= len(left) else None
        b = right[i] if -i <= len(right) else None
        dim = _broadcast(a, b)
        if dim is None:
            both = f"{format_shape(left)} and {format_shape(right)}"
            raise operands.error(f"requires compatible shapes for broadcasting, but got {both}")
        shape.append(dim)
    return tuple(shape)


def _broadcast(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return b if a is None else a
    if provably_equal(a, b) or as_int(b) == 1:
        return a
    return b if as_int(a) == 1 else None


def in_space(tile: TileType, space: MemorySpace | None) -> TileType:
    """The same tile in a memory space."""
    if tile.memory_space is space:
        return tile
    return TileType(tile.shape, tile.dtype, tile.memref, tile.tile_view, space)


def valid_shape_of(type_: TileType | TensorType) -> tuple[Expr, ...]:
    """The valid region: the stated one, else the whole shape."""
    view = type_.tile_view if isinstance(type_, TileType) else type_.tensor_view
    return view.valid_shape if view is not None and view.valid_shape else type_.shape


def is_fully_valid(type_: TileType | TensorType) -> bool:
    """Whether the valid region is provably the whole shape."""
    return same_dimensions(valid_shape_of(type_), type_.shape)


def names_of(dtypes: Collection[DataType]) -> str:
    """Element types as messages list them."""
    return ", ".join(dtype.attribute for dtype in dtypes)


def check_dtype(operands: Operands, dtype: DataType, allowed: Collection[DataType], what: str) -> None:
    """ValueError unless the element type of `what` is one of the allowed ones."""
    operands.check(dtype in allowed, f"requires {what} dtype in {{{names_of(allowed)}}}, but got {dtype}")


def check_same_dtype(operands: Operands, left: DataType, right: DataType, what: str) -> None:
    """ValueError unless two operands have one element type."""
    operands.check(left is right, f"requires {what} to have the same dtype, but got {left} and {right}")


def common_dtype(operands: Operands, left: DataType, right: DataType) -> DataType:
    """The promoted element type; ValueError when there is none."""
    dtype = promote_dtypes(left, right)
    if dtype is None:
        raise operands.error(f"requires compatible data types, but got {left} and {right}")
    return dtype
