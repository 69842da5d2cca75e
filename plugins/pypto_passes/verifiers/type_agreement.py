# SPDX-License-Identifier: Apache-2.0
"""Whether two types may meet at the border of a loop or branch, and the first reason why not; part of TypeChecked.

Sizes must be provably equal, because nothing checks them when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from pypto_build.analysis.bounds import Bounds
from pypto_build.ir import (
    DataType,
    DistributedTensorType,
    Expr,
    PadValue,
    ScalarType,
    ShapedType,
    TensorType,
    TileType,
    TupleType,
    Type,
    same_value,
)
from pypto_build.ir.value import same_integer_kind
from pypto_passes.verifiers.valid_shapes import valid_shape_of

KIND, DTYPE, RANK, VALUE, SIZE = 101, 102, 103, 104, 105
PADDING, WINDOW, TILE_VIEW = 109, 110, 111
Disagreement = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A place where two values meet, and how a message calls them."""

    construct: str
    left: str
    right: str
    bounds: Bounds

    def disagreement(self, left: Type, right: Type) -> Disagreement | None:
        """The number and the text of the first difference that matters."""
        if left is right:
            return None
        if type(left) is not type(right):
            return KIND, self._text("Type kind", f"type '{type(left).__name__}'", f"type '{type(right).__name__}'")
        return next((found for rule in _RULES for found in rule(self, left, right)), None)

    def _text(self, subject: str, left: str, right: str) -> str:
        return f"{subject} mismatch in {self.construct}: {self.left} {left} != {self.right} {right}"

    def dtypes(self, left: Type, right: Type) -> Iterator[Disagreement]:
        """Element types; INDEX and INT64 are one."""
        a, b = _dtype(left), _dtype(right)
        if a is not None and b is not None and not same_integer_kind(a, b):
            yield DTYPE, self._text("Dtype", str(a), str(b))

    def tuples(self, left: Type, right: Type) -> Iterator[Disagreement]:
        """The elements of tuples."""
        if not isinstance(left, TupleType) or not isinstance(right, TupleType):
            return
        if len(left.types) != len(right.types):
            yield SIZE, self._text("Tuple size", f"has {len(left.types)} elements", f"has {len(right.types)}")
            return
        for a, b in zip(left.types, right.types, strict=True):
            found = self.disagreement(a, b)
            if found is not None:
                yield found

    def shapes(self, left: Type, right: Type) -> Iterator[Disagreement]:
        """Shapes, then valid regions."""
        if isinstance(left, ShapedType) and isinstance(right, ShapedType):
            yield from self._extents("Shape", left.shape, right.shape)
            yield from self._extents("Valid shape", _valid(left), _valid(right))

    def _extents(self, subject: str, left: Sequence[Expr], right: Sequence[Expr]) -> Iterator[Disagreement]:
        if len(left) != len(right):
            yield RANK, self._text(f"{subject} dimension count", f"has {len(left)}", f"has {len(right)}")
            return
        for index, (a, b) in enumerate(zip(left, right, strict=True)):
            difference = self.bounds.of_form(self.bounds.difference(a, b))
            if difference.low == 0 and difference.high == 0:
                continue
            known = (difference.low or 0) > 0 or (difference.high or 0) < 0
            doubt = "" if known else "; equality is not provable and this boundary has no runtime guard"
            where = f"{subject} dimension mismatch in {self.construct}"
            yield (
                VALUE,
                f"{where}: {self.left} dimension[{index}] = {a}, but {self.right} dimension[{index}] = {b}{doubt}",
            )

    def paddings(self, left: Type, right: Type) -> Iterator[Disagreement]:
        """What stands outside the valid region of a tensor."""
        if isinstance(left, TensorType) and isinstance(right, TensorType) and _pad(left) is not _pad(right):
            yield PADDING, self._text("Tensor padding", f"pads with {_pad(left).name}", f"pads with {_pad(right).name}")

    def windows(self, left: Type, right: Type) -> Iterator[Disagreement]:
        """Which window buffer a distributed tensor is a slice of."""
        if isinstance(left, DistributedTensorType) and isinstance(right, DistributedTensorType):
            a, b = left.window_buffer, right.window_buffer
            if a is not None and b is not None and a is not b:
                text = f"is in '{a.base.name_hint or a.name_hint}'", f"is in '{b.base.name_hint or b.name_hint}'"
                yield WINDOW, self._text("Distributed window-buffer identity", *text)

    def tile_views(self, left: Type, right: Type) -> Iterator[Disagreement]:
        """How tiles lie in their buffers, once both have one."""
        if not isinstance(left, TileType) or not isinstance(right, TileType):
            return
        if left.memory_space is not right.memory_space and None in (left.tile_view, right.tile_view):
            return
        a, b = left.effective_tile_view(), right.effective_tile_view()
        for name in ("stride", "start_offset", "blayout", "slayout", "fractal", "pad", "compact"):
            one, other = getattr(a, name), getattr(b, name)
            if not same_value(one, other):
                yield TILE_VIEW, self._text("Tile view metadata", f"{name} {_shown(one)}", f"{name} {_shown(other)}")
                return


_Rule = Callable[[Meeting, Type, Type], Iterator[Disagreement]]
_RULES: tuple[_Rule, ...] = (
    Meeting.dtypes,
    Meeting.tuples,
    Meeting.shapes,
    Meeting.paddings,
    Meeting.windows,
    Meeting.tile_views,
)


def _dtype(kind: Type) -> DataType | None:
    return kind.dtype if isinstance(kind, ScalarType | ShapedType) else None


def _valid(kind: ShapedType) -> Sequence[Expr]:
    return valid_shape_of(kind) or kind.shape


def _pad(kind: TensorType) -> PadValue:
    return kind.tensor_view.pad if kind.tensor_view is not None else PadValue.null


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, cast("tuple[object, ...]", value))) + "]"
    return str(getattr(value, "name", value))
