# SPDX-License-Identifier: Apache-2.0
"""SkewCrossCorePipeline: in a loop in which two cores take turns, the one that sends first runs some iterations ahead.

An iteration of such a loop sends a tile to the other core and later takes one back. Run one after the other, each core
waits for the other. Sending needs nothing of what comes back, so the loop is split into the half that sends and the
half that takes: some sends come before the loop, each turn of the loop sends for later iterations and takes for earlier
ones, and the last takes come behind it. Messages stay in their order.

A loop that cannot be split becomes an ordinary one, in which at least the order of messages is right: copies of its
body would take several messages in a row and wait for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForKind,
    ForStmt,
    Function,
    Rewriter,
    Stmt,
    Var,
    YieldStmt,
    as_int,
    const_index,
    rebuilt,
    sequence,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.lower_pipeline_loops import KEPT
from pypto_passes.pipeline_copies import (
    Part,
    demoted,
    first_free_group,
    fresh_results,
    moved,
    ordinary_attrs,
    stage_count,
)
from pypto_passes.pipeline_halves import Halves, halves_of, is_cross_core

LEAST_DEPTH = 2  # two messages on their way keep two buffers apart; with one, both halves would wait for one buffer


@dataclass(frozen=True, slots=True)
class SkewCrossCorePipeline(FunctionPass):
    """Let the sending half of a loop between cores run ahead; other such loops become ordinary ones."""

    name: ClassVar[str] = "SkewCrossCorePipeline"
    requires: ClassVar[frozenset[IRProperty]] = KEPT
    produces: ClassVar[frozenset[IRProperty]] = KEPT
    after: ClassVar[tuple[str, ...]] = ("NormalizeReturnOrder",)
    before: ClassVar[tuple[str, ...]] = ("LowerPipelineToSlots", "LowerPipelineLoops", "InitMemRef")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with such loops skewed or made ordinary; the same object when it has none."""
        del callees
        return _Skewing(context, first_free_group(function)).visit(function)


class _Skewing(Rewriter):
    def __init__(self, context: PassContext, groups: int) -> None:
        super().__init__()
        self.ops = context.ops
        self.groups = groups

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | tuple[Stmt, ...]:
        inner: ForStmt = self.visit_node(stmt)
        stages = stage_count(inner)
        if stages is None or not is_cross_core(inner.body, self.ops):
            return inner
        halves, bounds = halves_of(inner, self.ops), _bounds(inner)
        if halves is None or bounds is None or bounds.trips < LEAST_DEPTH:
            return demoted(inner)
        group, self.groups = self.groups, self.groups + 1
        return _Skewed(inner, halves, bounds, depth=_depth(stages, bounds.trips), group=group).stmts()


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Constant bounds of a loop: value number n is `start + n * step`."""

    start: int
    step: int
    trips: int

    def value(self, number: int) -> int:
        return self.start + number * self.step


def _bounds(stmt: ForStmt) -> _Bounds | None:
    start, step, trips = as_int(stmt.start), as_int(stmt.step), constant_trip_count(stmt)
    return None if start is None or step is None or trips is None else _Bounds(start, step, trips)


def _depth(stages: int, trips: int) -> int:
    """How many iterations the sending half is ahead: as many as are asked for and divide the trips."""
    asked = max(LEAST_DEPTH, stages - 1)
    return next(depth for depth in range(asked, 0, -1) if depth == 1 or (trips % depth == 0 and trips >= 2 * depth))


@dataclass(frozen=True, slots=True)
class _Skewed:
    """A loop on its way into prologue, steady loop and epilogue."""

    stmt: ForStmt
    halves: Halves
    bounds: _Bounds
    depth: int
    group: int

    def stmts(self) -> tuple[Stmt, ...]:
        """What takes the place of the loop."""
        stmt, bounds = self.stmt, self.bounds
        results = fresh_results(stmt.return_vars, "steady")
        prologue = self._sends(self._constant)
        takes, values = self._takes(lambda number: self._constant(bounds.trips - self.depth + number), results)
        bound = [AssignStmt(var, value, stmt.span) for var, value in zip(stmt.return_vars, values, strict=True)]
        return (*prologue, self._steady(results), *takes, *bound)

    def _steady(self, results: tuple[Var, ...]) -> ForStmt:
        stmt, step = self.stmt, self.bounds.step
        sends = self._sends(lambda number: moved(stmt.loop_var, number * step))
        takes, values = self._takes(lambda number: moved(stmt.loop_var, (number - self.depth) * step), stmt.iter_args)
        given = [YieldStmt(tuple(values), stmt.span)] if stmt.iter_args else []
        changes = {
            "start": self._constant(self.depth),
            "stop": self._constant(self.bounds.trips),
            "step": const_index(self.depth * step, stmt.step.span),
            "body": sequence([*sends, *takes, *given], stmt.body.span),
            "return_vars": results,
            "kind": ForKind.Sequential,
            "attrs": ordinary_attrs(stmt),
        }
        return rebuilt(stmt, changes)

    def _sends(self, position: Callable[[int], Expr]) -> list[Stmt]:
        """The sending half of `depth` iterations."""
        made, _ = Part(self.stmt, self.halves.sending).copies(self._each(position), self.stmt.iter_args, self.group)
        return made

    def _takes(self, position: Callable[[int], Expr], values: Sequence[Expr]) -> tuple[list[Stmt], Sequence[Expr]]:
        """The taking half of `depth` iterations, each entered with what the one before yields."""
        taking = Part(self.stmt, self.halves.taking, self.halves.yielded)
        return taking.copies(self._each(position), values, self.group)

    def _each(self, position: Callable[[int], Expr]) -> Iterable[Expr]:
        return map(position, range(self.depth))

    def _constant(self, number: int) -> Expr:
        return const_index(self.bounds.value(number), self.stmt.span)
