# SPDX-License-Identifier: Apache-2.0
"""Cutting a body down to some of its statements, and to some of the values that its loops and branches carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pypto_build.ir import (
    Expr,
    ForStmt,
    IfStmt,
    Rewriter,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    rebuilt,
    statements,
)

_S = TypeVar("_S", bound=Stmt)
_T = TypeVar("_T")


@dataclass(slots=True)
class Kept:
    """What stays: statements, and of a loop or a branch the numbers of the results that somebody needs.

    standing_for: what a value is called in what stays.
    """

    standing_for: Callable[[Expr], Expr | None]
    stmts: set[Stmt] = field(default_factory=set[Stmt])
    results: dict[Stmt, set[int]] = field(default_factory=dict[Stmt, "set[int]"])


def cut_body(body: Stmt, kept: Kept) -> Stmt:
    """The body without everything else."""
    return _Cutter(kept).visit_body(body)


class _Cutter(Rewriter):
    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self._kept = kept
        self._results: list[list[int]] = []  # of the loops and branches around, innermost last

    def visit_var(self, var: Var) -> Expr:
        value = self._kept.standing_for(var) or var
        return self.visit(value) if value is not var else super().visit_var(var)

    def visit_stmt(self, stmt: Stmt) -> Stmt | None:
        return self.visit_node(stmt) if stmt in self._kept.stmts else None

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | None:
        return self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt | None:
        return self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> Stmt | None:
        if stmt not in self._kept.stmts:
            return None
        numbers = self._numbers(stmt)
        carried = {"iter_args": _chosen(stmt.iter_args, numbers), "return_vars": _chosen(stmt.return_vars, numbers)}
        return self._inside(rebuilt(stmt, carried), numbers)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt | None:
        if stmt not in self._kept.stmts:
            return None
        numbers = self._numbers(stmt)
        made = self._inside(rebuilt(stmt, {"return_vars": _chosen(stmt.return_vars, numbers)}), numbers)
        empty = made.else_body is not None and not statements(made.else_body)
        return rebuilt(made, {"else_body": None}) if empty else made

    def visit_yield_stmt(self, stmt: YieldStmt) -> Stmt | None:
        values = _chosen(stmt.value, self._results[-1])
        return self.visit_node(rebuilt(stmt, {"value": values})) if values else None

    def _numbers(self, stmt: Stmt) -> list[int]:
        return sorted(self._kept.results.get(stmt, ()))

    def _inside(self, stmt: _S, numbers: list[int]) -> _S:
        self._results.append(numbers)
        made = self.visit_node(stmt)
        self._results.pop()
        return made


def _chosen(items: tuple[_T, ...], numbers: list[int]) -> tuple[_T, ...]:
    return tuple(items[number] for number in numbers)
