# SPDX-License-Identifier: Apache-2.0
"""InjectGMPipeBuffer: where pipes go through global memory, kernels with pipes are handed a workspace.

The workspace is a last output parameter of the kernels and of all functions between them and an orchestration, which
allocates one for each launch. Its shape is a placeholder: how much memory a launch takes depends on how many blocks it
has, and the orchestration target knows. Source: the public description of InjectGMPipeBuffer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.pipe_workspace import INITIALIZE, WORKSPACE, is_workspace
from pypto_build.ir import (
    ArgDirection,
    Call,
    DataType,
    Expr,
    Function,
    FunctionType,
    ParamDirection,
    ReturnStmt,
    Stmt,
    Submit,
    TensorType,
    Var,
    collect,
    const_index,
    frozen_map,
    rebuilt,
)
from pypto_build.ops.build.tensor_creation import create
from pypto_build.passes import Callee, Callees, FunctionPass, IRProperty, PassContext, Signature
from pypto_passes.statement_emitter import StatementEmitter

P = IRProperty
KEPT = frozenset({P.SSAForm, P.MixedKernelExpanded})
_ALLOCATING = (FunctionType.Orchestration, FunctionType.Opaque, FunctionType.Graph)
_KIND = TensorType((const_index(1),), DataType.FP32)


@dataclass(frozen=True, slots=True)
class InjectGMPipeBuffer(FunctionPass):
    """Hand a workspace in global memory to kernels with pipes."""

    name: ClassVar[str] = "InjectGMPipeBuffer"
    requires: ClassVar[frozenset[IRProperty]] = KEPT
    produces: ClassVar[frozenset[IRProperty]] = KEPT
    after: ClassVar[tuple[str, ...]] = ("ExpandMixedKernel",)
    before: ClassVar[tuple[str, ...]] = ("NormalizeReturnOrder", "DeriveCallDirections", "InitMemRef")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with a workspace for its pipes and for those of what it calls; the same object without any."""
        if not context.hardware.pipe_through_global_memory or _has_workspace(Signature.of(function)):
            return function
        wanting = frozenset(name for name, callee in callees.items() if _was_given_one(callee))
        own = any(call.op.name in INITIALIZE for call in collect(function.body, Call))
        if not own and not wanting:
            return function
        if function.func_type in _ALLOCATING:
            return _Handing(wanting).visit(function)
        workspace = Var(WORKSPACE, _KIND, function.span)
        made: Function = _Handing(wanting, lambda _: workspace).visit(function)
        directions = (*function.param_directions, ParamDirection.Out)
        return rebuilt(made, {"params": (*made.params, workspace), "param_directions": directions})


def _has_workspace(signature: Signature) -> bool:
    return any(map(is_workspace, signature.params))


def _was_given_one(callee: Callee) -> bool:
    return _has_workspace(callee.after) and not _has_workspace(callee.before)


class _Handing(StatementEmitter):
    """Calls of some functions with a workspace behind their arguments: the given one, or one of their own."""

    def __init__(self, wanting: frozenset[str], given: Callable[[Call | Submit], Expr] | None = None) -> None:
        super().__init__()
        self._wanting = wanting
        self._given = given or self._allocated
        self._count = 0

    def visit_call(self, call: Call) -> Expr:
        return self._with_workspace(self.visit_node(call))

    def visit_submit(self, submit: Submit) -> Expr:
        return self._with_workspace(self.visit_node(submit))

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...] | None:
        return self.with_emitted(stmt, self.visit_node)

    def _with_workspace(self, call: Call | Submit) -> Expr:
        if call.op.name not in self._wanting:
            return call
        changes: dict[str, object] = {"args": (*call.args, self._given(call))}
        directions = call.attrs.get("arg_directions")
        if isinstance(directions, tuple):
            stated = (*cast("tuple[ArgDirection, ...]", directions), ArgDirection.OutputExisting)
            changes["attrs"] = frozen_map({**call.attrs, "arg_directions": stated})
        return rebuilt(call, changes)

    def _allocated(self, call: Call | Submit) -> Var:
        made = create([1], DataType.FP32, manual_dep=True, span=call.span)
        hint = f"{WORKSPACE.lstrip('_')}_{self._count}"
        self._count += 1
        return self.emit(made, hint, call.span)
