# SPDX-License-Identifier: Apache-2.0
"""ExpandManualPhaseFence: where many tasks of a loop wait for the same array of tasks, they wait for one barrier.

`N` tasks before and `M` tasks after have `N * M` edges between them; with a task in between that does nothing but wait
they have `N + M`. Arrays that the program names are looked at in manual scopes only, because only there does it name
every edge; the edges that a pass has derived are looked at everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.task_edges import DERIVED, derived_edges
from pypto_build.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
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
from pypto_passes.fence_candidates import FenceCandidates, awaited_names
from pypto_passes.task_id_arrays import is_task_ids

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
        self.barriers: dict[Var, Var] = {}  # by a name of tasks, the task to wait for instead
        self.count = 0

    def visit_runtime_scope_stmt(self, scope: RuntimeScopeStmt) -> Stmt:
        self.manual_depth += scope.manual
        new = self.visit_node(scope)
        self.manual_depth -= scope.manual
        return new

    def visit_for_stmt(self, loop: ForStmt) -> Stmt | tuple[Stmt, ...]:
        names = [name for name in self.candidates.of(loop) if name not in self.barriers]
        names = [name for name in names if self.manual_depth or not is_task_ids(name)]
        inserted = [self._barrier(name, loop) for name in names]
        self.barriers.update({name: stmt.var for name, stmt in zip(names, inserted, strict=True)})
        new = self.visit_node(loop)
        for name in names:
            del self.barriers[name]
        return (*inserted, new) if inserted else new

    def visit_call(self, call: Call) -> Expr:
        return self._redirected(call)

    def visit_submit(self, submit: Submit) -> Expr:
        return self._redirected(submit)

    def _redirected(self, call: Call | Submit) -> Expr:
        names = [name for name in awaited_names(call) if name in self.barriers]
        if not names:
            return call
        changes: dict[str, object] = {}
        if isinstance(call, Submit) and len(call.deps) == 1 and call.deps[0] in names and is_task_ids(names[0]):
            changes["deps"] = (self.barriers[names[0]],)
        if derived_edges(call):
            edges = tuple(self.barriers.get(edge, edge) for edge in derived_edges(call) if isinstance(edge, Var))
            changes["attrs"] = FrozenMap({**call.attrs, DERIVED: edges})
        return rebuilt(call, changes)

    def _barrier(self, name: Var, loop: ForStmt) -> AssignStmt:
        while f"phase_fence_barrier_{self.count}_tid" in self.names:
            self.count += 1
        var = Var(f"phase_fence_barrier_{self.count}_tid", ScalarType(DataType.TASK_ID), loop.span)
        self.count += 1
        edges = "manual_dep_edges" if is_task_ids(name) else DERIVED
        attrs = FrozenMap({"dummy_task": True, edges: (name,)})
        return AssignStmt(var, self.ops.create_call("system.task_dummy", (), None, loop.span, attrs), loop.span)
