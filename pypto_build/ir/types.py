# SPDX-License-Identifier: Apache-2.0
"""Types and views: compared by value, a memory reference inside them aside.

Source of the implicit tile layouts: the public memory model (one layout triple per memory space).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pypto_build.ir.dtype import DataType
from pypto_build.ir.enums import CompactMode, MemorySpace, PadValue, TensorLayout, TileLayout
from pypto_build.ir.node import Entity, child, children, data, node, type_fields
from pypto_build.ir.value import same_value, value_hash

if TYPE_CHECKING:
    from pypto_build.ir.expr import Expr, MemRef, WindowBuffer


class ValueEntity(Entity):
    """An entity that compares by value."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other or same_value(self, other)

    def __hash__(self) -> int:
        return value_hash(self)


class Type(ValueEntity):
    """What a value is."""

    __slots__ = ()

    def __str__(self) -> str:
        from pypto_build.ir.printing import print_type  # the printer sits above the types

        return print_type(self)


@node
class UnknownType(Type):
    """The result of an operation that yields nothing."""


@node
class ScalarType(Type):
    """One element."""

    dtype: DataType = data()


@node
class TensorView(ValueEntity):
    """How a tensor lies in memory.

    stride is in elements, one per dimension, empty for packed; valid_shape is empty for the full shape.
    """

    stride: tuple[Expr, ...] = children(default=())
    layout: TensorLayout = data(default=TensorLayout.ND)
    valid_shape: tuple[Expr, ...] = children(default=())
    pad: PadValue = data(default=PadValue.null)


@node
class TileView(ValueEntity):
    """How a tile lies in its buffer.

    valid_shape is empty for the full shape; fractal is the byte size of one box.
    """

    valid_shape: tuple[Expr, ...] = children(default=())
    stride: tuple[Expr, ...] = children(default=())
    start_offset: Expr | None = child(default=None)
    blayout: TileLayout = data(default=TileLayout.row_major)
    slayout: TileLayout = data(default=TileLayout.none_box)
    fractal: int = data(default=512)
    pad: PadValue = data(default=PadValue.null)
    compact: CompactMode = data(default=CompactMode.null)


class ShapedType(Type):
    """A type with a shape and an element type."""

    __slots__ = ()
    shape: tuple[Expr, ...]
    dtype: DataType


@node
class TensorType(ShapedType):
    """A tensor in global memory; memref is not part of its value."""

    shape: tuple[Expr, ...] = children()
    dtype: DataType = data()
    memref: MemRef | None = child(default=None, compared=False)
    tensor_view: TensorView | None = child(default=None)

    @property
    def memory_space(self) -> MemorySpace | None:
        """Always DDR."""
        return MemorySpace.DDR


@node
class DistributedTensorType(TensorType):
    """A slice of a window buffer that other ranks can reach."""

    window_buffer: WindowBuffer | None = child(default=None)


@node
class TileType(ShapedType):
    """A tile in an on-chip buffer; a view that says only what the memory space implies is stored as None."""

    shape: tuple[Expr, ...] = children()
    dtype: DataType = data()
    memref: MemRef | None = child(default=None, compared=False)
    tile_view: TileView | None = child(default=None)
    memory_space: MemorySpace | None = data(default=None)

    def __post_init__(self) -> None:
        view = self.tile_view
        if view is None:
            return
        if view.valid_shape and same_value(view.valid_shape, self.shape):
            view = view.replace(valid_shape=())
        if view == implicit_tile_view(self.shape, self.memory_space):
            view = None
        object.__setattr__(self, "tile_view", view)

    def effective_tile_view(self) -> TileView:
        """The concrete view: valid_shape filled in, layouts as the memory space implies unless stated."""
        view = self.tile_view or implicit_tile_view(self.shape, self.memory_space)
        return view if view.valid_shape else view.replace(valid_shape=self.shape)


@node
class ArrayType(ShapedType):
    """A fixed-size array on the core's stack; shape is (extent,)."""

    dtype: DataType = data()
    extent: Expr = child()

    @property
    def shape(self) -> tuple[Expr, ...]:  # type: ignore[override]  # derived, not stored
        """The one-element shape."""
        return (self.extent,)

    @property
    def memref(self) -> MemRef | None:
        """Arrays live in no buffer."""
        return None

    @property
    def memory_space(self) -> MemorySpace | None:
        """Always ScalarLocal."""
        return MemorySpace.ScalarLocal


@node
class TupleType(Type):
    """Several values."""

    types: tuple[Type, ...] = type_fields()


@node
class PtrType(Type):
    """An allocation."""


@node
class MemRefType(Type):
    """The type of a memory reference."""


@node
class WindowBufferType(Type):
    """The type of a window buffer."""


@node
class CommCtxType(Type):
    """A communication context."""


@node
class PrefetchAsyncContextType(Type):
    """The context of asynchronous prefetches."""


@node
class AsyncEventType(Type):
    """An asynchronous event."""


@node
class AsyncSessionType(Type):
    """A session of asynchronous prefetches."""


UNKNOWN_TYPE = UnknownType()
PTR_TYPE = PtrType()
MEMREF_TYPE = MemRefType()
WINDOW_BUFFER_TYPE = WindowBufferType()


@cache
def scalar_type(dtype: DataType) -> ScalarType:
    """The one ScalarType of an element type."""
    return ScalarType(dtype)


_BOXED = {
    MemorySpace.Mat: (TileLayout.col_major, TileLayout.row_major, 512),
    MemorySpace.Left: (TileLayout.col_major, TileLayout.row_major, 512),
    MemorySpace.Acc: (TileLayout.col_major, TileLayout.row_major, 1024),
    MemorySpace.LeftScale: (TileLayout.row_major, TileLayout.row_major, 32),
    MemorySpace.RightScale: (TileLayout.col_major, TileLayout.col_major, 32),
}


def implicit_tile_view(shape: tuple[Expr, ...], space: MemorySpace | None) -> TileView:
    """The view that a tile of this shape has in a memory space when nothing is stated (valid_shape left empty)."""
    if space in _BOXED:
        return _boxed_view(space)
    column = len(shape) == 2 and _is_one(shape[1]) and not _is_one(shape[0])
    return _plain_view(space is MemorySpace.Right, column)


@cache
def _boxed_view(space: MemorySpace) -> TileView:
    blayout, slayout, fractal = _BOXED[space]
    return TileView(blayout=blayout, slayout=slayout, fractal=fractal)


@cache
def _plain_view(right: bool, column: bool) -> TileView:
    blayout = TileLayout.col_major if column else TileLayout.row_major
    slayout = TileLayout.col_major if right else TileLayout.none_box
    return TileView(blayout=blayout, slayout=slayout)


def _is_one(dim: Expr) -> bool:
    return getattr(dim, "value", None) == 1
