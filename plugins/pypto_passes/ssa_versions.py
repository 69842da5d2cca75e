# SPDX-License-Identifier: Apache-2.0
"""Versions that ConvertToSSA makes: their role, order and type, and how a body yields them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pypto_build.analysis.names import AutoName
from pypto_build.ir import (
    Expr,
    ForStmt,
    IterArg,
    ShapedType,
    Stmt,
    TensorType,
    TileType,
    TupleType,
    Type,
    UnknownType,
    Var,
    WhileStmt,
    YieldStmt,
    rebuilt,
    sequence,
    statements,
)
from pypto_passes.ssa_needs import TRANSPARENT


def kept_role(name: str, role: str) -> str:
    """A name given by an earlier conversion keeps its role, so that converting again changes nothing."""
    given = AutoName.parse(name).role
    return given if given in _ROLES and role != "iter" else role


_ROLES = ("ssa", "phi", "rv", "iter", "idx")


def by_name(variables: Iterable[Var]) -> list[Var]:
    """In name order; the sort is stable, so equal names keep the order of first assignment (SSA-27, SSA-28)."""
    return sorted(variables, key=lambda var: var.name_hint)


def diverges(left: Expr | None, right: Expr | None) -> bool:
    """Both branches know the variable and mean different values by it. Source: SSA-22 to SSA-25."""
    return left is not None and right is not None and left is not right


def assigned_type(declared: Type, value: Expr) -> Type:
    """The type of an assigned version. Source: SSA-15, SSA-16."""
    kind = value.type
    if isinstance(kind, UnknownType) or not (isinstance(value, Var) or isinstance(kind, ShapedType | TupleType)):
        return declared
    if isinstance(kind, TensorType | TileType) and kind.memref is None:
        memref = getattr(declared, "memref", None)
        if memref is not None:
            merged = rebuilt(kind, {"memref": memref})
            return declared if merged == declared else merged  # the same object, so that the variable can stay
    return kind


def with_yields(body: Stmt, values: list[Expr]) -> Stmt:
    """The body with more values yielded at its end, after those that it yields already (SSA-32, SSA-39)."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        tail: Stmt = YieldStmt((*last.value, *values), last.span, last.leading_comments)
    elif isinstance(last, TRANSPARENT) and _yields(last.body):
        tail = rebuilt(last, {"body": with_yields(last.body, values)})
    else:
        return sequence((*stmts, YieldStmt(tuple(values), body.span)), body.span)
    return sequence((*stmts[:-1], tail), body.span)


def _yields(body: Stmt) -> bool:
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    return isinstance(last, YieldStmt) or (isinstance(last, TRANSPARENT) and _yields(last.body))


def same_items(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    """The same objects in the same order."""
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


@dataclass(frozen=True, slots=True)
class LoopParts:
    """What a loop carries, its converted body and its results; `before` has to stand in front of it."""

    before: tuple[Stmt, ...]
    iter_args: tuple[IterArg, ...]
    body: Stmt
    results: tuple[Var, ...]

    def are_those_of(self, loop: ForStmt | WhileStmt) -> bool:
        """Whether nothing has changed."""
        same_vars = same_items(self.iter_args, loop.iter_args) and same_items(self.results, loop.return_vars)
        return same_vars and self.body is loop.body

    def fields(self) -> dict[str, object]:
        """The fields of the new loop."""
        return {"iter_args": self.iter_args, "body": self.body, "return_vars": self.results}
