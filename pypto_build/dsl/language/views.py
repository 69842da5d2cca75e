# SPDX-License-Identifier: Apache-2.0
"""`pl.TensorView(...)` and `pl.TileView(...)` as Python calls: lists and numbers become IR extents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.ir import CompactMode, Expr, PadValue, TensorLayout, TensorView, TileLayout, TileView, const_index


def extent(value: object) -> Expr:
    """A number, dynamic dimension or scalar as an expression."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Arithmetic):
        return value.unwrap()
    if isinstance(value, int):
        return const_index(value)
    raise TypeError(f"an extent must be an int, pl.dynamic() or a scalar, got {type(value).__name__}")


def extents(values: Iterable[object] | None) -> tuple[Expr, ...]:
    """A list of extents; empty for None."""
    return () if values is None else tuple(extent(value) for value in values)


class Constructor(type):
    """A class that makes and recognises objects of another class, its TARGET."""

    TARGET: type

    def __call__(cls, *args: object, **kwargs: object) -> object:
        """Make one."""
        return cls.make(*args, **kwargs)

    def make(cls, *args: object, **kwargs: object) -> object:
        """Make one; overridden by each constructor."""
        return cls.TARGET(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.TARGET)

    def __eq__(cls, other: object) -> bool:
        return cls is other or getattr(other, "TARGET", other) is cls.TARGET

    def __hash__(cls) -> int:
        return hash(cls.TARGET)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(getattr(subclass, "TARGET", subclass), cls.TARGET)


class TensorViewConstructor(metaclass=Constructor):
    """How a tensor lies in memory."""

    TARGET: ClassVar[type] = TensorView

    @classmethod
    def make(
        cls,
        stride: Iterable[object] | None = None,
        layout: TensorLayout = TensorLayout.ND,
        valid_shape: Iterable[object] | None = None,
        pad: PadValue = PadValue.null,
    ) -> TensorView:
        """A view; every argument may be left out."""
        return TensorView(extents(stride), layout, extents(valid_shape), pad)


class TileViewConstructor(metaclass=Constructor):
    """How a tile lies in its buffer."""

    TARGET: ClassVar[type] = TileView

    @classmethod
    def make(  # noqa: PLR0917  # the public argument order
        cls,
        valid_shape: Iterable[object] | None = None,
        stride: Iterable[object] | None = None,
        start_offset: object = None,
        blayout: TileLayout = TileLayout.row_major,
        slayout: TileLayout = TileLayout.none_box,
        fractal: int = 512,
        pad: PadValue = PadValue.null,
        compact: CompactMode = CompactMode.null,
    ) -> TileView:
        """A view; every argument may be left out."""
        start = None if start_offset is None else extent(start_offset)
        return TileView(extents(valid_shape), extents(stride), start, blayout, slayout, fractal, pad, compact)
