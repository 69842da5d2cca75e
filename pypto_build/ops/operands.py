# SPDX-License-Identifier: Apache-2.0
"""What type deduction sees of a call: the operation's name, arguments, attributes and place, with checked access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import (
    EMPTY_MAP,
    DataType,
    Expr,
    MakeTuple,
    ScalarType,
    TensorType,
    TileType,
    TupleGetItemExpr,
    TupleType,
    Type,
)

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_T = TypeVar("_T", bound=Type)
_V = TypeVar("_V", bool, int, float, str)


def ordinal(index: int) -> str:
    """The English ordinal of an argument number (0 is the first)."""
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"


def kind_of(type_: Type) -> str:
    """How messages call a type."""
    return type(type_).__name__


@dataclass(frozen=True, slots=True)
class Operands:
    """The arguments of a call that is being made; accessors raise ValueError in the registry's common words."""

    op: str
    args: tuple[Expr, ...]
    kwargs: Mapping[str, object] = EMPTY_MAP
    span: Span = UNKNOWN_SPAN

    def has(self, index: int) -> bool:
        """Whether the argument was given."""
        return index < len(self.args)

    def tile(self, index: int) -> TileType:
        """The type of an argument that must be a tile."""
        return self._of(index, TileType, "a TileType")

    def tensor(self, index: int) -> TensorType:
        """The type of an argument that must be a tensor."""
        return self._of(index, TensorType, "a TensorType")

    def scalar(self, index: int) -> ScalarType:
        """The type of an argument that must be a scalar."""
        return self._of(index, ScalarType, "a ScalarType")

    def elements(self, index: int) -> tuple[Expr, ...]:
        """The elements of an argument that must be a tuple (a shape, offsets, ...)."""
        value = self.args[index]
        if isinstance(value, MakeTuple):
            return value.elements
        tuple_type = self._of(index, TupleType, "a tuple")
        return tuple(TupleGetItemExpr(value, i, value.span) for i in range(len(tuple_type.types)))

    def dtype(self, name: str, default: DataType | None = None) -> DataType:
        """An attribute that is an element type; ValueError when it is missing and there is no default."""
        value = self.kwargs.get(name, default)
        if not isinstance(value, DataType):
            raise self.error(f"requires a '{name}' kwarg")
        return value

    def value(self, name: str, default: _V) -> _V:
        """An attribute that is a number, text or truth value; the registry has checked its type."""
        value = self.kwargs.get(name, default)
        return value if isinstance(value, type(default)) else default

    def error(self, message: str) -> ValueError:
        """The error "The operator X <message>", to be raised by the caller."""
        return ValueError(f"The operator {self.op} {message}")

    def check(self, holds: bool, message: str) -> None:
        """Raise `error(message)` unless the condition holds."""
        if not holds:
            raise self.error(message)

    def _of(self, index: int, kind: type[_T], wanted: str) -> _T:
        found = self.args[index].type
        if not isinstance(found, kind):
            raise self.error(f"requires {ordinal(index)} argument to be {wanted}, but got {kind_of(found)}")
        return found
