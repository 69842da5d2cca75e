# SPDX-License-Identifier: Apache-2.0
"""The types of the language: annotations when subscripted (`pl.Tensor[[64], pl.FP32]`), wrappers when made of IR.

Python evaluates annotations before the front end reads them, so nothing here judges what it is given: the reader of
annotations does, and it knows the place.
"""

from __future__ import annotations

from typing import TypeVar

from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.ir import (
    ArrayType,
    AsyncEventType,
    AsyncSessionType,
    CommCtxType,
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    PrefetchAsyncContextType,
    PtrType,
    ScalarType,
    ShapedType,
    TensorLayout,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
)

_V = TypeVar("_V", bound="Value")
_K = TypeVar("_K")


class AnnotationClass(type):
    """Makes a class subscriptable: `C[a, b]` is a C with the arguments a and b."""

    def __getitem__(cls: type[_V], item: object) -> _V:  # type: ignore[misc]  # only Value and its classes are made by it
        made = cls.__new__(cls)
        made.arguments = item if isinstance(item, tuple) else (item,)
        made.expr = None
        return made


class Value(metaclass=AnnotationClass):
    """An annotation (`arguments` is what stood in the brackets) or, with `expr`, a wrapped expression."""

    arguments: tuple[object, ...] = ()
    expr: Expr | None = None

    def unwrap(self) -> Expr:
        """The wrapped expression; ValueError for an annotation."""
        if self.expr is None:
            raise ValueError(f"an annotation-only {type(self).__name__} has no value to unwrap")
        return self.expr

    @property
    def type(self) -> object:
        """The type of the wrapped expression; None for an annotation."""
        return None if self.expr is None else self.expr.type

    @property
    def dtype(self) -> DataType | None:
        """The element type."""
        kind = self.type
        return kind.dtype if isinstance(kind, ShapedType | ScalarType) else self._first(DataType)

    def _first(self, kind: type[_K]) -> _K | None:
        return next((value for value in self.arguments if isinstance(value, kind)), None)

    def __repr__(self) -> str:
        return f"pl.{type(self).__name__}[{', '.join(map(repr, self.arguments))}]"


class ShapedValue(Value):
    """A value with a shape and an element type."""

    def __init__(self, shape: object = None, dtype: object = None, *more: object, expr: Expr | None = None) -> None:
        self.arguments = () if expr is not None else (shape, dtype, *more)
        self.expr = expr

    @property
    def shape(self) -> object:
        """The shape as it was written, or of the wrapped expression."""
        kind = self.type
        if isinstance(kind, ShapedType):
            return kind.shape
        return self.arguments[0] if self.arguments else None

    @property
    def memref(self) -> object:
        """The memory reference, if one is written."""
        kind = self.type
        if isinstance(kind, TensorType | TileType):
            return kind.memref
        from pypto_build.dsl.language.memory import MemRef, MemRefSlot  # sits above the values

        return self._first(MemRef) or self._first(MemRefSlot)


class Tensor(ShapedValue):
    """A tensor in global memory: `pl.Tensor[[shape], dtype, layout or view, memref]`."""

    @property
    def layout(self) -> TensorLayout | None:
        """The layout, if one is written."""
        return self._first(TensorLayout)

    @property
    def tensor_view(self) -> TensorView | None:
        """The view, if one is written."""
        kind = self.type
        return kind.tensor_view if isinstance(kind, TensorType) else self._first(TensorView)


class DistributedTensor(Tensor):
    """A slice of a window buffer that other ranks can reach."""


class Tile(ShapedValue):
    """A tile in an on-chip buffer: `pl.Tile[[shape], dtype, memref, space, view]`."""

    @property
    def memory_space(self) -> MemorySpace | None:
        """The memory space, if one is written."""
        kind = self.type
        return kind.memory_space if isinstance(kind, TileType) else self._first(MemorySpace)

    @property
    def tile_view(self) -> TileView | None:
        """The view, if one is written."""
        kind = self.type
        return kind.tile_view if isinstance(kind, TileType) else self._first(TileView)


class Array(ShapedValue):
    """A fixed-size array on the core's stack: `pl.Array[extent, dtype]`."""

    @property
    def extent(self) -> object:
        """The number of elements."""
        return self.type.extent if isinstance(self.type, ArrayType) else self.shape


class Scalar(Value, Arithmetic):
    """One element: `pl.Scalar[dtype]`."""

    def __init__(self, dtype: object = None, *, expr: Expr | None = None) -> None:
        self.arguments = () if expr is not None else (dtype,)
        self.expr = expr

    def unwrap(self) -> Expr:
        """The wrapped expression; ValueError for an annotation."""
        return Value.unwrap(self)

    def wrap(self, expr: Expr) -> Scalar:
        """The result of an operator."""
        return Scalar(expr=expr)


class Handle(Value):
    """A value that only operations look into."""

    def __init__(self, *, expr: Expr | None = None) -> None:
        self.expr = expr


class Ptr(Handle):
    """An allocation."""


class MemRefType(Handle):
    """The type of a memory reference."""


class CommCtx(Handle):
    """A communication context."""


class PrefetchAsyncContext(Handle):
    """The context of asynchronous prefetches."""


class AsyncEvent(Handle):
    """An asynchronous event."""


class AsyncSession(Handle):
    """A session of asynchronous prefetches."""


class Tuple(Value):
    """Several values: `pl.Tuple[A, B]`."""

    def __init__(self, *elements: object, expr: Expr | None = None) -> None:
        self.arguments = elements
        self.expr = expr


class Out(Value):
    """A parameter that is written: `pl.Out[T]`."""


class InOut(Value):
    """A parameter that is read and written: `pl.InOut[T]`."""


TaskId = Scalar[DataType.TASK_ID]

_WRAPPERS: tuple[tuple[type, type[Value]], ...] = (
    (DistributedTensorType, DistributedTensor),
    (TensorType, Tensor),
    (TileType, Tile),
    (ScalarType, Scalar),
    (ArrayType, Array),
    (PtrType, Ptr),
    (CommCtxType, CommCtx),
    (PrefetchAsyncContextType, PrefetchAsyncContext),
    (AsyncEventType, AsyncEvent),
    (AsyncSessionType, AsyncSession),
)


def wrapped(expr: Expr) -> Value | Expr | tuple[Value | Expr, ...]:
    """An expression as a value of the language, by its type; a tuple becomes one wrapper per element.

    What has no type of the language, such as a call for its effect, stays as it is.
    """
    from pypto_build.ir import TupleGetItemExpr

    kind = expr.type
    if isinstance(kind, TupleType):
        return tuple(_wrap(TupleGetItemExpr(expr, i, expr.span)) for i in range(len(kind.types)))
    return _wrap(expr)


def _wrap(expr: Expr) -> Value | Expr:
    cls = next((wrapper for kind, wrapper in _WRAPPERS if isinstance(expr.type, kind)), None)
    if cls is None:
        return expr
    made = cls.__new__(cls)
    made.expr = expr
    return made
