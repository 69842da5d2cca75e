# SPDX-License-Identifier: Apache-2.0
"""What the semantics of an operation sees: its evaluated arguments, its attributes, and how a result is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pypto_build.errors import Span, UserError
from pypto_build.ir import Call, DataType, PadValue, TensorType, TileType, Type
from pypto_simulators.functional.errors import OUT_OF_BOUNDS, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.functional.frame import Frame
from pypto_simulators.functional.numbers import Array, convert, working_type
from pypto_simulators.functional.values import Block, Shape, Value, masked

Semantics = Callable[["Operation"], Value]


class Operation:
    """One evaluation of a call of the registry's operations."""

    __slots__ = ("args", "call", "frame", "kwargs", "name")

    def __init__(self, frame: Frame, call: Call, args: list[Value]) -> None:
        self.frame = frame
        self.call = call
        self.name = call.op.name
        self.args = args
        self.kwargs = call.kwargs

    @property
    def span(self) -> Span:
        """Where the call stands."""
        return self.call.span

    def has(self, index: int) -> bool:
        """Whether the argument was given."""
        return index < len(self.args)

    def is_block(self, index: int) -> bool:
        """Whether the argument was given and is a tensor or tile."""
        return index < len(self.args) and isinstance(self.args[index], Block)

    def block(self, index: int) -> Block:
        """An argument that is a tensor or tile."""
        value = self.args[index]
        if not isinstance(value, Block):
            raise self.error(f"needs a tensor or tile as argument {index + 1}", code=WRONG_VALUE)
        return value

    def data(self, index: int) -> Array:
        """All elements of a tensor or tile, in the type that arithmetic is done in."""
        block = self.block(index)
        return block.known().astype(working_type(block.dtype), copy=False)

    def number(self, index: int) -> Any:
        """An argument that is a scalar."""
        return self.args[index]

    def extents(self, index: int) -> Shape:
        """An argument that is a tuple of integers."""
        return tuple(int(item) for item in self.args[index])

    def dtype(self, name: str, default: DataType) -> DataType:
        """An attribute that is an element type."""
        value = self.kwargs.get(name)
        return value if isinstance(value, DataType) else default

    def flag(self, name: str) -> bool:
        """An attribute that is a truth value; False when it is missing."""
        return bool(self.kwargs.get(name, False))

    def integer(self, name: str, default: int = 0) -> int:
        """An attribute that is an integer."""
        value = self.kwargs.get(name, default)
        return int(value) if isinstance(value, int) else default

    def error(self, message: str, *, code: str = WRONG_SHAPE) -> UserError:
        """The error "X <message>" at the call, to be raised by the caller."""
        return fail(code, f"{self.name} {message}", self.span)

    @property
    def result_type(self) -> TensorType | TileType:
        """The type of the result, which must be a tensor or tile."""
        kind = self.call.type
        assert isinstance(kind, TensorType | TileType)
        return kind

    def made(self, data: Array, kind: Type | None = None) -> Block:
        """A result in memory of its own: elements of the result's type, never-written ones outside its valid region."""
        kind = self.result_type if kind is None else kind
        assert isinstance(kind, TensorType | TileType)
        block = self.viewed(convert(data, kind.dtype), kind)
        if not block.whole:
            block.data = masked(block.data, block.valid, block.dtype)
        return block

    def viewed(self, data: Array, kind: TensorType | TileType | None = None) -> Block:
        """The same for a result that shares the memory of an argument."""
        kind = self.result_type if kind is None else kind
        shape = self.frame.known_shape_of(kind)
        if shape is not None and shape != data.shape:
            raise self.error(f"yields {list(data.shape)} where its type says {list(shape)}")
        valid = self._valid(kind, data.shape)
        return Block(data, kind.dtype, valid=valid, pad=_pad_of(kind))

    def _valid(self, kind: TensorType | TileType, shape: Shape) -> Shape:
        view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view
        if view is None or not view.valid_shape:
            return shape
        stated = self.frame.valid_of(kind)
        if stated is None:
            source = next((a for a in self.args if isinstance(a, Block) and a.shape == shape), None)
            return shape if source is None else source.valid
        return tuple(max(0, min(a, b)) for a, b in zip(stated, shape, strict=True))

    def check_window(self, offsets: Shape, extents: Shape, shape: Shape, *, verb: str) -> None:
        """OUT_OF_BOUNDS unless a box lies within a shape; an empty box lies anywhere."""
        if not all(extents):
            return
        for axis, (start, extent, limit) in enumerate(zip(offsets, extents, shape, strict=True)):
            if start < 0 or start + extent > limit:
                what = f"elements {start} to {start + extent} of dimension {axis}, which has {limit}"
                raise self.error(f"{verb} {what}", code=OUT_OF_BOUNDS)

    def check_index(self, indices: Array, limit: int, what: str) -> None:
        """OUT_OF_BOUNDS unless all indices are within a limit."""
        if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= limit):
            wrong = indices[(indices < 0) | (indices >= limit)].reshape(-1)[0]
            raise self.error(f"is given index {wrong} for {limit} {what}", code=OUT_OF_BOUNDS)

    def tuple_of(self, *data: Array) -> tuple[Block, ...]:
        """The results of an operation that yields several."""
        kinds = getattr(self.call.type, "types", ())
        return tuple(self.made(np.asarray(part), kind) for part, kind in zip(data, kinds, strict=True))


def _pad_of(kind: TensorType | TileType) -> PadValue:
    view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view
    return PadValue.null if view is None else view.pad
