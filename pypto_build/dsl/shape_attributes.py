# SPDX-License-Identifier: Apache-2.0
"""`x.shape` and `x.dtype` of a tensor or tile in a `@pl.jit` body."""

from __future__ import annotations

import ast

from pypto_build.dsl.context import Context
from pypto_build.ir import ConstInt, Expr, FunctionType, ShapedType, TensorType

NAMES = ("shape", "dtype")


def read_shape_attribute(context: Context, node: ast.Attribute) -> object:
    """The shape as a tuple of numbers and IR, or the element type; None for a value that has neither.

    An extent that is not a number is read from the tensor where the kernel runs, except in an orchestration: there the
    dimension that the type names is in scope.
    """
    owner = context.value(node.value)
    kind = owner.type if isinstance(owner, Expr) else None
    if not isinstance(owner, Expr) or not isinstance(kind, ShapedType):
        return None
    if node.attr == "dtype":
        return kind.dtype
    return tuple(_extent(context, owner, node, axis=axis) for axis in range(len(kind.shape)))


def _extent(context: Context, owner: Expr, node: ast.Attribute, *, axis: int) -> object:
    kind = owner.type
    assert isinstance(kind, ShapedType)  # read_shape_attribute has looked
    extent = kind.shape[axis]
    if isinstance(extent, ConstInt):
        return extent.value
    if not isinstance(kind, TensorType) or context.facts.func_type is FunctionType.Orchestration:
        return extent
    return context.operation("tensor", "dim")(owner, axis, span=context.span(node))
