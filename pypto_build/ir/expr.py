# SPDX-License-Identifier: Apache-2.0
"""Expressions: variables, constants, calls, tuples and scalar arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir.dtype import DataType
from pypto_build.ir.node import (
    EMPTY_MAP,
    UNKNOWN_SPAN,
    Node,
    Span,
    attributes,
    child,
    children,
    data,
    hint,
    ignored,
    node,
    type_field,
)
from pypto_build.ir.types import MEMREF_TYPE, UNKNOWN_TYPE, WINDOW_BUFFER_TYPE, TupleType, Type, scalar_type


@dataclass(frozen=True, slots=True)
class Op:
    """The name of an operation of the registry."""

    name: str


@dataclass(frozen=True, slots=True)
class GlobalVar(Op):
    """The name of a function of the program."""


class Expr(Node):
    """A value."""

    __slots__ = ()
    type: Type


@node
class Var(Expr):
    """A variable; two variables are the same only if they are the same object."""

    BY_IDENTITY: ClassVar[bool] = True
    name_hint: str = hint()
    type: Type = type_field()
    span: Span = ignored(default=UNKNOWN_SPAN)


@node
class IterArg(Var):
    """A value carried from one iteration of a loop to the next; init_value enters the first."""

    init_value: Expr = child(default=None)


@node
class MemRef(Var):
    """A byte range of an allocation.

    base is the allocation's Ptr variable, byte_offset counts from its start, size is in bytes. A declared
    multi-slot allocation has slot_count slots of `size` bytes, of which slot_index picks one.
    """

    type: Type = type_field(default=MEMREF_TYPE)
    span: Span = ignored(default=UNKNOWN_SPAN)
    base: Var = child(default=None)
    byte_offset: Expr = child(default=None)
    size: int = data(default=0)
    is_pinned: bool = data(default=False)
    slot_count: int = data(default=1)
    slot_index: Expr | None = child(default=None)


@node
class WindowBuffer(Var):
    """A communication buffer; size is in bytes per rank."""

    type: Type = type_field(default=WINDOW_BUFFER_TYPE)
    span: Span = ignored(default=UNKNOWN_SPAN)
    base: Var = child(default=None)
    size: Expr = child(default=None)
    load_from_host: bool = data(default=False)
    store_to_host: bool = data(default=False)


class Constant(Expr):
    """A literal."""

    __slots__ = ()
    value: int | float | bool


@node
class ConstInt(Constant):
    """An integer; equality takes INDEX and INT64 for the same type."""

    INDEX_IS_INT64: ClassVar[bool] = True
    value: int = data()  # pyright: ignore[reportIncompatibleVariableOverride]  # narrower, and frozen
    dtype: DataType = data(default=DataType.INDEX)
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from dtype, not stored
        """The scalar type."""
        return scalar_type(self.dtype)


@node
class ConstFloat(Constant):
    """A floating-point number."""

    value: float = data()
    dtype: DataType = data(default=DataType.FP32)
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from dtype, not stored
        """The scalar type."""
        return scalar_type(self.dtype)


@node
class ConstBool(Constant):
    """True or False."""

    value: bool = data()  # pyright: ignore[reportIncompatibleVariableOverride]  # narrower, and frozen
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def dtype(self) -> DataType:
        """Always BOOL."""
        return DataType.BOOL

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from dtype, not stored
        """The scalar type."""
        return scalar_type(DataType.BOOL)


@node
class Call(Expr):
    """An operation applied to arguments; op is an Op of the registry or the GlobalVar of a function.

    kwargs are plain values that the operation's schema names; attrs are facts that passes attach.
    """

    op: Op = data()
    args: tuple[Expr, ...] = children()
    kwargs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    type: Type = type_field(default=UNKNOWN_TYPE)
    span: Span = ignored(default=UNKNOWN_SPAN)


@node
class Submit(Expr):
    """A task launch; its type is the tuple of the callee's results followed by the task id."""

    op: Op = data()
    args: tuple[Expr, ...] = children()
    deps: tuple[Expr, ...] = children()
    kwargs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    type: Type = type_field(default=UNKNOWN_TYPE)
    span: Span = ignored(default=UNKNOWN_SPAN)
    core_num: Expr | None = child(default=None)
    sync_start: bool = data(default=False)
    allow_early_resolve: bool = data(default=False)
    predicate: Expr | None = child(default=None)


@node
class MakeTuple(Expr):
    """Several values as one."""

    elements: tuple[Expr, ...] = children()
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from the elements, not stored
        """The tuple of the elements' types."""
        return TupleType(tuple(element.type for element in self.elements))


@node
class TupleGetItemExpr(Expr):
    """Element `index` of a tuple."""

    tuple: Expr = child()
    index: int = data()
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from the tuple, not stored
        """The element's type; unknown while the tuple's type is."""
        whole = self.tuple.type
        return whole.types[self.index] if isinstance(whole, TupleType) else UNKNOWN_TYPE


@node
class BinaryExpr(Expr):
    """A scalar operation on two operands; dtype is that of the result."""

    left: Expr = child()
    right: Expr = child()
    dtype: DataType = data()
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from dtype, not stored
        """The scalar type."""
        return scalar_type(self.dtype)


@node
class UnaryExpr(Expr):
    """A scalar operation on one operand; dtype is that of the result."""

    operand: Expr = child()
    dtype: DataType = data()
    span: Span = ignored(default=UNKNOWN_SPAN)

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from dtype, not stored
        """The scalar type."""
        return scalar_type(self.dtype)


class Add(BinaryExpr):
    """left + right"""

    __slots__ = ()


class Sub(BinaryExpr):
    """left - right"""

    __slots__ = ()


class Mul(BinaryExpr):
    """left * right"""

    __slots__ = ()


class FloorDiv(BinaryExpr):
    """left // right, rounding towards minus infinity"""

    __slots__ = ()


class FloorMod(BinaryExpr):
    """left % right, with the sign of the divisor"""

    __slots__ = ()


class FloatDiv(BinaryExpr):
    """left / right"""

    __slots__ = ()


class Min(BinaryExpr):
    """the smaller operand"""

    __slots__ = ()


class Max(BinaryExpr):
    """the larger operand"""

    __slots__ = ()


class Pow(BinaryExpr):
    """left ** right"""

    __slots__ = ()


class Eq(BinaryExpr):
    """left == right"""

    __slots__ = ()


class Ne(BinaryExpr):
    """left != right"""

    __slots__ = ()


class Lt(BinaryExpr):
    """left < right"""

    __slots__ = ()


class Le(BinaryExpr):
    """left <= right"""

    __slots__ = ()


class Gt(BinaryExpr):
    """left > right"""

    __slots__ = ()


class Ge(BinaryExpr):
    """left >= right"""

    __slots__ = ()


class And(BinaryExpr):
    """both hold"""

    __slots__ = ()


class Or(BinaryExpr):
    """one holds"""

    __slots__ = ()


class Xor(BinaryExpr):
    """exactly one holds"""

    __slots__ = ()


class BitAnd(BinaryExpr):
    """left & right"""

    __slots__ = ()


class BitOr(BinaryExpr):
    """left | right"""

    __slots__ = ()


class BitXor(BinaryExpr):
    """left ^ right"""

    __slots__ = ()


class BitShiftLeft(BinaryExpr):
    """left << right"""

    __slots__ = ()


class BitShiftRight(BinaryExpr):
    """left >> right"""

    __slots__ = ()


class Abs(UnaryExpr):
    """the absolute value"""

    __slots__ = ()


class Neg(UnaryExpr):
    """-operand"""

    __slots__ = ()


class Not(UnaryExpr):
    """the operand does not hold"""

    __slots__ = ()


class BitNot(UnaryExpr):
    """~operand"""

    __slots__ = ()


class Cast(UnaryExpr):
    """the operand converted to dtype"""

    __slots__ = ()


BINARY_CLASSES: tuple[type[BinaryExpr], ...] = tuple(BinaryExpr.__subclasses__())
UNARY_CLASSES: tuple[type[UnaryExpr], ...] = tuple(UnaryExpr.__subclasses__())
