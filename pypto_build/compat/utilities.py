# SPDX-License-Identifier: Apache-2.0
"""Small functions over statements that the public interface offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from pypto_build.compat.constructors import attributes
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    Level,
    ParamDirection,
    Rewriter,
    RuntimeScopeStmt,
    SeqStmts,
    SplitAivScopeStmt,
    Stmt,
    Type,
    Var,
    YieldStmt,
    clone_fresh,
    collect,
    defined_vars,
    iter_children,
    statements,
    substitute,
)

_LINQU = {
    Level.AIV: 0,
    Level.AIC: 0,
    Level.CORE_GROUP: 0,
    Level.CHIP_DIE: 1,
    Level.CHIP: 2,
    Level.HOST: 3,
    Level.CLUSTER_0: 4,
    Level.CLUSTER_1: 5,
    Level.CLUSTER_2: 6,
    Level.GLOBAL: 7,
}


_TRANSPARENT = (RuntimeScopeStmt, SplitAivScopeStmt)


def flatten_to_stmts(stmt: Stmt) -> list[Stmt]:
    """The statements of a sequence, or the one statement."""
    return list(statements(stmt))


def collect_def_vars(stmt: Stmt) -> list[Var]:
    """The variables that assignments bind, in walking order."""
    return [assign.var for assign in collect(stmt, AssignStmt)]


def find_yield_stmt(body: Stmt) -> YieldStmt | None:
    """The first yield among the statements of a body."""
    return next((stmt for stmt in statements(body) if isinstance(stmt, YieldStmt)), None)


def get_last_yield_stmt(body: Stmt) -> YieldStmt | None:
    """The yield that ends a body."""
    last = statements(body)[-1:]
    if not last:
        return None
    if isinstance(last[0], _TRANSPARENT):
        return get_last_yield_stmt(last[0].body)
    if isinstance(last[0], SeqStmts):
        return get_last_yield_stmt(last[0])
    return last[0] if isinstance(last[0], YieldStmt) else None


def substitute_expr(expr: Expr, var_map: Iterable[tuple[Var, Expr]]) -> Expr:
    """An expression with variables replaced."""
    return substitute(expr, dict(var_map))


def substitute_stmt(body: Stmt, var_map: Iterable[tuple[Var, Expr]]) -> Stmt:
    """A statement with variables replaced."""
    mapping = dict(var_map)
    return cast("Stmt", _Substitution(mapping).visit(body)) if mapping else body


class _Substitution(Rewriter):
    """Replaces variables where they are bound, too."""

    def visit_definition(self, var: Var) -> Var:
        given = self.substitution.get(var)
        if not isinstance(given, Var):
            return super().visit_definition(var)
        kind = self.visit_type(given.type)
        if kind is not given.type:
            given = given.replace(type=kind)
            self.substitution[var] = given
        return given


def deep_clone(body: Stmt, var_map: Iterable[tuple[Var, Expr]] = ()) -> tuple[Stmt, list[tuple[Var, Expr]]]:
    """A copy of a statement with fresh definitions, and which definition became which."""
    own = set(map(id, defined_vars([body])))
    clone, mapping = clone_fresh(body, dict(var_map))
    return clone, [(old, new) for old, new in mapping.items() if id(old) in own]


def deduce_call_return_type(
    callee_params: Sequence[Var], args: Sequence[Expr], return_types: Sequence[Type]
) -> list[Type]:
    """The return types of a call: dynamic extents of the callee become those of the arguments."""
    from pypto_build.dsl.call_types import substituted  # the rule of the front end
    from pypto_build.dsl.callees import Signature

    directions = (ParamDirection.In,) * len(callee_params)
    callee = Signature("", tuple(callee_params), directions, tuple(return_types), FunctionType.Opaque, None)
    return list(substituted(callee, args, return_types))


def set_call_attrs(call: Call, attrs: Mapping[str, object]) -> Call:
    """A copy of a call with other attributes."""
    return call.replace(attrs=attributes(attrs))


def attach_leading_comments(stmt: Stmt, comments: Sequence[str]) -> Stmt:
    """Give a statement comments, in place."""
    object.__setattr__(stmt, "leading_comments", tuple(comments))
    return stmt


def is_incore_type(func_type: FunctionType) -> bool:
    """Whether functions of this type run on a core."""
    return func_type in (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


def level_to_linqu_level(level: Level) -> int:
    """The number of a machine level; those inside a core group share 0."""
    return _LINQU[level]


class ParentStmtAnalysis:
    """Which statement each statement stands in."""

    def __init__(self) -> None:
        self._parents: dict[int, tuple[Stmt, Stmt]] = {}

    def build_map(self, func: Function) -> None:
        """Forget everything and look at a function."""
        self.clear()
        pending: list[Stmt] = [func.body]
        while pending:
            parent = pending.pop()
            for child in iter_children(parent):
                if isinstance(child, Stmt):
                    self._parents[id(child)] = (child, parent)
                    pending.append(child)

    def get_parent(self, stmt: Stmt | None) -> Stmt | None:
        """The statement around a statement; None at the top and for strangers."""
        found = None if stmt is None else self._parents.get(id(stmt))
        return None if found is None else found[1]

    def has_parent(self, stmt: Stmt | None) -> bool:
        """Whether a statement stands in another."""
        return self.get_parent(stmt) is not None

    def clear(self) -> None:
        """Forget everything."""
        self._parents.clear()
