# SPDX-License-Identifier: Apache-2.0
"""ExpandManualPhaseFence: where many tasks of a loop wait for the same array of tasks, they wait for one barrier.

`N` tasks before and `M` tasks after have `N * M` edges between them; with a task in between that does nothing but wait
they have `N + M`. Only manual scopes of orchestration functions are looked at, because only there does the program name
every edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import (
    AssignStmt,
    DataType,
    EvalStmt,
    ForStmt,
    FrozenMap,
    Function,
    FunctionType,
    Rewriter,
    RuntimeScopeStmt,
    ScalarType,
    Stmt,
    Submit,
    Var,
    defined_vars,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.fence_candidates import FenceCandidates, awaited_array

P = IRProperty
_KEPT = frozenset({P.NoNestedCalls, P.NormalizedStmtStructure, P.CallDirectionsResolved})


@dataclass(frozen=True, slots=True)
class ExpandManualPhaseFence(FunctionPass):
    """Put one barrier between an array of tasks and the tasks of a loop that wait for all of it."""

    name: ClassVar[str] = "ExpandManualPhaseFence"
    requires: ClassVar[frozenset[IRProperty]] = _KEPT
    produces: ClassVar[frozenset[IRProperty]] = _KEPT
    after: ClassVar[tuple[str, ...]] = ("DeriveCallDirections", "AutoDeriveTaskDependencies")
    before: ClassVar[tuple[str, ...]] = ("MaterializeRuntimeScopes", "ClassifyIterArgCarry")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """An orchestration function with the barriers that pay; another as it is."""
        del callees
        if function.func_type is not FunctionType.Orchestration:
            return function
        return _Fences(function, context.ops).visit(function)


class _Fences(Rewriter):
    """Inserts barriers in front of the outermost loop that admits them."""

    REWRITES_TYPES = False

    def __init__(self, function: Function, ops: OpRegistry) -> None:
        super().__init__()
        self.ops = ops
        self.candidates = FenceCandidates(function)
        self.names = {var.name_hint for var in defined_vars((function,))}
        self.manual_depth = 0
        self.barriers: dict[Var, Var] = {}  # by an array, the task to wait for instead
        self.count = 0

    def visit_runtime_scope_stmt(self, scope: RuntimeScopeStmt) -> Stmt:
        self.manual_depth += scope.manual
        new = self.visit_node(scope)
        self.manual_depth -= scope.manual
        return new

    def visit_for_stmt(self, loop: ForStmt) -> Stmt | tuple[Stmt, ...]:
        arrays = self.candidates.of(loop) if self.manual_depth else []
        arrays = [array for array in arrays if array not in self.barriers]
        inserted = [self._barrier(array, loop) for array in arrays]
        self.barriers.update({array: stmt.var for array, stmt in zip(arrays, inserted, strict=True)})
        new = self.visit_node(loop)
        for array in arrays:
            del self.barriers[array]
        return (*inserted, new) if inserted else new

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        value = self._redirected(stmt.value) if isinstance(stmt.value, Submit) else stmt.value
        return stmt if value is stmt.value else rebuilt(stmt, {"value": value})

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt:
        value = self._redirected(stmt.expr) if isinstance(stmt.expr, Submit) else stmt.expr
        return stmt if value is stmt.expr else rebuilt(stmt, {"expr": value})

    def _redirected(self, submit: Submit) -> Submit:
        array = awaited_array(submit)
        barrier = self.barriers.get(array) if array is not None else None
        return submit if barrier is None else rebuilt(submit, {"deps": (barrier,)})

    def _barrier(self, array: Var, loop: ForStmt) -> AssignStmt:
        while f"phase_fence_barrier_{self.count}_tid" in self.names:
            self.count += 1
        var = Var(f"phase_fence_barrier_{self.count}_tid", ScalarType(DataType.TASK_ID), loop.span)
        self.count += 1
        attrs = FrozenMap({"dummy_task": True, "manual_dep_edges": (array,)})
        return AssignStmt(var, self.ops.create_call("system.task_dummy", (), None, loop.span, attrs), loop.span)
