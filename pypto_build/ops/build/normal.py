# SPDX-License-Identifier: Apache-2.0
"""From what users write to what the IR holds: numbers, lists, names of choices and pad values as operands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import (
    AtomicType,
    Call,
    Constant,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    PadValue,
    ScalarType,
    ShapedType,
    TensorType,
    TupleGetItemExpr,
    TupleType,
    as_expr,
    const_index,
)
from pypto_build.ops.builtin import builtin_registry
from pypto_build.ops.families.tile_gather import COMPARISONS

Number = Expr | int | float
Index = Expr | int
Indices = Sequence[Expr | int] | Expr

CAST_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


def call(
    name: str, args: Sequence[Expr], kwargs: Mapping[str, object] | None = None, span: Span = UNKNOWN_SPAN
) -> Call:
    """A call of a built-in operation; attributes that are None are left out.

    Raises:
        TypeError: an argument that is no IR value.
    """
    for argument in args:
        operand(argument)
    given = {key: value for key, value in kwargs.items() if value is not None} if kwargs else None
    return builtin_registry().create_call(name, args, given, span)


def elements_of(made: Call) -> tuple[TupleGetItemExpr, ...]:
    """The results of an operation that yields several: an element each, of the very same call."""
    count = len(made.type.types) if isinstance(made.type, TupleType) else 1
    return tuple(TupleGetItemExpr(made, number, made.span) for number in range(count))


def operand(value: object) -> Expr:
    """An operand that must be an IR value; TypeError for a Python value."""
    if not isinstance(value, Expr):
        raise TypeError(f"expected an IR value, got {type(value).__name__}")
    return value


def index(value: object, span: Span = UNKNOWN_SPAN) -> Expr:
    """An integer operand: a Python int is an INDEX constant."""
    if isinstance(value, int) and not isinstance(value, bool):
        return const_index(value, span)
    if isinstance(value, float):
        return ConstFloat(value, DataType.FP32, span)  # the operation says which argument must be an integer
    return operand(value)


def indices(values: object, span: Span = UNKNOWN_SPAN) -> Expr:
    """A shape, offsets or extents as one tuple operand; a single value stands for one dimension."""
    if isinstance(values, Expr) and isinstance(values.type, TupleType):
        return values
    if isinstance(values, Expr | int | float):
        return MakeTuple((index(values, span),), span)
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(f"expected a list of extents, got {type(values).__name__}")
    return MakeTuple(tuple(index(value, span) for value in cast("Sequence[object]", values)), span)


def dtype_of_operand(value: Expr) -> DataType | None:
    """The element type of a tile or tensor operand, or None for another operand; TypeError for a Python value."""
    kind = operand(value).type
    return kind.dtype if isinstance(kind, ShapedType) else None


def is_scalar(value: object) -> bool:
    """Whether an operand is a number or a scalar value."""
    return isinstance(value.type, ScalarType) if isinstance(value, Expr) else isinstance(value, int | float)


def scalar_for(tile: Expr, value: object, span: Span = UNKNOWN_SPAN) -> Expr:
    """A scalar operand beside a tile or tensor: a bare number takes the element type.

    A float beside a tensor or beside integers is FP32 and promotes them; a constant that states its type keeps it.

    Raises:
        TypeError: no scalar, or an index that is no constant: the hardware has no such operand.
    """
    dtype = dtype_of_operand(tile)
    if isinstance(value, ConstInt) and value.dtype is DataType.INDEX:
        return typed_constant(value.value, dtype, value.span)
    if isinstance(value, float) and isinstance(tile.type, TensorType):
        return typed_constant(value, DataType.FP32, span)
    if isinstance(value, int | float):
        return typed_constant(value, dtype, span)
    given = operand(value)
    if isinstance(given.type, ScalarType) and given.type.dtype is DataType.INDEX:
        raise TypeError(f"an index value is no operand of an operation on {dtype} elements: convert with pl.cast")
    return given


def untyped_as(value: Number, dtype: DataType, span: Span = UNKNOWN_SPAN) -> Expr:
    """A bare number as a constant of an element type; a value that states its type as it is."""
    number = value.value if isinstance(value, ConstInt) and value.dtype is DataType.INDEX else value
    return number if isinstance(number, Expr) else typed_constant(number, dtype, span)


def typed_constant(value: int | float, dtype: DataType | None, span: Span = UNKNOWN_SPAN) -> Expr:
    """A Python number as a constant of an element type; a float beside integers is FP32.

    Raises:
        TypeError: no number, or no element type.
    """
    if not isinstance(value, int | float):  # type: ignore[unnecessary-isinstance]  # users' input
        raise TypeError(f"expected a number or a scalar, got {type(value).__name__}")
    if dtype is not None and not isinstance(dtype, DataType):  # type: ignore[unnecessary-isinstance]  # users' input
        raise TypeError(f"expected an element type such as pl.FP32, got {type(dtype).__name__}")
    if isinstance(value, int) and not isinstance(value, bool) and dtype is not None and dtype.is_float():
        return ConstFloat(float(value), dtype, span)
    return as_expr(value, span, like=dtype)


def choice(value: object, names: Sequence[str], what: str) -> int:
    """The number of a choice that is given by name or by number; ValueError when there is none."""
    number = names.index(value) if isinstance(value, str) and value in names else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(names):
        raise ValueError(f"{what} must be one of {', '.join(names)} or 0 to {len(names) - 1}, got {value!r}")
    return int(number)


def atomicity(value: AtomicType | int) -> AtomicType | int | None:
    """The attribute of a store that adds; None for a plain one."""
    return None if value == AtomicType.None_ else value


def comparison(value: object, what: str = "cmp_mode") -> int:
    """The number of a comparison: eq, ne, lt, le, gt, ge."""
    return choice(value, COMPARISONS, what)


def cast_mode(value: object) -> int:
    """The number of a rounding mode."""
    return choice(value, CAST_MODES, "mode")


def pad_value(value: object) -> PadValue:
    """A pad value: the enum, or 0, infinity and minus infinity for zero, max and min.

    Raises:
        ValueError: another number, or null.
        TypeError: something else.
    """
    given = value.value if isinstance(value, Constant) else value
    advice = "fillpad pad_value must be PadValue.zero, max or min, or 0, math.inf or -math.inf"
    if isinstance(given, PadValue):
        if given is PadValue.null:
            raise ValueError(f"{advice}, got null")
        return given
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"{advice}, got {type(given).__name__}")
    found = {0: PadValue.zero, math.inf: PadValue.max, -math.inf: PadValue.min}.get(given)
    if found is None:
        raise ValueError(f"{advice}, got {given}")
    return found
