# SPDX-License-Identifier: Apache-2.0
"""OutlineHierarchyScopes: each scope at a level of the machine becomes a function of that level and role.

A scope inside of another is outlined from the other's function, so its name continues that function's name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    Function,
    FunctionType,
    HierarchyScopeStmt,
    Level,
    Program,
    Role,
    ScopeStmt,
    collect,
    frozen_map,
    rebuilt,
)
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.outline_incore_scopes import Names, surroundings
from pypto_passes.outlining import Outliner, Shape, Surroundings, kept_attrs

P = IRProperty
_LEVELS = {Level.CLUSTER_0: "cluster0", Level.CLUSTER_1: "cluster1", Level.CLUSTER_2: "cluster2"}
_ROLES = {Role.Orchestrator: "orch", Role.SubWorker: "worker"}


@dataclass(frozen=True, slots=True)
class OutlineHierarchyScopes(ProgramPass):
    """Make functions of the scopes at a level of the machine; the functions around them keep their kind."""

    name: ClassVar[str] = "OutlineHierarchyScopes"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    produces: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.HierarchyOutlined, P.OrchestrationReferencesResolved}
    )
    after: ClassVar[tuple[str, ...]] = ("FlattenCallExpr",)

    def run(self, program: Program, context: PassContext) -> Program:
        """The program without hierarchy scopes in opaque functions."""
        names = Names(program)
        around = surroundings(program, context)
        old = tuple(program.functions.values())
        if not any(_to_outline(function) for function in old):
            return program
        return program.with_functions([new for function in old for new in _outlined(function, around, names)])


def _to_outline(function: Function) -> bool:
    return function.func_type is FunctionType.Opaque and bool(collect(function, HierarchyScopeStmt))


def _outlined(function: Function, around: Surroundings, names: Names) -> list[Function]:
    """The functions of the scopes, those of inner scopes first, then the function itself."""
    if not _to_outline(function):
        return [function]
    own: set[str] = set()
    count = 0

    def shape_of(scope: ScopeStmt) -> Shape | None:
        nonlocal count
        if not isinstance(scope, HierarchyScopeStmt):
            return None
        hint = scope.name_hint or f"{function.name}_{_suffix(scope)}_{count}"
        count += 1
        attrs = frozen_map(kept_attrs(scope))
        return Shape(FunctionType.Opaque, names.of(hint, function.name, own), scope.level, scope.role, attrs)

    outliner = Outliner(function, around, kinds=(HierarchyScopeStmt,), shape_of=shape_of)
    body = outliner.visit_body(function.body)
    inner = [made for scope in outliner.functions for made in _outlined(scope, around, names)]
    return [*inner, rebuilt(function, {"body": body})]


def _suffix(scope: HierarchyScopeStmt) -> str:
    level = _LEVELS.get(scope.level, scope.level.name.lower())
    return level if scope.role is None else f"{level}_{_ROLES[scope.role]}"


# -- the property ------------------------------------------------------------------------------------------------------


def verify_hierarchy_outlined(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No hierarchy scope is left in an opaque function."""
    del context
    for function in program.functions.values():
        if function.func_type is not FunctionType.Opaque:
            continue
        for scope in collect(function, HierarchyScopeStmt):
            text = f"Hierarchy ScopeStmt found in function '{function.name}' (it should have been outlined)"
            yield Diagnostic("error", "HierarchyOutlined", text, scope.span)
