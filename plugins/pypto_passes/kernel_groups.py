# SPDX-License-Identifier: Apache-2.0
"""Groups: functions that start the cube half and the vector half of a kernel side by side."""

from __future__ import annotations

from pypto_build.analysis.return_lineage import ReturnLineage, traced_returns
from pypto_build.analysis.returned_params import NO_PARAM
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    ReturnStmt,
    Rewriter,
    Stmt,
    Submit,
    TupleType,
    Type,
    Var,
    rebuilt,
    sequence,
)
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callees

CUBE_HALF, VECTOR_HALF = "_aic", "_aiv"


def group_of(kernel: Function, ops: OpRegistry) -> Function:
    """The group that takes the place of a kernel: its parameters go to both halves, its results are the vector half's.

    A result that is a parameter is returned as that parameter.
    """
    params = tuple(rebuilt(param, {}) for param in kernel.params)
    span = kernel.span
    cube = EvalStmt(Call(GlobalVar(kernel.name + CUBE_HALF), params, type=UNKNOWN_TYPE, span=span), span)
    kind = _result_type(kernel.return_types)
    vector = Call(GlobalVar(kernel.name + VECTOR_HALF), params, type=kind, span=span)
    returned = traced_returns(kernel, ReturnLineage(kernel, ops, lambda _: None)) or ()
    body: tuple[Stmt, ...]
    if not kernel.return_types:
        body = (cube, EvalStmt(vector, span))
    elif NO_PARAM in returned:
        result = Var("result", kind, span)
        body = (cube, AssignStmt(result, vector, span), ReturnStmt((result,), span))
    else:
        values = tuple(params[position] for position in returned)
        body = (cube, EvalStmt(vector, span), ReturnStmt(values, span))
    changes = {"params": params, "body": sequence(body, span), "func_type": FunctionType.Group}
    return rebuilt(kernel, {**changes, "level": None, "role": None})


def _result_type(types: tuple[Type, ...]) -> Type:
    return UNKNOWN_TYPE if not types else types[0] if len(types) == 1 else TupleType(types)


class HalfCaller(Rewriter):
    """A group calls the halves of a kernel itself rather than the kernel's group."""

    def __init__(self, callees: Callees, split: object) -> None:
        super().__init__()
        self._callees = callees
        self._split = split

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        halves = self._halves(stmt.value)
        return stmt if halves is None else (EvalStmt(halves[0], stmt.span), rebuilt(stmt, {"value": halves[1]}))

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        halves = self._halves(stmt.expr)
        return stmt if halves is None else (EvalStmt(halves[0], stmt.span), rebuilt(stmt, {"expr": halves[1]}))

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        halves = self._halves(stmt.value[0]) if len(stmt.value) == 1 else None
        if halves is None:
            return stmt
        return EvalStmt(halves[0], stmt.span), rebuilt(stmt, {"value": (halves[1],)})

    def _halves(self, value: Expr) -> tuple[Expr, Expr] | None:
        callee = self._callees.of(value.op) if isinstance(value, Call | Submit) else None
        if callee is None or callee.summary != self._split or not isinstance(value, Call):
            return None
        cube = rebuilt(value, {"op": GlobalVar(value.op.name + CUBE_HALF), "type": UNKNOWN_TYPE})
        return cube, rebuilt(value, {"op": GlobalVar(value.op.name + VECTOR_HALF)})
