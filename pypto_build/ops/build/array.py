# SPDX-License-Identifier: Apache-2.0
"""Builders of operations on the small arrays that a core keeps on its stack."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr
from pypto_build.ops.build.normal import Number, call, dtype_of_operand, typed_constant
from pypto_build.ops.build.normal import index as as_index

__all__ = [
    "create",
    "get_element",
    "update_element",
]


def create(extent: Number, dtype: DataType, *, span: Span = UNKNOWN_SPAN) -> Call:
    """An array of a known length."""
    return call("array.create", (as_index(extent, span),), {"dtype": dtype}, span)


def get_element(array: Expr, index: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One element."""
    return call("array.get_element", (array, as_index(index, span)), None, span)


def update_element(array: Expr, index: Number, value: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The array with one element replaced; an untyped number takes the element type."""
    stored = value if isinstance(value, Expr) else typed_constant(value, dtype_of_operand(array), span)
    return call("array.update_element", (array, as_index(index, span), stored), None, span)
