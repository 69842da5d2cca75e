# SPDX-License-Identifier: Apache-2.0
"""Copies of the body of a pipeline loop, one per stage: own variables, and tiles that say which stage they are in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pypto_build.analysis.pipeline_membership import (
    LOOP_ATTRS,
    STAGES,
    is_accumulation,
    membership,
    with_membership,
)
from pypto_build.ir import (
    Add,
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    FrozenMap,
    Function,
    Rewriter,
    Stmt,
    Sub,
    TileType,
    Var,
    YieldStmt,
    clone_fresh,
    collect,
    const_index,
    rebuilt,
    sequence,
    statements,
)
from pypto_passes.ssa_needs import TRANSPARENT


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of one pipeline. `accumulators` says whether tiles of the accumulator are kept apart by stage too."""

    group: int
    number: int
    accumulators: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Statements of a loop's body that are copied together, and what they hand to the next copy."""

    loop: ForStmt
    stmts: tuple[Stmt, ...]
    yielded: tuple[Expr, ...] = ()

    def copies(
        self, positions: Iterable[Expr], values: Sequence[Expr], group: int, *, accumulators: bool = False
    ) -> tuple[list[Stmt], Sequence[Expr]]:
        """One copy per value of the loop variable, each a stage of the group; the values that the last one yields.

        The first is entered with `values`, each other one with what the one before yields.
        """
        made: list[Stmt] = []
        for number, position in enumerate(positions):
            mapping: dict[Var, Expr] = {self.loop.loop_var: position}
            mapping.update(zip(self.loop.iter_args, values, strict=True))
            body, renamed = clone_fresh(sequence(self.stmts), mapping)
            made.extend(statements(_Tagger(Stage(group, number, accumulators)).visit(body)))
            values = [Rewriter(renamed).visit(value) for value in self.yielded] or values
        return made, values


def stage_count(stmt: ForStmt) -> int | None:
    """How many stages a loop is to have; None for a loop that is no pipeline, or one of a single stage."""
    stages = stmt.attrs.get(STAGES)
    return stages if stmt.kind is ForKind.Pipeline and isinstance(stages, int) and stages > 1 else None


class _Tagger(Rewriter):
    """Marks every call that makes a tile as a member of one stage.

    Accumulators of the cube are left out unless they are to be double-buffered: the cube finishes one before it begins
    the next, so stages never hold two of them at once.
    """

    REWRITES_TYPES = False

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        call = stmt.value
        if not isinstance(call, Call) or not isinstance(call.type, TileType):
            return stmt
        if is_accumulation(call) and not self.stage.accumulators:
            return stmt
        pair = (self.stage.group, self.stage.number)
        return rebuilt(stmt, {"value": with_membership(call, (*membership(call.attrs), pair))})


def first_free_group(function: Function) -> int:
    """The number of the next group: above all that earlier passes gave to tiles of the function."""
    used = (group for call in collect(function, Call) for group, _ in membership(call.attrs))
    return max(used, default=-1) + 1


def demoted(stmt: ForStmt) -> ForStmt:
    """The loop as an ordinary one."""
    return rebuilt(stmt, {"kind": ForKind.Sequential, "attrs": ordinary_attrs(stmt)})


def ordinary_attrs(stmt: ForStmt) -> FrozenMap:
    """The attributes of a loop without those of a pipeline."""
    return FrozenMap({key: value for key, value in stmt.attrs.items() if key not in LOOP_ATTRS})


def moved(base: Expr, distance: int) -> Expr:
    """The value of a loop variable some way off."""
    if distance == 0:
        return base
    if isinstance(base, ConstInt):
        return const_index(base.value + distance, base.span)
    operator = Add if distance > 0 else Sub
    return operator(base, const_index(abs(distance)), DataType.INDEX, base.span)


def fresh_results(variables: tuple[Var, ...], suffix: str) -> tuple[Var, ...]:
    """Variables for the results of a part of a loop."""
    return tuple(Var(f"{var.name_hint}_{suffix}", var.type, var.span) for var in variables)


def split_yield(body: Stmt) -> tuple[Stmt, tuple[Expr, ...]]:
    """A body without its trailing yield, and what that yields; a transparent scope around it is looked through."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        return sequence(stmts[:-1], body.span), last.value
    if isinstance(last, TRANSPARENT):
        inner, yielded = split_yield(last.body)
        if yielded:
            return sequence((*stmts[:-1], rebuilt(last, {"body": inner})), body.span), yielded
    return body, ()
