# SPDX-License-Identifier: Apache-2.0
"""What the type of an expression says of its value."""

from __future__ import annotations

from pypto_build.analysis.interval import ANY, NON_NEGATIVE, Interval, range_of
from pypto_build.ir import DataType, Expr, ScalarType, Var


def is_integer(expr: Expr) -> bool:
    """Whether the value is an integer, signed or not."""
    dtype = _dtype(expr)
    return dtype is not None and dtype.is_int()


def is_signed(expr: Expr) -> bool:
    """Whether the value is a signed integer: arithmetic on it is taken not to overflow."""
    dtype = _dtype(expr)
    return dtype is not None and dtype.is_signed_int()


def range_of_type(expr: Expr) -> Interval:
    """What the type can hold. An INDEX variable counts or addresses something: it is not negative."""
    dtype = _dtype(expr)
    if dtype is DataType.INDEX:
        return NON_NEGATIVE if isinstance(expr, Var) else ANY
    return range_of(dtype) if dtype is not None and dtype is not DataType.INT64 else ANY


def _dtype(expr: Expr) -> DataType | None:
    kind = expr.type
    return kind.dtype if isinstance(kind, ScalarType) else None
