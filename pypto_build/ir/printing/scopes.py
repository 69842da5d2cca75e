# SPDX-License-Identifier: Apache-2.0
"""Scopes: `with pl.at(...)`, `with pl.spmd(...)` and their kin, and the two scopes that are written as loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pypto_build.ir import stmt as s
from pypto_build.ir.enums import Level, SplitMode
from pypto_build.ir.expr import Call, Expr, Var, WindowBuffer
from pypto_build.ir.printing.calls import DEPS, DUMPS, predicate
from pypto_build.ir.printing.context import Context, Place, StatementRule
from pypto_build.ir.printing.expressions import dimension, expression
from pypto_build.ir.printing.literals import DISTRIBUTED, enum_text, string_text
from pypto_build.ir.printing.parts import Part, Parts, bracketed, called, keyword
from pypto_build.ir.printing.scan import TASK_ID_VAR
from pypto_build.ir.printing.statements import block, body_of, comments
from pypto_build.ir.printing.values import attrs_keyword, remaining, value
from pypto_build.ir.stmt import Stmt
from pypto_build.ir.value import same_value

SLOTS = "slot_num"
NO_DEP = "arg_direction_overrides_vars"
EARLY = "allow_early_resolve"
WINDOWIZE = "windowize"
PREDICATE = "predicate"
BLOCK_INDEX = "tile.get_block_idx"
SUBBLOCK_INDEX = "tile.get_subblock_idx"
_SPMD_SUFFIX = "_spmd"
_FLAGS = (EARLY, WINDOWIZE)


def _with(ctx: Context, node: s.ScopeStmt, place: Place, *, opened: Part, attrs: Mapping[str, object]) -> Parts:
    yield f"{place.pad}with "
    yield opened
    task_id = attrs.get(TASK_ID_VAR)
    if isinstance(task_id, Var):
        yield f" as {ctx.names.of(task_id)}"
    yield ":\n"
    yield block(ctx, body_of(node.body), place.deeper())


def _in_core(ctx: Context, node: s.InCoreScopeStmt, place: Place) -> Parts:
    opened = called(f"{ctx.pl}.at", _in_core_arguments(ctx, node))
    return _with(ctx, node, place, opened=opened, attrs=node.attrs)


def _in_core_arguments(ctx: Context, node: s.InCoreScopeStmt) -> Iterator[Part]:
    yield f"level={enum_text(Level.CORE_GROUP, ctx.pl)}"
    yield from _optimizations(ctx, node)
    yield from _at_arguments(ctx, node, remaining(node.attrs, (SLOTS,)))


def _optimizations(ctx: Context, node: s.InCoreScopeStmt) -> Iterator[Part]:
    entries: list[Part] = []
    if node.split is not SplitMode.NONE:
        entries.append(f"{ctx.pl}.split({enum_text(node.split, ctx.pl)})")
    if SLOTS in node.attrs:
        entries.append(f"{ctx.pl}.cross_core_slot(slot_num={node.attrs[SLOTS]})")
    if entries:
        yield keyword("optimizations", bracketed(entries))


def _hierarchy(ctx: Context, node: s.HierarchyScopeStmt, place: Place) -> Parts:
    opened = called(f"{ctx.pl}.at", _hierarchy_arguments(ctx, node))
    return _with(ctx, node, place, opened=opened, attrs=node.attrs)


def _hierarchy_arguments(ctx: Context, node: s.HierarchyScopeStmt) -> Iterator[Part]:
    yield f"level={enum_text(node.level, ctx.pl)}"
    if node.role is not None:
        yield f"role={enum_text(node.role, ctx.pl)}"
    yield from _at_arguments(ctx, node, node.attrs)


def _at_arguments(ctx: Context, node: s.ScopeStmt, attrs: Mapping[str, object]) -> Iterator[Part]:
    shown = [TASK_ID_VAR]
    for name, word in ((DEPS, "deps"), (NO_DEP, "no_dep_args"), (DUMPS, "dumps")):
        if name in attrs:
            shown.append(name)
            yield keyword(word, value(ctx, attrs[name]))
    yield from _flags(attrs, shown)
    yield from _name_hint(node.name_hint)
    yield from attrs_keyword(ctx, remaining(attrs, shown))


def _flags(attrs: Mapping[str, object], shown: list[str]) -> Iterator[Part]:
    for name in _FLAGS:
        if attrs.get(name) is True:
            shown.append(name)
            yield f"{name}=True"


def _name_hint(name: str) -> Iterator[Part]:
    if name:
        yield f"name_hint={string_text(name)}"


def _plain_arguments(ctx: Context, node: s.ScopeStmt) -> Iterator[Part]:
    yield from _name_hint(node.name_hint)
    yield from attrs_keyword(ctx, remaining(node.attrs, (TASK_ID_VAR,)))


def _cluster(ctx: Context, node: s.ClusterScopeStmt, place: Place) -> Parts:
    opened = called(f"{ctx.pl}.cluster", _plain_arguments(ctx, node))
    return _with(ctx, node, place, opened=opened, attrs=node.attrs)


def _runtime(ctx: Context, node: s.RuntimeScopeStmt, place: Place) -> Parts:
    arguments = list(_plain_arguments(ctx, node))
    if node.manual:
        arguments.insert(0, f"mode={ctx.pl}.ScopeMode.MANUAL")
    return _with(ctx, node, place, opened=called(f"{ctx.pl}.scope", arguments), attrs=node.attrs)


def _spmd(ctx: Context, node: s.SpmdScopeStmt, place: Place) -> Parts:
    loop = _as_block_loop(node)
    if loop is not None:
        return _block_loop(ctx, node, place, loop=loop)
    opened = called(f"{ctx.pl}.spmd", _spmd_arguments(ctx, node, node.name_hint, ()))
    return _with(ctx, node, place, opened=opened, attrs=node.attrs)


def _spmd_arguments(ctx: Context, node: s.SpmdScopeStmt, name: str, optimizations: Sequence[Part]) -> Iterator[Part]:
    yield expression(ctx, node.core_num)
    if node.sync_start:
        yield "sync_start=True"
    yield from _name_hint(name)
    yield from optimizations
    attrs, shown = node.attrs, [TASK_ID_VAR]
    if DEPS in attrs:
        shown.append(DEPS)
        yield keyword("deps", value(ctx, attrs[DEPS]))
    if attrs.get(EARLY) is True:
        shown.append(EARLY)
        yield f"{EARLY}=True"
    condition = attrs.get(PREDICATE)
    if isinstance(condition, Expr):
        shown.append(PREDICATE)
        yield keyword(PREDICATE, predicate(ctx, condition))
    yield from attrs_keyword(ctx, remaining(attrs, shown))


def _as_block_loop(node: s.SpmdScopeStmt) -> tuple[s.InCoreScopeStmt, list[Stmt]] | None:
    """The kernel and its statements when `for i in pl.spmd(...)` says the same as the two scopes."""
    body = body_of(node.body)
    inner = body[0] if len(body) == 1 else None
    if not isinstance(inner, s.InCoreScopeStmt) or inner.leading_comments or set(inner.attrs) - {SLOTS}:
        return None
    if TASK_ID_VAR in node.attrs or DEPS in node.attrs or not _names_match(node.name_hint, inner.name_hint):
        return None
    stmts = body_of(inner.body)
    return (inner, stmts) if stmts and _binds_index(stmts[0], BLOCK_INDEX) else None


def _names_match(outer: str, inner: str) -> bool:
    return outer == (f"{inner}{_SPMD_SUFFIX}" if inner else "") and not inner.endswith(_SPMD_SUFFIX)


def _binds_index(node: Stmt, operation: str) -> bool:
    return isinstance(node, s.AssignStmt) and isinstance(node.value, Call) and node.value.op.name == operation


def _block_loop(
    ctx: Context, node: s.SpmdScopeStmt, place: Place, *, loop: tuple[s.InCoreScopeStmt, list[Stmt]]
) -> Parts:
    inner, stmts = loop
    yield comments(stmts[0].leading_comments, place)
    yield f"{place.pad}for {_index_name(ctx, stmts[0])} in "
    arguments = _spmd_arguments(ctx, node, inner.name_hint, tuple(_optimizations(ctx, inner)))
    yield called(f"{ctx.pl}.spmd", arguments)
    yield ":\n"
    yield block(ctx, stmts[1:], place.deeper())


def _index_name(ctx: Context, binding: Stmt) -> str:
    return ctx.names.of(binding.var) if isinstance(binding, s.AssignStmt) else ctx.names.fresh("aiv_id")


def _split_aiv(ctx: Context, node: s.SplitAivScopeStmt, place: Place) -> Parts:
    """The binding of the index is the loop's; without one the text gets a name that nothing uses."""
    stmts = body_of(node.body)
    binding = stmts[0] if stmts and _binds_index(stmts[0], SUBBLOCK_INDEX) else node
    rest = stmts[1:] if binding is not node else stmts
    if binding is not node:
        yield comments(binding.leading_comments, place)
    yield f"{place.pad}for {_index_name(ctx, binding)} in "
    arguments = [str(node.count), f"mode={enum_text(node.split, ctx.pl)}", *_plain_arguments(ctx, node)]
    yield called(f"{ctx.pl}.split_aiv", arguments)
    yield ":\n"
    yield block(ctx.within_split(node.split), rest, place.deeper())


def _comm_domain(ctx: Context, node: s.CommDomainScopeStmt, place: Place) -> Parts:
    opened = called(f"{DISTRIBUTED}.comm_domain", _comm_domain_arguments(ctx, node))
    return _with(ctx, node, place, opened=opened, attrs=node.attrs)


def _comm_domain_arguments(ctx: Context, node: s.CommDomainScopeStmt) -> Iterator[Part]:
    yield keyword("devices", bracketed(str(device) for device in node.devices))
    yield keyword("slots", bracketed(_slot(ctx, slot) for slot in node.slots))
    yield from _plain_arguments(ctx, node)


def _slot(ctx: Context, slot: WindowBuffer) -> Part:
    """The name of the allocation in the body; whatever the allocation does not say as well."""
    base = slot.base if slot.base is not None else slot  # pyright: ignore[reportUnnecessaryComparison]  # None is the default
    name = string_text(ctx.names.of(base) if ctx.names.is_defined(base) else base.name_hint)
    asked = ctx.window_sizes.get(base)
    details: list[Part] = []
    if slot.size is not None and not same_value(asked, slot.size):  # pyright: ignore[reportUnnecessaryComparison]  # None is the default
        details.append(dimension(ctx, slot.size))
    if slot.load_from_host:
        details.append("load_from_host=True")
    if slot.store_to_host:
        details.append("store_to_host=True")
    return called(f"{DISTRIBUTED}.WindowBuffer", [name, *details]) if details else name


RULES: dict[type[Stmt], StatementRule] = {
    s.InCoreScopeStmt: _in_core,
    s.HierarchyScopeStmt: _hierarchy,
    s.ClusterScopeStmt: _cluster,
    s.RuntimeScopeStmt: _runtime,
    s.SpmdScopeStmt: _spmd,
    s.SplitAivScopeStmt: _split_aiv,
    s.CommDomainScopeStmt: _comm_domain,
}
