# SPDX-License-Identifier: Apache-2.0
"""`predicate=(tensor[i] > 0)`: a comparison that the scheduler evaluates when it dispatches a task."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.ir import (
    ArrayType,
    BinaryExpr,
    Call,
    Cast,
    ConstInt,
    DataType,
    Eq,
    Expr,
    Ge,
    Gt,
    Le,
    Lt,
    MakeTuple,
    Ne,
    ScalarType,
    TensorType,
    Var,
    as_int,
)

_COMPARISONS = (Eq, Ne, Lt, Le, Gt, Ge)
_DTYPES = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64)
_SHAPE_HINT = "predicate=(tensor[i, j] > 0)"


def read_predicate(context: Context, node: ast.expr) -> Expr:
    """The comparison of one tensor element with an integer literal."""
    value = context.expr(node)
    if not isinstance(value, _COMPARISONS):
        context.fail(ParserSyntaxError, "predicate= must be a single comparison", node, hint=_SHAPE_HINT)
    sides = [_stripped(value.left), _stripped(value.right)]
    reads = [side for side in sides if isinstance(side, Call) and side.op.name == "tensor.read"]
    literals = [side for side in sides if isinstance(side, ConstInt)]
    if len(reads) != 1 or len(literals) != 1:
        context.fail(
            ParserSyntaxError,
            "predicate= must compare one tensor element with an integer literal",
            node,
            hint=_SHAPE_HINT,
        )
    _check_read(context, node, reads[0])
    return value


def _stripped(value: Expr) -> Expr:
    while isinstance(value, Cast):
        value = value.operand
    return value


def _check_read(context: Context, node: ast.expr, read: Call) -> None:
    tensor, indices = read.args[0], read.args[1]
    if not isinstance(tensor, Var):
        context.fail(ParserSyntaxError, "predicate= must read a named tensor", node, hint=_SHAPE_HINT)
    kind = tensor.type
    if not isinstance(kind, TensorType) or kind.dtype not in _DTYPES:
        context.fail(ParserTypeError, "predicate= tensor must hold a signed 8/16/32/64-bit integer", node)
    for index in indices.elements if isinstance(indices, MakeTuple) else (indices,):
        _check_index(context, node, index)


def _check_index(context: Context, node: ast.expr, index: Expr) -> None:
    plain = _stripped(index)
    if not isinstance(plain, ConstInt | Var):
        context.fail(ParserTypeError, "predicate= tensor index must be an integer constant or bare variable", node)
    if not isinstance(plain.type, ScalarType):
        context.fail(ParserTypeError, "predicate= tensor index must be an integer scalar", node)
    value = as_int(plain)
    if value is not None and value < 0:
        context.fail(ParserTypeError, f"predicate= tensor index must be non-negative, got {value}", node)


def predicate_tensor(predicate: Expr) -> Var | None:
    """The tensor that a predicate reads."""
    assert isinstance(predicate, BinaryExpr)
    for side in (_stripped(predicate.left), _stripped(predicate.right)):
        if isinstance(side, Call) and side.args and isinstance(side.args[0], Var):
            return side.args[0]
    return None


def launched(context: Context, task: Expr) -> None:
    """A task id is assigned: what depended on its earlier value does so no longer."""
    counts = context.notes.setdefault("launches", {})
    counts[task] = _launches(context, task) + 1


def _launches(context: Context, task: Expr) -> int:
    count = context.notes.get("launches", {}).get(task, 0)
    return count if isinstance(count, int) else 0


def produced(context: Context, value: Expr, task: Expr) -> None:
    """A value is what a task, launched just now, produces."""
    context.notes.setdefault("task_results", {})[value] = (task, _launches(context, task))


def check_producer(
    context: Context, node: ast.expr, predicate: Expr, *, deps: Sequence[Expr], may_wait: bool = True
) -> None:
    """Refuse a predicate on a tensor whose producer is known and not waited for."""
    tensor = predicate_tensor(predicate)
    found = context.notes.get("task_results", {}).get(tensor)
    if not isinstance(found, tuple):
        return
    task, launch = cast("tuple[Expr, int]", found)
    if any(dep is task for dep in deps) and launch == _launches(context, task):
        return
    if any(isinstance(dep.type, ArrayType) for dep in deps):
        return
    name = task.name_hint if isinstance(task, Var) else "its task"
    read = tensor.name_hint if tensor else ""
    hint = f"Add it: deps=[{name}]"
    if not may_wait:
        hint = "This form does not accept deps=; use the capturing one: with pl.spmd(..., deps=[...]) as tid:"
    context.fail(
        ParserSyntaxError,
        f"predicate= reads '{read}', produced by the task '{name}', which is not in deps=",
        node,
        hint=hint,
    )
