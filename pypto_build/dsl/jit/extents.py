# SPDX-License-Identifier: Apache-2.0
"""The types that arguments have for a callee: extents that only the caller knows become those of what was sliced."""

from __future__ import annotations

from pypto_build.dsl.context import Context
from pypto_build.ir import AssignStmt, Call, ConstInt, Expr, TensorType, Type, Var, collect, rebuilt


def passed_type(context: Context, argument: Expr) -> Type:
    """The type of an argument; a slice whose width is computed has the extent of the tensor that it is a part of."""
    kind = argument.type
    if not isinstance(kind, TensorType) or all(is_known(context, extent) for extent in kind.shape):
        return kind
    parent = _sliced(context, argument)
    if parent is None:
        return kind
    outer = passed_type(context, parent)
    if not isinstance(outer, TensorType) or len(outer.shape) != len(kind.shape):
        return kind
    pairs = zip(kind.shape, outer.shape, strict=True)
    return rebuilt(kind, {"shape": tuple(own if is_known(context, own) else whole for own, whole in pairs)})


def is_known(context: Context, extent: Expr) -> bool:
    """Whether an extent is a number, or made of dimensions that the types of the program name."""
    return isinstance(extent, ConstInt) or all(var in context.callees.dimensions for var in collect(extent, Var))


def _sliced(context: Context, argument: Expr) -> Expr | None:
    """The tensor that an argument is a slice of."""
    value = _value(context, argument) if isinstance(argument, Var) else argument
    return value.args[0] if isinstance(value, Call) and value.op.name == "tensor.slice" else None


def _value(context: Context, var: Var) -> Expr | None:
    """What was assigned to a variable last, in the blocks around this place."""
    for block in reversed(context.blocks):
        for stmt in reversed(block.stmts):
            if isinstance(stmt, AssignStmt) and stmt.var is var:
                return stmt.value
    return None
