# SPDX-License-Identifier: Apache-2.0
"""Tasks that run only if an element of a tensor, read when the task is due, compares to a number."""

from __future__ import annotations

from pypto_build.errors import UserError
from pypto_build.ir import BinaryExpr, Call, Cast, Eq, Expr, Ge, Gt, Le, Lt, Ne, Submit
from pypto_targets.orchestration.tensors import items
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.writer import Writer

_OPERATORS: dict[type[BinaryExpr], str] = {Eq: "EQ", Ne: "NE", Lt: "LT", Le: "LE", Gt: "GT", Ge: "GE"}
_MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}


def emit_predicate(writer: Writer, args: Name, call: Call | Submit, *, number: int) -> None:
    """The condition of a task, if it has one."""
    condition = call.predicate if isinstance(call, Submit) else call.attrs.get("predicate")
    if not isinstance(condition, Expr):
        return
    operator, read, target = _parts(condition)
    name, emit = writer.source.name(f"predicate_t{number}"), writer.source.emit
    tensor, indices = writer.tensor(read.args[0]), items(read.args[1])
    emit(f"CoreTaskPredicate {name};")
    emit(f"{name}.operand.tensor = &{tensor};")
    emit(f"{name}.operand.ndims = {len(indices)};")
    for axis, index in enumerate(indices):
        emit(f"{name}.operand.indices[{axis}] = {writer.unsigned(index)};")
    emit(f"{name}.op = PredicateOp::{operator};")
    emit(f"{name}.target = {writer.scalar(target)};")
    emit(f"{args}.set_predicate({name});")


def _parts(condition: Expr) -> tuple[str, Call, Expr]:
    """The comparison, the element that is read, and what it is compared with."""
    operator = _OPERATORS.get(type(condition)) if isinstance(condition, BinaryExpr) else None
    if operator is not None and isinstance(condition, BinaryExpr):
        left, right = _read(condition.left), _read(condition.right)
        if left is not None:
            return operator, left, condition.right
        if right is not None:
            return _MIRRORED.get(operator, operator), right, condition.left
    raise UserError(
        "ORCH018",
        "the condition of a task must compare one element of a tensor with a number",
        condition.span,
        help="write it as in predicate=(pl.read(t, [0, 0]) > 0)",
    )


def _read(expr: Expr) -> Call | None:
    """The read of an element, whatever integer type it is compared in."""
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr if isinstance(expr, Call) and expr.op.name == "tensor.read" else None
