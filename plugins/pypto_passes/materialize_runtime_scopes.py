# SPDX-License-Identifier: Apache-2.0
"""MaterializeRuntimeScopes: the IR says where the task runtime opens a scope, so that code generation need not ask.

The body of an orchestration function, each loop body and each branch get an automatic scope, except inside a manual
one, where the runtime forbids it. A function whose tasks name all that they wait for runs in one manual scope instead.
A function with `auto_scope` false places its scopes by hand and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    ForStmt,
    FrozenMap,
    Function,
    FunctionType,
    IfStmt,
    Program,
    Rewriter,
    RuntimeScopeStmt,
    Stmt,
    rebuilt,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext

P = IRProperty
AUTO_SCOPE = "auto_scope"
COVERED = "compiler_auto_manual_scope"
"""Marks a function whose dependencies AutoDeriveTaskDependencies has made explicit in full."""


@dataclass(frozen=True, slots=True)
class MaterializeRuntimeScopes(FunctionPass):
    """Wrap bodies of orchestration functions, loops and branches in runtime scopes."""

    name: ClassVar[str] = "MaterializeRuntimeScopes"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch, P.CallDirectionsResolved})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.RuntimeScopesMaterialized})

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """An orchestration function with its scopes in place; others, and those done already, as they are."""
        del callees, context
        if function.func_type is not FunctionType.Orchestration or function.attrs.get(AUTO_SCOPE) is False:
            return function
        covered = bool(function.attrs.get(COVERED))
        body = RuntimeScopeStmt(function.body, True, span=function.body.span) if covered else _scoped(function.body)
        attrs = {k: v for k, v in function.attrs.items() if k != COVERED}
        return rebuilt(function, {"body": body, "attrs": FrozenMap({**attrs, AUTO_SCOPE: False})})


def _scoped(body: Stmt) -> Stmt:
    return _wrapped(_Wrapper().visit_body(body))


class _Wrapper(Rewriter):
    """Wraps loop bodies and branches, but nothing inside a manual scope."""

    REWRITES_TYPES = False

    def visit_runtime_scope_stmt(self, scope: RuntimeScopeStmt) -> Stmt:
        return scope if scope.manual else self.visit_node(scope)

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        inner: ForStmt = self.visit_node(stmt)
        return rebuilt(inner, {"body": _wrapped(inner.body)})

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        inner: IfStmt = self.visit_node(stmt)
        changes: dict[str, object] = {"then_body": _wrapped(inner.then_body)}
        if inner.else_body is not None:
            changes["else_body"] = _wrapped(inner.else_body)
        return rebuilt(inner, changes)


def _wrapped(body: Stmt) -> Stmt:
    if isinstance(body, RuntimeScopeStmt) and not body.manual:
        return body
    return RuntimeScopeStmt(body, False, span=body.span)


def verify_runtime_scopes(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every orchestration function says that its scopes are in place."""
    del context
    for function in program.functions.values():
        if function.func_type is FunctionType.Orchestration and function.attrs.get(AUTO_SCOPE) is not False:
            text = f"runtime scopes of orchestration function '{function.name}' are not materialized"
            yield Diagnostic("error", "RuntimeScopesMaterialized", text, function.span)
