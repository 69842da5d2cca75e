# SPDX-License-Identifier: Apache-2.0
"""Building scalar arithmetic: operands are promoted within one category, comparisons give BOOL.

Source: the public factory functions `ir.add` ... `ir.cast`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import expr as e
from pypto_build.ir.dtype import DataType
from pypto_build.ir.expr import ConstBool, ConstFloat, ConstInt, Expr
from pypto_build.ir.node import UNKNOWN_SPAN, Span
from pypto_build.ir.types import ScalarType

ExprLike = Expr | int | float | bool

_INDEX_LIKE = (DataType.INDEX, DataType.INT64)


def const_index(value: int, span: Span = UNKNOWN_SPAN) -> ConstInt:
    """An INDEX constant."""
    return ConstInt(value, DataType.INDEX, span)


def dims(shape: Sequence[Expr | int]) -> tuple[Expr, ...]:
    """A shape as expressions: integers become INDEX constants."""
    return tuple(const_index(dim) if isinstance(dim, int) else dim for dim in shape)


def constant_value(value: Expr | None) -> int | float | bool | None:
    """The value of a constant, or None."""
    return value.value if isinstance(value, ConstInt | ConstFloat | ConstBool) else None


def as_int(value: Expr | None) -> int | None:
    """The value of an integer constant, or None."""
    return value.value if isinstance(value, ConstInt) else None


def as_expr(value: ExprLike, span: Span = UNKNOWN_SPAN, *, like: DataType | None = None) -> Expr:
    """A Python number as a constant (int INDEX or `like`, float FP32 or `like`, bool BOOL); an Expr as it is.

    Raises:
        TypeError: no number.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return ConstBool(value, span)
    if isinstance(value, int):
        return ConstInt(value, like if like is not None and like.is_int() else DataType.INDEX, span)
    if not isinstance(value, float):  # type: ignore[unnecessary-isinstance]  # users' input
        raise TypeError(f"expected a number or an expression, got {type(value).__name__}")
    return ConstFloat(value, like if like is not None and like.is_float() else DataType.FP32, span)


def dtype_of(value: Expr) -> DataType:
    """The element type of a scalar expression; TypeError for anything else."""
    kind = value.type
    if not isinstance(kind, ScalarType):
        raise TypeError(f"expected a ScalarType operand, got {kind}")
    return kind.dtype


def promote(left: Expr, right: Expr, *, name: str) -> tuple[Expr, Expr, DataType]:
    """Both operands at the wider type of their category; TypeError when the categories differ or are BOOL."""
    a, b = dtype_of(left), dtype_of(right)
    if not (a.is_int() and b.is_int()) and not (a.is_float() and b.is_float()):
        raise TypeError(f"Operator '{name}' requires same numeric dtype category, got {a} and {b}")
    wide = b if b.get_bit() > a.get_bit() else a
    return _cast_to(left, wide), _cast_to(right, wide), wide


def _cast_to(value: Expr, dtype: DataType) -> Expr:
    own = dtype_of(value)
    if own is dtype or (own in _INDEX_LIKE and dtype in _INDEX_LIKE):
        return value
    return e.Cast(value, dtype, value.span)


def _arithmetic(cls: type[e.BinaryExpr], name: str, left: Expr, right: Expr, span: Span) -> Expr:
    a, b, dtype = promote(left, right, name=name)
    return cls(a, b, dtype, span)


def _comparison(cls: type[e.BinaryExpr], name: str, left: Expr, right: Expr, span: Span) -> Expr:
    if dtype_of(left) is DataType.BOOL and dtype_of(right) is DataType.BOOL and cls in (e.Eq, e.Ne):
        return cls(left, right, DataType.BOOL, span)
    a, b, _ = promote(left, right, name=name)
    return cls(a, b, DataType.BOOL, span)


def _bitwise(cls: type[e.BinaryExpr], name: str, left: Expr, right: Expr, span: Span) -> Expr:
    for operand in (left, right):
        if not dtype_of(operand).is_int():
            raise TypeError(f"Operator '{name}' requires integer operands, got {dtype_of(operand)}")
    return _arithmetic(cls, name, left, right, span)


def _logical(cls: type[e.BinaryExpr], name: str, left: Expr, right: Expr, span: Span) -> Expr:
    del name
    return cls(left, right, DataType.BOOL, span)


BINARY_FACTORIES = {
    "add": (_arithmetic, e.Add),
    "sub": (_arithmetic, e.Sub),
    "mul": (_arithmetic, e.Mul),
    "truediv": (_arithmetic, e.FloatDiv),
    "floordiv": (_arithmetic, e.FloorDiv),
    "mod": (_arithmetic, e.FloorMod),
    "pow": (_arithmetic, e.Pow),
    "min_": (_arithmetic, e.Min),
    "max_": (_arithmetic, e.Max),
    "eq": (_comparison, e.Eq),
    "ne": (_comparison, e.Ne),
    "lt": (_comparison, e.Lt),
    "le": (_comparison, e.Le),
    "gt": (_comparison, e.Gt),
    "ge": (_comparison, e.Ge),
    "and_": (_logical, e.And),
    "or_": (_logical, e.Or),
    "xor": (_logical, e.Xor),
    "bit_and": (_bitwise, e.BitAnd),
    "bit_or": (_bitwise, e.BitOr),
    "bit_xor": (_bitwise, e.BitXor),
    "bit_shift_left": (_bitwise, e.BitShiftLeft),
    "bit_shift_right": (_bitwise, e.BitShiftRight),
}


def binary(name: str, left: ExprLike, right: ExprLike, span: Span = UNKNOWN_SPAN) -> Expr:
    """A binary expression by factory name (`add`, `floordiv`, `lt`, `bit_and`, ...); numbers take the other's type.

    Raises:
        TypeError: operands of different categories (int with float), of type BOOL, or no scalars at all.
    """
    build, cls = BINARY_FACTORIES[name]
    a = as_expr(left, span, like=dtype_of(right) if isinstance(right, Expr) else None)
    b = as_expr(right, span, like=dtype_of(a))
    return build(cls, name, a, b, span)


def neg(operand: Expr, span: Span = UNKNOWN_SPAN) -> Expr:
    """-operand"""
    return e.Neg(operand, dtype_of(operand), span)


def logical_not(operand: Expr, span: Span = UNKNOWN_SPAN) -> Expr:
    """not operand"""
    return e.Not(operand, DataType.BOOL, span)


def bit_not(operand: Expr, span: Span = UNKNOWN_SPAN) -> Expr:
    """~operand; TypeError unless it is an integer."""
    if not dtype_of(operand).is_int():
        raise TypeError(f"Operator 'bit_not' requires an integer operand, got {dtype_of(operand)}")
    return e.BitNot(operand, dtype_of(operand), span)


def cast_to(operand: Expr, dtype: DataType, span: Span = UNKNOWN_SPAN) -> Expr:
    """operand converted to dtype"""
    return e.Cast(operand, dtype, span)
