# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on scalars as the dialects `arith` and `math` define it, which is not that of the IR.

Integers have no sign of their own: a Python number holds them as signed ones (truth values as such), and an operation
whose name ends with `u` or `ui` looks at the bits. Division truncates; a truth value that is widened with its sign
becomes -1. Source: the MLIR language reference.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from pypto_build.ir import DataType
from pypto_simulators.functional.numbers import as_number, wrapped
from pypto_simulators.functional.scalars import divide

Number = Any  # int, float or bool
_o: Any = operator  # its stubs leave the types of integer operators open


def bits_of(value: Number, dtype: DataType) -> int:
    """The bits of an integer as an unsigned number."""
    return int(value) & ((1 << dtype.get_bit()) - 1)


def signed(value: Number, dtype: DataType) -> int:
    """The bits of an integer as a signed number; of a truth value, -1 if it is true."""
    return -int(value) if dtype is DataType.BOOL else int(value)


def binary(name: str, left: Number, right: Number, *, dtype: DataType) -> Number:
    """An operation on two operands of one type.

    Raises:
        ZeroDivisionError: an integer is divided by zero.
        ValueError: bits are shifted by a negative distance.
    """
    function = BINARY[name]
    if name.endswith("ui"):
        left, right = bits_of(left, dtype), bits_of(right, dtype)
    return as_number(function(left, right), dtype)


def _truncated(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return left - _truncated(left, right) * right


def _float_remainder(left: float, right: float) -> float:
    return math.fmod(left, right) if right and math.isfinite(left) else math.nan


def _smallest(left: float, right: float) -> float:
    return math.nan if math.isnan(left) or math.isnan(right) else min(left, right)


def _largest(left: float, right: float) -> float:
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


_ARITH: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "addi": _o.add,
    "subi": _o.sub,
    "muli": _o.mul,
    "divsi": _truncated,
    "divui": _o.floordiv,
    "remsi": _remainder,
    "remui": _o.mod,
    "floordivsi": _o.floordiv,
    "minsi": min,
    "minui": min,
    "maxsi": max,
    "maxui": max,
    "andi": _o.and_,
    "ori": _o.or_,
    "xori": _o.xor,
    "shli": _o.lshift,
    "shrsi": _o.rshift,
    "shrui": _o.rshift,
    "addf": _o.add,
    "subf": _o.sub,
    "mulf": _o.mul,
    "divf": divide,
    "remf": _float_remainder,
    "minimumf": _smallest,
    "maximumf": _largest,
}
BINARY: Final = {f"arith.{name}": function for name, function in _ARITH.items()}

UNARY: Final[Mapping[str, Callable[[Number], Number]]] = {
    "arith.negf": _o.neg,
    "math.absf": abs,
    "math.absi": abs,
}

_ORDER: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    "eq": _o.eq,
    "ne": _o.ne,
    "lt": _o.lt,
    "le": _o.le,
    "gt": _o.gt,
    "ge": _o.ge,
}
COMPARISONS: Final[Mapping[str, tuple[str, ...]]] = {
    "arith.cmpi": ("eq", "ne", *(f"{sign}{name}" for sign in "su" for name in ("lt", "le", "gt", "ge"))),
    "arith.cmpf": tuple(f"{ordered}{name}" for ordered in "ou" for name in _ORDER),
}


def compare(predicate: str, left: Number, right: Number, *, dtype: DataType) -> bool:
    """A comparison; of floats where one is no number, what the first letter of the predicate says: o no, u yes."""
    if dtype.is_float():
        if math.isnan(left) or math.isnan(right):
            return predicate.startswith("u")
        return bool(_ORDER[predicate[1:]](left, right))
    if predicate in _ORDER:
        return bool(_ORDER[predicate](left, right))
    view = bits_of if predicate.startswith("u") else signed
    return bool(_ORDER[predicate[1:]](view(left, dtype), view(right, dtype)))


def _with_sign(value: Number, source: DataType, target: DataType) -> Number:
    return as_number(signed(value, source), target)


def _without_sign(value: Number, source: DataType, target: DataType) -> Number:
    return as_number(bits_of(value, source), target)


def _cut(value: Number, source: DataType, target: DataType) -> Number:
    del source
    return bool(value & 1) if target is DataType.BOOL else wrapped(value, target)


def _real(value: Number, source: DataType, target: DataType) -> Number:
    del source
    return as_number(float(value), target)


def _whole(value: Number, source: DataType, target: DataType) -> Number:
    del source
    return as_number(float(value), target)


CASTS: Final[Mapping[str, Callable[[Number, DataType, DataType], Number]]] = {
    "arith.index_cast": _with_sign,
    "arith.index_castui": _without_sign,
    "arith.extsi": _with_sign,
    "arith.extui": _without_sign,
    "arith.trunci": _cut,
    "arith.extf": _real,
    "arith.truncf": _real,
    "arith.sitofp": lambda value, source, target: as_number(float(signed(value, source)), target),
    "arith.uitofp": lambda value, source, target: as_number(float(bits_of(value, source)), target),
    "arith.fptosi": _whole,
    "arith.fptoui": _whole,
    "builtin.unrealized_conversion_cast": _with_sign,
}


def cast(name: str, value: Number, *, source: DataType, target: DataType) -> Number:
    """A scalar in another type."""
    return CASTS[name](value, source, target)
