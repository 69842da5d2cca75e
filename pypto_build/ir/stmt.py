# SPDX-License-Identifier: Apache-2.0
"""Statements and scopes; a body is one statement, several are a SeqStmts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from pypto_build.ir.enums import ForKind, InlineLanguage, Level, Role, ScopeKind, SplitMode
from pypto_build.ir.expr import Expr, IterArg, Var, WindowBuffer
from pypto_build.ir.node import (
    EMPTY_MAP,
    UNKNOWN_SPAN,
    Node,
    Span,
    attributes,
    child,
    children,
    data,
    definition,
    definitions,
    ignored,
    node,
)


class Stmt(Node):
    """Something that is done; comments above it travel with it."""

    __slots__ = ()
    leading_comments: tuple[str, ...]


@node
class AssignStmt(Stmt):
    """var = value"""

    WALK_FIRST: ClassVar[tuple[str, ...]] = ("value",)
    var: Var = definition()
    value: Expr = child()
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class EvalStmt(Stmt):
    """An expression evaluated for its effect."""

    expr: Expr = child()
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class ReturnStmt(Stmt):
    """The function's results."""

    value: tuple[Expr, ...] = children(default=())
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class YieldStmt(Stmt):
    """The results of a branch, or what a loop body hands to the next iteration."""

    value: tuple[Expr, ...] = children(default=())
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class BreakStmt(Stmt):
    """Leave the loop."""

    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class ContinueStmt(Stmt):
    """Go on with the next iteration."""

    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class InlineStmt(Stmt):
    """Verbatim code of a host function."""

    body: str = data()
    language: InlineLanguage = data(default=InlineLanguage.Python)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class SeqStmts(Stmt):
    """Statements one after the other."""

    stmts: tuple[Stmt, ...] = children()
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class IfStmt(Stmt):
    """A branch; return_vars are bound to what the taken branch yields."""

    condition: Expr = child()
    then_body: Stmt = child()
    else_body: Stmt | None = child(default=None)
    return_vars: tuple[Var, ...] = definitions(default=())
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class ForStmt(Stmt):
    """A counted loop over [start, stop) by step; iter_args enter an iteration, the yield leaves it for the next."""

    loop_var: Var = definition()
    start: Expr = child()
    stop: Expr = child()
    step: Expr = child()
    iter_args: tuple[IterArg, ...] = definitions()
    body: Stmt = child()
    return_vars: tuple[Var, ...] = definitions()
    span: Span = ignored(default=UNKNOWN_SPAN)
    kind: ForKind = data(default=ForKind.Sequential)
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class WhileStmt(Stmt):
    """A loop that goes on while the condition holds; the condition reads the iter_args."""

    WALK_FIRST: ClassVar[tuple[str, ...]] = ("iter_args",)
    condition: Expr = child()
    iter_args: tuple[IterArg, ...] = definitions()
    body: Stmt = child()
    return_vars: tuple[Var, ...] = definitions()
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


class ScopeStmt(Stmt):
    """A region with a meaning for where or how its body runs."""

    __slots__ = ()
    KIND: ClassVar[ScopeKind]
    body: Stmt
    name_hint: str
    attrs: Mapping[str, object]

    @property
    def scope_kind(self) -> ScopeKind:
        """Which scope this is."""
        return self.KIND


@node
class InCoreScopeStmt(ScopeStmt):
    """A region that becomes a kernel."""

    KIND: ClassVar[ScopeKind] = ScopeKind.InCore
    body: Stmt = child()
    name_hint: str = data(default="")
    split: SplitMode = data(default=SplitMode.NONE)
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class ClusterScopeStmt(ScopeStmt):
    """A region that becomes a group of cooperating kernels."""

    KIND: ClassVar[ScopeKind] = ScopeKind.Cluster
    body: Stmt = child()
    name_hint: str = data(default="")
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class HierarchyScopeStmt(ScopeStmt):
    """A region that becomes a function at a level of the machine."""

    KIND: ClassVar[ScopeKind] = ScopeKind.Hierarchy
    body: Stmt = child()
    level: Level = data()
    role: Role | None = data(default=None)
    name_hint: str = data(default="")
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class SpmdScopeStmt(ScopeStmt):
    """A region that runs on core_num cores at once."""

    KIND: ClassVar[ScopeKind] = ScopeKind.Spmd
    body: Stmt = child()
    core_num: Expr = child()
    sync_start: bool = data(default=False)
    name_hint: str = data(default="")
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class SplitAivScopeStmt(ScopeStmt):
    """A region divided between `count` vector cores."""

    KIND: ClassVar[ScopeKind] = ScopeKind.SplitAiv
    body: Stmt = child()
    split: SplitMode = data()
    count: int = data(default=2)
    name_hint: str = data(default="")
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class RuntimeScopeStmt(ScopeStmt):
    """A lifetime scope of the task runtime; manual leaves dependencies to the program."""

    KIND: ClassVar[ScopeKind] = ScopeKind.Runtime
    body: Stmt = child()
    manual: bool = data(default=False)
    name_hint: str = data(default="")
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


@node
class CommDomainScopeStmt(ScopeStmt):
    """A region in which devices share window buffers."""

    KIND: ClassVar[ScopeKind] = ScopeKind.CommDomain
    body: Stmt = child()
    devices: tuple[int, ...] = data()
    slots: tuple[WindowBuffer, ...] = children()
    name_hint: str = data(default="")
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())


def statements(body: Stmt | None) -> tuple[Stmt, ...]:
    """The statements of a body, whether it is one, a sequence or missing."""
    if body is None:
        return ()
    return body.stmts if isinstance(body, SeqStmts) else (body,)


def sequence(stmts: Iterable[Stmt], span: Span = UNKNOWN_SPAN) -> Stmt:
    """A body of these statements: nested sequences are flattened, a single statement stands alone."""
    flat: list[Stmt] = []
    for stmt in stmts:
        flat.extend(_flat(stmt))
    if len(flat) == 1:
        return flat[0]
    return SeqStmts(tuple(flat), span)


def _flat(stmt: Stmt) -> Iterable[Stmt]:
    if not isinstance(stmt, SeqStmts):
        return (stmt,)
    if not any(isinstance(inner, SeqStmts) for inner in stmt.stmts):
        return stmt.stmts
    return (leaf for inner in stmt.stmts for leaf in _flat(inner))
