# SPDX-License-Identifier: Apache-2.0
"""What a builder has open inside a function: loops, branches and scopes, each collecting its statements."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from pypto_build.compat.node_constructors import make_scope
from pypto_build.ir import (
    ClusterScopeStmt,
    Expr,
    ForKind,
    ForStmt,
    HierarchyScopeStmt,
    IfStmt,
    InCoreScopeStmt,
    IterArg,
    RuntimeScopeStmt,
    ScopeKind,
    Span,
    SplitMode,
    SpmdScopeStmt,
    Stmt,
    Type,
    Var,
    WhileStmt,
    sequence,
)

if TYPE_CHECKING:
    from pypto_build.compat.builder import IRBuilder


class Context:
    """One open construct; a context manager that builds its node when it is left without an exception."""

    kind = ""

    def __init__(self, builder: IRBuilder, span: Span) -> None:
        self._builder = builder
        self._span = span
        self._stmts: list[Stmt] = []
        self._result: Any = None

    def __enter__(self):  # the subclass
        self._builder.contexts.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._builder.contexts.pop()
        if kind is None:
            self._result = self.build()
            if isinstance(self._result, Stmt):
                self._builder.emit(self._result)

    def add(self, stmt: Stmt) -> None:
        """Take a statement into the body."""
        self._stmts.append(stmt)

    def body(self) -> Stmt:
        """The statements so far as one."""
        return sequence(self._stmts, self._span)

    def build(self) -> Any:
        """The finished node."""
        raise NotImplementedError(type(self).__name__)

    def get_result(self) -> Any:
        """The finished node; RuntimeError while it is open."""
        if self._result is None:
            raise RuntimeError(f"the {self.kind} is not finished")
        return self._result

    def span(self, span: Span | None) -> Span:
        """A given place, or that of the caller."""
        return self._builder.place(span)


class _Outputs(Context):
    """A construct with results."""

    def __init__(self, builder: IRBuilder, span: Span) -> None:
        super().__init__(builder, span)
        self._return_vars: list[Var] = []

    def output(self, index: int = 0) -> Var:
        """One result; IndexError when there is none of this number."""
        if not 0 <= index < len(self._return_vars):
            raise IndexError(f"Return variable index {index} out of range, there are {len(self._return_vars)}")
        return self._return_vars[index]

    def outputs(self) -> list[Var]:
        """All results."""
        return list(self._return_vars)


class _Loop(_Outputs):
    """A loop with carried values."""

    def __init__(self, builder: IRBuilder, span: Span) -> None:
        super().__init__(builder, span)
        self._iter_args: list[IterArg] = []

    def iter_arg(self, name: str, init_value: object, type: Type | None = None, span: Span | None = None) -> IterArg:
        """Add a carried value; its type is that of what it starts with."""
        init = self._builder.expr(init_value, span)
        if type is not None and type != init.type:
            raise ValueError(f"Type mismatch for iter_arg '{name}': {type} is not {init.type}")
        arg = IterArg(name, init.type, self.span(span), init)
        self._iter_args.append(arg)
        return arg

    def return_var(self, name: str, type: Type | None = None, span: Span | None = None) -> Var:
        """Add the result of the next carried value."""
        index = len(self._return_vars)
        if index >= len(self._iter_args):
            raise RuntimeError(f"return_var '{name}' has no iter_arg that it is the result of")
        inferred = self._iter_args[index].type
        if type is not None and type != inferred:
            raise ValueError(f"Type mismatch for return_var '{name}': {type} is not {inferred}")
        var = Var(name, inferred, self.span(span))
        self._return_vars.append(var)
        return var

    def _check(self) -> None:
        if len(self._iter_args) != len(self._return_vars):
            raise RuntimeError(
                f"the loop has {len(self._iter_args)} iter_args but {len(self._return_vars)} return variables"
            )


class ForLoopBuilder(_Loop):
    """A counted loop that is being built."""

    kind = "for loop"

    def __init__(
        self,
        builder: IRBuilder,
        loop_var: Var,
        bounds: tuple[Expr, Expr, Expr],
        *,
        span: Span,
        kind: ForKind,
        attrs: Mapping[str, object],
    ) -> None:
        super().__init__(builder, span)
        self._loop_var = loop_var
        self._bounds = bounds
        self._kind = kind
        self._attrs = attrs

    def build(self) -> ForStmt:
        """The loop."""
        self._check()
        start, stop, step = self._bounds
        return ForStmt(
            self._loop_var,
            start,
            stop,
            step,
            tuple(self._iter_args),
            self.body(),
            tuple(self._return_vars),
            self._span,
            self._kind,
            self._attrs,
        )


class WhileLoopBuilder(_Loop):
    """A while loop that is being built."""

    kind = "while loop"

    def __init__(self, builder: IRBuilder, condition: Expr, span: Span) -> None:
        super().__init__(builder, span)
        self._condition = condition

    def set_condition(self, condition: Expr) -> None:
        """Replace the condition, now that the carried values are known."""
        self._condition = condition

    def build(self) -> WhileStmt:
        """The loop."""
        self._check()
        return WhileStmt(self._condition, tuple(self._iter_args), self.body(), tuple(self._return_vars), self._span)


class IfStmtBuilder(_Outputs):
    """A branch that is being built."""

    kind = "if"

    def __init__(self, builder: IRBuilder, condition: Expr, span: Span) -> None:
        super().__init__(builder, span)
        self._condition = condition
        self._then: Stmt | None = None

    def else_(self, span: Span | None = None) -> None:
        """What follows belongs to the other branch."""
        if self._then is not None:
            raise RuntimeError("the if has an else branch already")
        self._then = self.body()
        self._stmts = []
        del span

    def return_var(self, name: str, type: Type, span: Span | None = None) -> Var:
        """Add a result."""
        var = Var(name, type, self.span(span))
        self._return_vars.append(var)
        return var

    def build(self) -> IfStmt:
        """The branch."""
        if self._then is None:
            return IfStmt(self._condition, self.body(), None, tuple(self._return_vars), self._span)
        return IfStmt(self._condition, self._then, self.body(), tuple(self._return_vars), self._span)


class ScopeBuilder(Context):
    """A scope that is being built."""

    kind = "scope"

    def __init__(self, builder: IRBuilder, scope_kind: ScopeKind, span: Span, fields: Mapping[str, Any]) -> None:
        super().__init__(builder, span)
        self._kind = scope_kind
        self._fields = fields

    def build(self) -> Stmt:
        """The scope."""
        cls, names = _SCOPES[self._kind]
        given = {name: self._fields[name] for name in (*names, "name_hint") if self._fields.get(name) is not None}
        if self._kind is ScopeKind.InCore:
            given.setdefault("split", SplitMode.NONE)
        return cast("Stmt", make_scope(cls, *names)(body=self.body(), span=self._span, **given))


_SCOPES: dict[ScopeKind, tuple[type, tuple[str, ...]]] = {
    ScopeKind.InCore: (InCoreScopeStmt, ("split",)),
    ScopeKind.Cluster: (ClusterScopeStmt, ()),
    ScopeKind.Hierarchy: (HierarchyScopeStmt, ("level", "role")),
    ScopeKind.Spmd: (SpmdScopeStmt, ("core_num", "sync_start")),
    ScopeKind.Runtime: (RuntimeScopeStmt, ("manual",)),
}
