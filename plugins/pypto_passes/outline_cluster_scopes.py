# SPDX-License-Identifier: Apache-2.0
"""OutlineClusterScopes: clusters become Group functions, launches on several cores Spmd functions.

How many cores a launch takes is computed where it is launched, so it lies on the call and never on the function. A
launch that is all of a cluster dissolves: the cluster's own call takes its cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.return_lineage import ReturnLineage
from pypto_build.analysis.returned_params import NO_PARAM, ReturnedParams
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import (
    EMPTY_MAP,
    ClusterScopeStmt,
    Expr,
    Function,
    FunctionType,
    Program,
    Rewriter,
    ScopeStmt,
    SpmdScopeStmt,
    Stmt,
    Var,
    collect,
    defined_vars,
    frozen_map,
    rebuilt,
    statements,
)
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.outline_incore_scopes import Names, surroundings
from pypto_passes.outlining import Outliner, Shape, Surroundings, kept_attrs

P = IRProperty
UNWRAPPED = "spmd_unwrapped"
_PARENTS = (FunctionType.Opaque, FunctionType.Orchestration, FunctionType.Graph)


@dataclass(frozen=True, slots=True)
class OutlineClusterScopes(ProgramPass):
    """Make Group functions of clusters and Spmd functions of launches; the functions around them keep their kind."""

    name: ClassVar[str] = "OutlineClusterScopes"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.ClusterOutlined})
    after: ClassVar[tuple[str, ...]] = ("FlattenCallExpr", "OutlineHierarchyScopes", "OutlineIncoreScopes")

    def run(self, program: Program, context: PassContext) -> Program:
        """The program without cluster and launch scopes in orchestrations and opaque functions.

        Raises:
            UserError: a launch in a cluster depends on what only the cluster computes, or a cluster holds several.
        """
        for kind, outline in ((ClusterScopeStmt, _clusters_outlined), (SpmdScopeStmt, _launches_outlined)):
            if any(_holds(function, kind) for function in program.functions.values()):
                names, around = Names(program), _traced(surroundings(program, context), program)
                old = program.functions.values()
                program = program.with_functions(
                    [new for f in old for new in (outline(f, around, names) if _holds(f, kind) else [f])]
                )
        return program


def _holds(function: Function, kind: type[ScopeStmt]) -> bool:
    return function.func_type in _PARENTS and bool(collect(function, kind))


def _traced(around: Surroundings, program: Program) -> Surroundings:
    """The same, where a kernel also hands back the parameter that its result was stored into."""
    functions = {function.name: function for function in program.functions.values()}
    known: dict[str, ReturnedParams | None] = {}

    def returned(name: str) -> ReturnedParams | None:
        if name not in known:
            known[name] = around.returned(name)  # the answer for a function that calls itself
            function = functions.get(name)
            if function is not None and known[name] is not None:
                known[name] = _roots(ReturnLineage(function, around.ops, returned))
        return known[name]

    return Surroundings(around.ops, around.directions, returned)


def _roots(lineage: ReturnLineage) -> ReturnedParams:
    roots = (lineage.root(value) for value in lineage.returns[-1].value)
    return tuple(NO_PARAM if root is None else root.param for root in roots)


def _launches_outlined(function: Function, around: Surroundings, names: Names) -> list[Function]:
    own: set[str] = set()
    count = 0

    def shape_of(scope: ScopeStmt) -> Shape | None:
        nonlocal count
        if not isinstance(scope, SpmdScopeStmt):
            return None
        hint = scope.name_hint or f"{function.name}_spmd_{count}"
        count += 1
        name, attrs = names.of(hint, function.name, own), frozen_map(kept_attrs(scope))
        return Shape(FunctionType.Spmd, name, attrs=attrs, launch=_launch(scope, outliner))

    outliner = Outliner(function, around, kinds=(SpmdScopeStmt,), shape_of=shape_of)
    body = outliner.visit_body(function.body)
    return [*outliner.functions, rebuilt(function, {"body": body})]


def _clusters_outlined(function: Function, around: Surroundings, names: Names) -> list[Function]:
    own: set[str] = set()
    count = 0

    def shape_of(scope: ScopeStmt) -> Shape | None:
        nonlocal count
        if not isinstance(scope, ClusterScopeStmt):
            return None
        hint = scope.name_hint or f"{function.name}_cluster_{count}"
        count += 1
        inner = _only_launch(scope)
        attrs, launch = kept_attrs(scope), EMPTY_MAP
        if inner is not None:
            attrs[UNWRAPPED] = True
            launch = _launch(inner, outliner)
        name = names.of(hint, function.name, own)
        return Shape(FunctionType.Group, name, attrs=frozen_map(attrs), launch=launch)

    outliner = Outliner(function, around, kinds=(ClusterScopeStmt,), shape_of=shape_of)
    body = outliner.visit_body(function.body)
    groups = [rebuilt(group, {"body": _Unwrapper().visit_body(group.body)}) for group in outliner.functions]
    return [*groups, rebuilt(function, {"body": body})]


def _launch(scope: SpmdScopeStmt, outliner: Outliner) -> Mapping[str, object]:
    cores: Expr = outliner.visit(scope.core_num)
    return {"core_num": cores, "sync_start": True} if scope.sync_start else {"core_num": cores}


def _only_launch(cluster: ClusterScopeStmt) -> SpmdScopeStmt | None:
    """The launch in a cluster, if there is one, whose cores are known before the cluster begins."""
    launches = collect(cluster.body, SpmdScopeStmt)
    if not launches:
        return None
    first, *others = launches
    if others:
        raise UserError(
            "SPMD001",
            "a pl.cluster() holds one pl.spmd() at most, because all of it is launched at once",
            others[0].span,
            help="give each pl.spmd() a cluster of its own",
        )
    inside = set(defined_vars([cluster.body]))
    local = next((var for var in collect(first.core_num, Var) if var in inside), None)
    if local is not None:
        raise UserError(
            "SPMD002",
            f"the number of cores depends on {local.name_hint!r}, which the cluster itself computes",
            first.span,
            help="compute it before the pl.cluster()",
        )
    return first


class _Unwrapper(Rewriter):
    """Puts the body of a launch in the place of the launch."""

    REWRITES_TYPES = False

    def visit_spmd_scope_stmt(self, scope: SpmdScopeStmt) -> tuple[Stmt, ...]:
        return statements(self.visit_body(scope.body))


# -- the property ------------------------------------------------------------------------------------------------------


def verify_cluster_outlined(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No cluster is left, and no launch in a function that hands out work."""
    del context
    for function in program.functions.values():
        kinds = (ClusterScopeStmt, SpmdScopeStmt) if function.func_type in _PARENTS else (ClusterScopeStmt,)
        for scope in collect(function, *kinds):
            what = "Cluster" if isinstance(scope, ClusterScopeStmt) else "Spmd"
            text = f"{what} ScopeStmt found in function '{function.name}' (it should have been outlined)"
            yield Diagnostic("error", "ClusterOutlined", text, scope.span)
