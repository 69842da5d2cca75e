# SPDX-License-Identifier: Apache-2.0
"""`pl.spmd` and `pl.split_aiv`: regions that run on several cores, as scopes or loops over the core's index."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pypto_build.dsl.arguments import dotted
from pypto_build.dsl.calls import language_path
from pypto_build.dsl.context import Context
from pypto_build.dsl.deps import read_deps
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.jit.function import JITFunction
from pypto_build.dsl.kernels import read_attrs
from pypto_build.dsl.predicates import check_producer, launched, produced, read_predicate
from pypto_build.dsl.scope_options import (
    Optimizations,
    bind_task_id,
    check_split_once,
    read_name_hint,
    read_optimizations,
)
from pypto_build.dsl.split_scopes import indexed_body, single_target
from pypto_build.dsl.tasks import boolean_literal, positive_integer
from pypto_build.ir import (
    AssignStmt,
    Expr,
    Function,
    InCoreScopeStmt,
    Level,
    SpmdScopeStmt,
    Stmt,
    Var,
    collect,
    frozen_map,
)

_SUFFIX: Final = "_spmd"
_BLOCK_INDEX: Final = (("pl", "tile", "get_block_idx"), ("pl", "get_block_idx"), ("pl", "tensor", "get_block_idx"))


@dataclass(slots=True)
class _Header:
    core_num: Expr
    sync_start: bool = False
    name_hint: str = ""
    optimizations: Optimizations = field(default_factory=Optimizations)
    attrs: dict[str, object] = field(default_factory=dict)
    deps: tuple[Expr, ...] = ()
    task: Var | None = None
    predicate: Expr | None = None


def read_spmd_with(context: Context, scope: ast.With, call: ast.Call) -> None:
    """`with pl.spmd(core_num, ...) [as tid]:`"""
    target = scope.items[0].optional_vars
    header = _header(context, call, may_wait=target is not None)
    if target is not None and context.inside("cluster"):
        context.fail(ParserSyntaxError, "pl.spmd() cannot capture a TaskId when nested inside pl.cluster()", target)
    inline, carrier = _body_kind(context, scope)
    carried = carrier is not None
    if carrier is not None and header.optimizations.given:
        twice = any(keyword.arg == "optimizations" for keyword in carrier.keywords)
        text = "pl.spmd(optimizations=...) belongs on the InCore scope: put it on the pl.at(...) in the body"
        context.fail(ParserSyntaxError, "`optimizations=` is specified twice" if twice else text, call)
    if target is not None:
        header.task = bind_task_id(context, target, place=scope)
        launched(context, header.task)
    body = _read_body(context, scope, "spmd_with")
    _remember_results(context, header, body)
    if inline or (header.optimizations.given and not carried):
        body = _in_core(context, scope, body, header=header)
    _emit_spmd(context, scope, body, header=header)


def read_spmd_loop(context: Context, loop: ast.For, call: ast.Call) -> None:
    """`for i in pl.spmd(core_num, ...):`, i being the index of the core"""
    target = single_target(context, loop, "spmd")
    header = _header(context, call, may_wait=False)
    body = indexed_body(context, loop, target, kind="spmd", operation="get_block_idx")
    _emit_spmd(context, loop, _in_core(context, loop, body, header=header), header=header)


def _read_body(context: Context, scope: ast.With, kind: str) -> Stmt:
    end = context.comments.limit if context.comments else 0
    with context.block(kind) as block:
        context.statements(scope.body, end)
    return context.body(block, context.span(scope.body[0]))


def _in_core(context: Context, place: ast.stmt, body: Stmt, *, header: _Header) -> Stmt:
    """The body as a kernel of its own; the name is divided between it and the launch."""
    check_split_once(context, header.optimizations, body)
    name = header.name_hint.removesuffix(_SUFFIX)
    header.name_hint = f"{name}{_SUFFIX}" if name else header.name_hint
    attrs = frozen_map(header.optimizations.attrs())
    return InCoreScopeStmt(body, name, header.optimizations.split, attrs, context.span(place))


def _emit_spmd(context: Context, place: ast.stmt, body: Stmt, *, header: _Header) -> None:
    attrs: dict[str, object] = {}
    for name, value in (
        ("manual_dep_edges", header.deps or None),
        ("task_id_var", header.task),
        ("predicate", header.predicate),
    ):
        if value is not None:
            attrs[name] = value
    merged = frozen_map({**attrs, **header.attrs})
    span = context.span(place)
    context.emit(SpmdScopeStmt(body, header.core_num, header.sync_start, header.name_hint, merged, span))


def _remember_results(context: Context, header: _Header, body: Stmt) -> None:
    """What a launched scope assigns is produced by its task."""
    if header.task is not None:
        for stmt in collect(body, AssignStmt):
            produced(context, stmt.var, header.task)


def _header(context: Context, call: ast.Call, *, may_wait: bool) -> _Header:
    spread = next((keyword for keyword in call.keywords if keyword.arg is None), None)
    if spread is not None:
        context.fail(ParserSyntaxError, "pl.spmd() does not accept **kwargs", spread)
    header = _Header(_core_num(context, call))
    predicate: ast.expr | None = None
    for keyword in call.keywords:
        name, node = keyword.arg or "", keyword.value
        if name == "predicate":
            predicate = node
        elif name == "deps" and may_wait:
            header.deps = read_deps(context, node)
        elif name in _OPTIONS:
            _OPTIONS[name](context, node, header)
        else:
            hint = "deps= needs the capturing form: with pl.spmd(...) as tid:" if name == "deps" else None
            context.fail(ParserSyntaxError, f"pl.spmd() does not accept '{name}='", keyword, hint=hint)
    if predicate is not None:
        _predicate(context, predicate, header, may_wait=may_wait)
    return header


def _sync_start(context: Context, node: ast.expr, header: _Header) -> None:
    header.sync_start = boolean_literal(context, node, name="sync_start")


def _name_hint(context: Context, node: ast.expr, header: _Header) -> None:
    header.name_hint = read_name_hint(context, node)


def _optimizations(context: Context, node: ast.expr, header: _Header) -> None:
    header.optimizations = read_optimizations(context, node, where="pl.spmd")


def _attributes(context: Context, node: ast.expr, header: _Header) -> None:
    header.attrs.update(read_attrs(context, node))


def _nothing(_context: Context, _node: ast.expr, _header: _Header) -> None:
    """core_num is read before the other options."""


def _core_num(context: Context, call: ast.Call) -> Expr:
    named = next((keyword.value for keyword in call.keywords if keyword.arg == "core_num"), None)
    if len(call.args) > 1:
        context.fail(ParserSyntaxError, "pl.spmd() takes at most one positional argument: core_num", call)
    if call.args and named is not None:
        context.fail(ParserSyntaxError, "pl.spmd() got multiple values for argument 'core_num'", call)
    node = call.args[0] if call.args else named
    if node is None:
        context.fail(ParserSyntaxError, "pl.spmd() requires core_num", call)
    return positive_integer(context, node, name="pl.spmd() core_num")


def _early_resolve(context: Context, node: ast.expr, header: _Header) -> None:
    if not boolean_literal(context, node, name="allow_early_resolve"):
        return
    _refuse_in_cluster(context, node, "allow_early_resolve")
    header.attrs["allow_early_resolve"] = True


def _predicate(context: Context, node: ast.expr, header: _Header, *, may_wait: bool) -> None:
    _refuse_in_cluster(context, node, "predicate")
    header.predicate = read_predicate(context, node)
    check_producer(context, node, header.predicate, deps=header.deps, may_wait=may_wait)


_OPTIONS: Final[Mapping[str, Callable[[Context, ast.expr, _Header], None]]] = {
    "core_num": _nothing,
    "sync_start": _sync_start,
    "name_hint": _name_hint,
    "optimizations": _optimizations,
    "allow_early_resolve": _early_resolve,
    "attrs": _attributes,
}


def _refuse_in_cluster(context: Context, node: ast.expr, name: str) -> None:
    if context.inside("cluster"):
        context.fail(
            ParserSyntaxError,
            f"pl.spmd({name}=...) cannot be nested inside `pl.cluster()`: such a scope launches no task of its own",
            node,
        )


def _body_kind(context: Context, scope: ast.With) -> tuple[bool, ast.Call | None]:
    """Whether the body does the work itself, and the `pl.at` in it that says how."""
    carrier = _core_group(context, scope.body[0]) if len(scope.body) == 1 else None
    if carrier is not None:
        return False, carrier
    calls = [node for stmt in scope.body for node in ast.walk(stmt) if isinstance(node, ast.Call)]
    if any(language_path(context, node.func) in _BLOCK_INDEX for node in calls):
        return True, None
    kernels = [node for node in calls if _is_kernel(context, node)]
    if not kernels:
        context.fail(
            ParserSyntaxError,
            "The body of pl.spmd() neither reads the per-block index nor dispatches a kernel",
            scope,
            hint="Every core would do the same. Read pl.tile.get_block_idx(), or use: for i in pl.spmd(n):",
        )
    if len(kernels) > 1:
        context.fail(
            ParserSyntaxError, f"The body of pl.spmd() launches {len(kernels)} kernels, it may launch one", scope
        )
    return False, None


def _is_kernel(context: Context, call: ast.Call) -> bool:
    parts = dotted(call.func)
    if parts is None:
        return False
    if len(parts) == 2:
        return parts[0] == context.facts.self_name
    return len(parts) == 1 and isinstance(context.closure.get(parts[0]), Function | JITFunction)


def _core_group(context: Context, stmt: ast.stmt) -> ast.Call | None:
    """The `pl.at(level=pl.Level.CORE_GROUP)` that a statement opens."""
    if not isinstance(stmt, ast.With) or len(stmt.items) != 1:
        return None
    call = stmt.items[0].context_expr
    if not isinstance(call, ast.Call) or language_path(context, call.func) != ("pl", "at"):
        return None
    level = next((keyword.value for keyword in call.keywords if keyword.arg == "level"), None)
    node = call.args[0] if call.args else level
    return call if node is not None and context.value(node) is Level.CORE_GROUP else None
