# SPDX-License-Identifier: Apache-2.0
"""Callers of kernels that got output parameters: they create the tensors, wrappers hand on parameters of their own."""

from __future__ import annotations

from typing import cast

from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    MakeTuple,
    ParamDirection,
    Rewriter,
    Stmt,
    Submit,
    TensorLayout,
    TensorType,
    Var,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callee, Callees

_WRAPPERS = (FunctionType.Spmd, FunctionType.Group)


def with_outputs(function: Function, callees: Callees, ops: OpRegistry) -> Function:
    """A caller that passes the output parameters that its callees got; the same if they got none."""
    if not any(_added(callee) for callee in callees.values()):
        return function
    caller = _Caller(callees, ops, wrapper=function.func_type in _WRAPPERS)
    body = caller.visit_body(function.body)
    params = (*function.params, *caller.forwarded)
    directions = (*function.param_directions, *(ParamDirection.Out for _ in caller.forwarded))
    return rebuilt(function, {"body": body, "params": params, "param_directions": directions})


def _added(callee: Callee) -> tuple[Var, ...]:
    """The output parameters that a callee got."""
    return callee.after.params[len(callee.before.params) :]


class _Caller(Rewriter):
    """Creates the tensors for the outputs that callees got; a wrapper hands on outputs of its own instead."""

    def __init__(self, callees: Callees, ops: OpRegistry, *, wrapper: bool) -> None:
        super().__init__()
        self._callees = callees
        self._ops = ops
        self._wrapper = wrapper
        self._before: list[Stmt] = []
        self.forwarded: list[Var] = []

    def visit_stmt(self, stmt: Stmt) -> Stmt | tuple[Stmt, ...]:
        outer, self._before = self._before, []
        new: Stmt = self.visit_node(stmt)
        before, self._before = self._before, outer
        return (*before, new) if before else new

    def visit_call(self, call: Call) -> Expr:
        return self._extended(self.visit_node(call))

    def visit_submit(self, call: Submit) -> Expr:
        return self._extended(self.visit_node(call))

    def _extended(self, call: Call | Submit) -> Expr:
        callee = self._callees.of(call.op)
        added = () if callee is None else _added(callee)
        if not added:
            return call
        return rebuilt(call, {"args": (*call.args, *(self._output(param) for param in added))})

    def _output(self, param: Var) -> Var:
        kind = cast(TensorType, param.type)
        if self._wrapper:
            var = Var(param.name_hint, kind, param.span)
            self.forwarded.append(var)
            return var
        create = self._ops.create_call("tensor.create", (MakeTuple(kind.shape),), _creation(kind), param.span)
        var = Var(param.name_hint, create.type, param.span)
        self._before.append(AssignStmt(var, create, param.span))
        return var


def _creation(kind: TensorType) -> dict[str, object]:
    layout = kind.tensor_view.layout if kind.tensor_view is not None else TensorLayout.ND
    return {"dtype": kind.dtype, "layout": layout}
