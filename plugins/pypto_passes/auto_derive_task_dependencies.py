# SPDX-License-Identifier: Apache-2.0
"""AutoDeriveTaskDependencies: tasks of automatic scopes name the tasks that they wait for.

What the program writes about dependencies stays as it is, and so do manual scopes. Where every order that matters is
said, an argument no longer has to be looked up; where that holds for the whole function, its tasks run in one manual
scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.buffer_roots import BufferRoots
from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.analysis.task_edges import CARRIED, DERIVED
from pypto_build.ir import (
    ArgDirection,
    Call,
    Expr,
    ForKind,
    ForStmt,
    FrozenMap,
    Function,
    FunctionType,
    Rewriter,
    RuntimeScopeStmt,
    Submit,
    collect,
    rebuilt,
)
from pypto_build.passes import Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.derive_call_directions import DIRECTIONS
from pypto_passes.materialize_runtime_scopes import AUTO_SCOPE, COVERED
from pypto_passes.returned_summaries import returned_by, returned_summary
from pypto_passes.storage_locations import StorageLocations
from pypto_passes.task_accesses import RuntimeScope, is_task_id
from pypto_passes.task_hazards import TaskHazards
from pypto_passes.task_plans import TaskPlan

P = IRProperty
_HOST_ACCESSES = ("tensor.read", "tensor.write")  # the orchestration waits for the tasks that it finds registered


@dataclass(frozen=True, slots=True)
class AutoDeriveTaskDependencies(FunctionPass):
    """Name the tasks that a task has to wait for because of the buffers that both use."""

    name: ClassVar[str] = "AutoDeriveTaskDependencies"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch, P.CallDirectionsResolved})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.CallDirectionsResolved})
    after: ClassVar[tuple[str, ...]] = ("DeriveCallDirections",)
    before: ClassVar[tuple[str, ...]] = ("ExpandManualPhaseFence", "MaterializeRuntimeScopes")

    analyze_auto_scopes: bool = False
    """Look at the tasks of automatic scopes; without it nothing changes."""

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        """An orchestration function with dependencies; the summary is which parameter each result is."""
        returned = returned_by(callees)
        summary = returned_summary(function, context, returned)
        if self.analyze_auto_scopes and function.func_type is FunctionType.Orchestration and not _is_done(function):
            directions = {name: callee.after.param_directions for name, callee in callees.items()}
            roots = BufferRoots(function, context.ops, directions=directions, returned=returned)
            function = _derived(function, StorageLocations(function, roots))
        return FunctionResult((function,), summary)


def _is_done(function: Function) -> bool:
    return any(call.attrs.get(DERIVED) for call in collect(function.body, Call, Submit))


def _derived(function: Function, locations: StorageLocations) -> Function:
    virtual = function.attrs.get(AUTO_SCOPE) is not False
    scope = RuntimeScope(virtual, virtual=virtual)
    hazards = TaskHazards(function, locations, scope=scope)
    plans = {plan.task: plan for plan in hazards.plans if not plan.scope.is_opaque}
    manual = virtual and _needs_no_tracking(function, scope, hazards.plans)
    new = _Writer(plans, relieve=not scope.failed, carried=manual).visit(function)
    return rebuilt(new, {"attrs": FrozenMap({**new.attrs, COVERED: True})}) if manual else new


def _needs_no_tracking(function: Function, scope: RuntimeScope, plans: list[TaskPlan]) -> bool:
    """Whether all orders are named, at least one of them, and nothing else relies on the runtime's knowledge."""
    named = all(plan.is_complete for plan in plans) and any(plan.edges or plan.carried for plan in plans)
    reads = any(call.op.name in _HOST_ACCESSES for call in collect(function.body, Call))
    by_hand = bool(collect(function.body, RuntimeScopeStmt))
    endless = any(_needs_fence(loop) for loop in collect(function.body, ForStmt))
    return named and not (scope.failed or reads or by_hand or endless)


def _needs_fence(loop: ForStmt) -> bool:
    """Whether a manual scope would need an array of task ids whose size is not known for a loop."""
    endless = loop.kind is ForKind.Parallel and constant_trip_count(loop) is None
    return endless and any(is_task_id(arg) for arg in loop.iter_args)


class _Writer(Rewriter):
    """Writes the plans on the tasks."""

    REWRITES_TYPES = False

    def __init__(self, plans: Mapping[Call | Submit, TaskPlan], *, relieve: bool, carried: bool) -> None:
        super().__init__()
        self.plans = plans
        self.relieve = relieve
        self.carried = carried

    def visit_call(self, call: Call) -> Expr:
        return self._planned(call)

    def visit_submit(self, submit: Submit) -> Expr:
        return self._planned(submit)

    def _planned(self, call: Call | Submit) -> Expr:
        plan = self.plans.get(call)
        if plan is None:
            return self.visit_node(call)
        attrs = dict(call.attrs)
        if plan.edges:
            attrs[DERIVED] = tuple(plan.edges)
        if self.carried and plan.carried:
            attrs[CARRIED] = tuple(plan.carried)
        if self.relieve:
            attrs[DIRECTIONS] = self._directions(call, plan)
        return call if attrs == dict(call.attrs) else rebuilt(call, {"attrs": FrozenMap(attrs)})

    def _directions(self, call: Call | Submit, plan: TaskPlan) -> tuple[ArgDirection, ...]:
        directions = list(cast("tuple[ArgDirection, ...]", call.attrs.get(DIRECTIONS, ())))
        for slot in plan.slots:
            directions[slot.index] = slot.relieved
        return tuple(directions)
