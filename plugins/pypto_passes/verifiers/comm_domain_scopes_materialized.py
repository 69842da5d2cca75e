# SPDX-License-Identifier: Apache-2.0
"""CommDomainScopesMaterialized: each window of a host orchestration belongs to the communication domain around it.

An allocation is a slot of one of the domains that enclose it, and the type of each view of it names that very slot.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    CommDomainScopeStmt,
    DistributedTensorType,
    Function,
    Program,
    Var,
    Visitor,
    WindowBuffer,
)
from pypto_build.passes import PassContext
from pypto_passes.verifiers.host_orchestrations import is_host_orchestration

ALLOCATION, VIEW = "pld.tensor.alloc_window_buffer", "pld.tensor.window"


def verify_comm_domains(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every allocation without a slot, and every view whose type does not name the slot of its allocation."""
    del context
    for function in program.functions.values():
        if is_host_orchestration(function):
            walk = _Windows(function)
            walk.visit(function.body)
            yield from walk.found


class _Windows(Visitor):
    """Knows at each statement the slots of the domains around it, by the allocation that each stands for."""

    def __init__(self, function: Function) -> None:
        self.found: list[Diagnostic] = []
        self._function = function
        self._slots: dict[Var, WindowBuffer] = {}

    def visit_comm_domain_scope_stmt(self, scope: CommDomainScopeStmt) -> None:
        outer = self._slots
        self._slots = {**outer, **{slot.base: slot for slot in scope.slots}}
        self.visit(scope.body)
        self._slots = outer

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        value = stmt.value
        if isinstance(value, Call) and value.op.name == ALLOCATION and stmt.var not in self._slots:
            self._wrong(stmt, f"'{stmt.var.name_hint}' is no slot of a communication domain around it")
        if isinstance(value, Call) and value.op.name == VIEW:
            self._view(stmt, value)

    def _view(self, stmt: AssignStmt, call: Call) -> None:
        kind, base = stmt.var.type, call.args[0]
        named = kind.window_buffer if isinstance(kind, DistributedTensorType) else None
        if named is None:
            self._wrong(stmt, f"the type of '{stmt.var.name_hint}' does not name its window buffer")
        elif not isinstance(base, Var) or self._slots.get(base) is not named:
            self._wrong(stmt, f"the type of '{stmt.var.name_hint}' names another window buffer than its domain's slot")

    def _wrong(self, stmt: AssignStmt, what: str) -> None:
        text = f"in host orchestration '{self._function.name}', {what}"
        self.found.append(Diagnostic("error", "CommDomainScopesMaterialized", text, stmt.span))
