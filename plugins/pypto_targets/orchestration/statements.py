# SPDX-License-Identifier: Apache-2.0
"""Statements of an orchestration function."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    Call,
    ContinueStmt,
    EvalStmt,
    Expr,
    ForStmt,
    GlobalVar,
    IfStmt,
    MakeTuple,
    ReturnStmt,
    RuntimeScopeStmt,
    ScalarType,
    Stmt,
    Submit,
    TensorType,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    YieldStmt,
    statements,
)
from pypto_targets.orchestration import allocation, arrays, elements, tensors
from pypto_targets.orchestration.barriers import emit_task_dummy
from pypto_targets.orchestration.branches import emit_if
from pypto_targets.orchestration.loops import emit_for, emit_while
from pypto_targets.orchestration.outputs import name_allocated
from pypto_targets.orchestration.tasks import emit_launch
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Made
from pypto_targets.orchestration.writer import Writer, is_task_id

Emit = Callable[[Writer, Call, Var], None]
_VALUES: Mapping[str, Emit] = {
    "tensor.slice": tensors.emit_slice,
    "tensor.reshape": tensors.emit_reshape,
    "tensor.transpose": tensors.emit_transpose,
    "tensor.view": tensors.emit_view,
    "tensor.assemble": tensors.emit_assemble,
    "tensor.dim": elements.emit_dim,
    "tensor.read": elements.emit_read,
    "tensor.write": elements.emit_write,
    "array.create": arrays.emit_create,
    "array.get_element": arrays.emit_get_element,
    "array.update_element": arrays.emit_update_element,
    "system.task_dummy": emit_task_dummy,
    "system.task_is_valid": arrays.emit_is_valid,
}
_EFFECTS: Mapping[str, Callable[[Writer, Call, Var | None], None]] = {
    "tensor.write": elements.emit_write,
    "system.task_dummy": emit_task_dummy,
}
_SCALARS = ("system.task_invalid", "system.available_cluster_count", "system.available_aiv_count")


def emit_body(writer: Writer, body: Stmt | None) -> None:
    """The statements of a body; what it creates is allocated at its head."""
    stmts = statements(body)
    allocation.allocate_ahead(writer, stmts)
    for stmt in stmts:
        writer.source.span = stmt.span
        _emit(writer, stmt)


def _emit(writer: Writer, stmt: Stmt) -> None:
    """One statement; a jump leaves carries as the iteration began, and ids of tasks that were not launched invalid."""
    match stmt:
        case AssignStmt():
            _assign(writer, stmt)
        case EvalStmt():
            _evaluate(writer, stmt)
        case ForStmt():
            emit_for(writer, stmt, emit_body)
        case WhileStmt():
            emit_while(writer, stmt, emit_body)
        case IfStmt():
            emit_if(writer, stmt, emit_body)
        case RuntimeScopeStmt():
            _scope(writer, stmt)
        case YieldStmt():
            writer.frames[-1].take(stmt.value)
        case BreakStmt() | ContinueStmt():
            writer.source.emit("break;" if isinstance(stmt, BreakStmt) else "continue;")
        case ReturnStmt():
            return  # results are parameters, written in place
        case _:
            name = type(stmt).__name__
            raise UserError("ORCH019", f"an orchestration function cannot hold a {name}", stmt.span)


def _scope(writer: Writer, stmt: RuntimeScopeStmt) -> None:
    writer.source.open("PTO2_SCOPE(PTO2ScopeMode::MANUAL) {" if stmt.manual else "PTO2_SCOPE() {")
    writer.manual_depth += stmt.manual
    emit_body(writer, stmt.body)
    writer.manual_depth -= stmt.manual
    writer.source.close()


def _assign(writer: Writer, stmt: AssignStmt) -> None:
    var, value = stmt.var, stmt.value
    if isinstance(value, Submit) or (isinstance(value, Call) and isinstance(value.op, GlobalVar)):
        emit_launch(writer, value, var)
    elif isinstance(value, Call) and value.op.name == "tensor.create":
        allocation.create(writer, stmt)
    elif isinstance(value, Call) and value.op.name not in _SCALARS:
        _operation(writer, value, var)
    elif isinstance(value, TupleGetItemExpr) and is_task_id(var) and var not in writer.used:
        return  # nobody asks for the id, so none is kept
    elif isinstance(value, Var | TupleGetItemExpr | MakeTuple):
        _alias(writer, var, value)
    elif isinstance(value.type, ScalarType):
        _declare_scalar(writer, var, value)
    else:
        raise UserError("ORCH009", f"an orchestration function cannot hold {type(value).__name__}", value.span)


def _alias(writer: Writer, var: Var, value: Expr) -> None:
    """Another name for the same thing; a tensor carry, whose name will mean another tensor, is copied."""
    known = writer.value(value)
    whole = value.tuple if isinstance(value, TupleGetItemExpr) else value
    if isinstance(whole, Var) and whole in writer.task_of and not is_task_id(var):
        writer.task_of[var] = writer.task_of[whole]
    if isinstance(known, Made):
        name_allocated(writer, var, known)
    elif isinstance(known, Name) and known in writer.carries and isinstance(var.type, TensorType):
        writer.declare_tensor(var, writer.text(known, value), source=value)
    else:
        writer.values[var] = known
    if value in writer.natural:
        writer.natural.add(var)


def _declare_scalar(writer: Writer, var: Var, value: Expr) -> None:
    if is_task_id(var):
        writer.declare(var, writer.scalar(value))
        return
    writer.declare(var, writer.scalar(value))
    if writer.is_natural(value) or isinstance(value, Call):
        writer.natural.add(var)


def _evaluate(writer: Writer, stmt: EvalStmt) -> None:
    expr = stmt.expr
    if isinstance(expr, Submit) or (isinstance(expr, Call) and isinstance(expr.op, GlobalVar)):
        emit_launch(writer, expr, None)
        return
    emit = _EFFECTS.get(expr.op.name) if isinstance(expr, Call) else None
    if emit is None or not isinstance(expr, Call):
        _refuse(expr)
    else:
        emit(writer, expr, None)


def _operation(writer: Writer, call: Call, var: Var) -> None:
    emit = _VALUES.get(call.op.name)
    if emit is None:
        _refuse(call)
    else:
        emit(writer, call, var)


def _refuse(expr: Expr) -> None:
    name = expr.op.name if isinstance(expr, Call) else type(expr).__name__
    raise UserError(
        "ORCH020",
        f"{name} is not supported in Orchestration functions; it belongs into an InCore function",
        expr.span,
    )
