# SPDX-License-Identifier: Apache-2.0
"""`with` statements: regions that become kernels, groups or levels of the machine, and lifetime scopes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final, cast

from pypto_build.dsl.calls import language_path
from pypto_build.dsl.comm_domains import read_comm_domain
from pypto_build.dsl.context import Context
from pypto_build.dsl.deps import read_deps
from pypto_build.dsl.diagnostics import ParserSyntaxError, UnsupportedFeatureError
from pypto_build.dsl.dumps import tagged
from pypto_build.dsl.kernels import read_attrs
from pypto_build.dsl.language.kernel import ScopeMode
from pypto_build.dsl.scope_options import (
    Optimizations,
    bind_task_id,
    check_split_once,
    evaluated,
    read_name_hint,
    read_optimizations,
    read_tensor_names,
)
from pypto_build.dsl.spmd_scopes import read_spmd_with
from pypto_build.dsl.tasks import boolean_literal
from pypto_build.ir import (
    EMPTY_MAP,
    ClusterScopeStmt,
    HierarchyScopeStmt,
    InCoreScopeStmt,
    Level,
    Role,
    RuntimeScopeStmt,
    Stmt,
    frozen_map,
)

_CAPTURING = ("at", "spmd")


def read_with(context: Context, node: ast.stmt) -> None:
    """`with pl.<scope>(...) [as tid]:`"""
    scope = cast("ast.With", node)
    if len(scope.items) != 1:
        context.fail(UnsupportedFeatureError, "A with statement takes one context manager", node)
    item = scope.items[0]
    call = item.context_expr
    path = language_path(context, call.func) if isinstance(call, ast.Call) else None
    handler = None if path is None else _SCOPES.get(path)
    if handler is None or not isinstance(call, ast.Call) or path is None:
        context.fail(
            UnsupportedFeatureError,
            "Unsupported context manager in with statement",
            item.context_expr,
            hint="Use pl.at(), pl.cluster(), pl.spmd(), pl.scope() or pl.manual_scope()",
        )
    if item.optional_vars is not None and path[1] not in _CAPTURING:
        context.fail(ParserSyntaxError, "'as <task id>' only applies to pl.at() and pl.spmd()", item.optional_vars)
    handler(context, scope, call)


def scope_body(context: Context, scope: ast.With | ast.For, kind: str) -> Stmt:
    """The statements of a scope; names go straight into the surrounding block."""
    end = context.comments.limit if context.comments else 0
    with context.block(kind) as block:
        context.statements(scope.body, end)
    return context.body(block, context.span(scope.body[0]))


def _read_at(context: Context, scope: ast.With, call: ast.Call) -> None:
    """`with pl.at(level=..., ...) as tid:`"""
    level, role, options = _at_options(context, call)
    optimizations, name_hint, attrs = options
    target = scope.items[0].optional_vars
    in_core = level is Level.CORE_GROUP
    _check_at(context, call, level, role=role, optimizations=optimizations)
    if target is not None:
        attrs["task_id_var"] = bind_task_id(context, target, place=scope)
    span = context.span(scope)
    body = scope_body(context, scope, "in_core" if in_core else "hierarchy")
    if in_core:
        check_split_once(context, optimizations, body)
        merged = frozen_map({**attrs, **optimizations.attrs()})
        context.emit(InCoreScopeStmt(body, name_hint, optimizations.split, merged, span))
    else:
        context.emit(HierarchyScopeStmt(body, level, role, name_hint, frozen_map(attrs), span))


def _at_options(
    context: Context, call: ast.Call
) -> tuple[Level, Role | None, tuple[Optimizations, str, dict[str, object]]]:
    given: dict[str, ast.expr] = dict(zip(("level", "role"), call.args, strict=False))
    if len(call.args) > 2:
        context.fail(ParserSyntaxError, "pl.at() takes at most 2 positional arguments: level, role", call)
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in _AT_OPTIONS:
            context.fail(
                ParserSyntaxError,
                f"Unknown keyword argument '{keyword.arg}' in pl.at()",
                keyword,
                hint=f"Valid keywords: {', '.join(sorted(_AT_OPTIONS))}",
            )
        if keyword.arg in given:
            context.fail(ParserSyntaxError, f"pl.at() got multiple values for argument '{keyword.arg}'", keyword)
        given[keyword.arg] = keyword.value
    if "level" not in given:
        context.fail(ParserSyntaxError, "pl.at() requires level=", call)
    level = cast("Level", evaluated(context, given["level"], Level, option="level"))
    role = cast("Role", evaluated(context, given["role"], Role, option="role")) if "role" in given else None
    optimizations = Optimizations()
    if "optimizations" in given:
        optimizations = read_optimizations(context, given["optimizations"], where="pl.at")
    name_hint = read_name_hint(context, given["name_hint"]) if "name_hint" in given else ""
    return level, role, (optimizations, name_hint, _at_attrs(context, given))


_AT_OPTIONS: Final = (
    "level",
    "role",
    "optimizations",
    "deps",
    "no_dep_args",
    "dumps",
    "allow_early_resolve",
    "name_hint",
    "windowize",
    "attrs",
)


def _at_attrs(context: Context, given: Mapping[str, ast.expr]) -> dict[str, object]:
    attrs: dict[str, object] = read_attrs(context, given["attrs"]) if "attrs" in given else {}
    if "deps" in given:
        deps = read_deps(context, given["deps"])
        attrs |= {"manual_dep_edges": deps} if deps else {}
    if "no_dep_args" in given:
        exempt = read_tensor_names(context, given["no_dep_args"], option="no_dep_args")
        attrs |= {"arg_direction_overrides_vars": exempt} if exempt else {}
    dumps: tuple[object, ...] = tagged(context)
    if "dumps" in given:
        named = read_tensor_names(context, given["dumps"], option="dumps")
        dumps = tuple(dict.fromkeys((*dumps, *named)))
    attrs |= {"dump_vars": dumps} if dumps else {}
    for option in ("allow_early_resolve", "windowize"):
        if option in given and boolean_literal(context, given[option], name=option):
            attrs[option] = True
    return attrs


def _check_at(
    context: Context, call: ast.Call, level: Level, *, role: Role | None, optimizations: Optimizations
) -> None:
    in_core = level is Level.CORE_GROUP
    if in_core and role is not None:
        context.fail(ParserSyntaxError, "pl.at(level=pl.Level.CORE_GROUP) takes no role=", call)
    if not in_core and optimizations.given:
        context.fail(ParserSyntaxError, "pl.at(optimizations=...) needs level=pl.Level.CORE_GROUP", call)
    if role is Role.SubWorker and level.value >= Level.HOST.value:
        context.fail(
            ParserSyntaxError,
            "Inline pl.at(role=pl.Role.SubWorker) is not supported",
            call,
            hint="Define it with @pl.function(level=..., role=pl.Role.SubWorker) and call it",
        )


def _read_cluster(context: Context, scope: ast.With, call: ast.Call) -> None:
    """`with pl.cluster(name_hint=...):`"""
    name_hint = ""
    attrs: dict[str, object] = {}
    if call.args:
        context.fail(ParserSyntaxError, "pl.cluster() does not accept positional arguments", call)
    for keyword in call.keywords:
        if keyword.arg == "name_hint":
            name_hint = read_name_hint(context, keyword.value)
        elif keyword.arg == "attrs":
            attrs = read_attrs(context, keyword.value)
        else:
            context.fail(ParserSyntaxError, f"Unknown keyword argument '{keyword.arg}' in pl.cluster()", keyword)
    span = context.span(scope)
    context.emit(ClusterScopeStmt(scope_body(context, scope, "cluster"), name_hint, frozen_map(attrs), span))


def _read_scope(context: Context, scope: ast.With, call: ast.Call) -> None:
    """`with pl.scope(mode=...):`"""
    mode = ScopeMode.AUTO
    name_hint = ""
    attrs: dict[str, object] = {}
    if call.args:
        context.fail(ParserSyntaxError, "pl.scope() does not accept positional arguments", call)
    for keyword in call.keywords:
        if keyword.arg == "mode":
            mode = cast("ScopeMode", evaluated(context, keyword.value, ScopeMode, option="mode"))
        elif keyword.arg == "name_hint":
            name_hint = read_name_hint(context, keyword.value)
        elif keyword.arg == "attrs":
            attrs = read_attrs(context, keyword.value)
        else:
            context.fail(ParserSyntaxError, f"Unknown keyword argument '{keyword.arg}' in pl.scope()", keyword)
    manual = mode is ScopeMode.MANUAL
    body = _runtime_body(context, scope, manual=manual)
    context.emit(RuntimeScopeStmt(body, manual, name_hint, frozen_map(attrs), context.span(scope)))


def _read_manual_scope(context: Context, scope: ast.With, call: ast.Call) -> None:
    """`with pl.manual_scope():`"""
    if call.args or call.keywords:
        context.fail(ParserSyntaxError, "pl.manual_scope() takes no arguments", call)
    body = _runtime_body(context, scope, manual=True)
    context.emit(RuntimeScopeStmt(body, True, "", EMPTY_MAP, context.span(scope)))


def _runtime_body(context: Context, scope: ast.With, *, manual: bool) -> Stmt:
    if context.inside("manual_scope"):
        context.fail(ParserSyntaxError, "A runtime scope cannot be nested inside a manual scope", scope)
    if not manual and context.facts.auto_scope:
        context.fail(
            ParserSyntaxError,
            "a hand-placed AUTO 'with pl.scope()' requires @pl.function(auto_scope=False)",
            scope,
            hint="By default the compiler places these scopes",
        )
    return scope_body(context, scope, "manual_scope" if manual else "scope")


_SCOPES: Final[Mapping[tuple[str, ...], Callable[[Context, ast.With, ast.Call], None]]] = {
    ("pl", "at"): _read_at,
    ("pl", "cluster"): _read_cluster,
    ("pl", "spmd"): read_spmd_with,
    ("pl", "scope"): _read_scope,
    ("pl", "manual_scope"): _read_manual_scope,
    ("pld", "comm_domain"): read_comm_domain,
}
