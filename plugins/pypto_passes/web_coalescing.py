# SPDX-License-Identifier: Apache-2.0
"""Joins the webs of carries and merges with those of the values that they take, and says where a copy is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from pypto_build.analysis.lifetimes import Block
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import branches, nested_statements
from pypto_build.errors import InternalError
from pypto_build.ir import (
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    MemorySpace,
    Stmt,
    Var,
    WhileStmt,
)
from pypto_passes.buffer_webs import Web, crosses
from pypto_passes.parallel_copies import CopyPlan, TileCopy
from pypto_passes.tile_webs import TileWebs

_Place = TypeVar("_Place")
COPYABLE = frozenset({MemorySpace.Vec})
"""The spaces in which a tile can be moved within the space; the units of the cube cannot."""


def coalesced(function: Function, webs: TileWebs) -> CopyPlan:
    """Join along carries and merges, outer ones first; the copies that are still needed.

    Raises:
        InternalError: a copy is needed in a space that has none.
    """
    coalescing = _Coalescing(webs)
    for stmt in compounds(function.body):
        if isinstance(stmt, IfStmt):
            coalescing.merge(stmt)
        else:
            coalescing.carry(stmt)
    return coalescing.needed_copies()


def compounds(body: Stmt | None) -> Iterator[IfStmt | ForStmt | WhileStmt]:
    """All loops and branches, outer ones first."""
    return (stmt for stmt in nested_statements(body) if isinstance(stmt, IfStmt | ForStmt | WhileStmt))


class _Coalescing:
    """Joins, and notes in the plan where that fails."""

    def __init__(self, webs: TileWebs) -> None:
        self._webs = webs
        self.plan = CopyPlan()

    def needed_copies(self) -> CopyPlan:
        """The plan, without copies whose webs came together by another way afterwards."""
        return CopyPlan(self._needed(self.plan.at_entry), self._needed(self.plan.at_end))

    def _needed(self, planned: Mapping[_Place, list[TileCopy]]) -> dict[_Place, list[TileCopy]]:
        found = {place: [copy for copy in copies if not self._is_there(copy)] for place, copies in planned.items()}
        return {place: copies for place, copies in found.items() if copies}

    def _is_there(self, copy: TileCopy) -> bool:
        return self._webs.web(copy.value) is copy.target.found() and self._webs.is_whole(copy.value)

    def carry(self, stmt: ForStmt | WhileStmt) -> None:
        """Join the carries of a loop with their initial values, and with what the body yields."""
        body = self._webs.lifetimes.blocks[stmt][0]
        carries = list(enumerate(zip(stmt.iter_args, yielded_values(stmt.body), strict=False)))
        for index, (arg, value) in carries:
            if self._survives(arg, value, body.end) or not self._connect(arg, arg.init_value, None):
                self.plan.at_entry.setdefault(stmt, []).append(self._copy(index, arg.init_value, arg))
        for index, (arg, value) in carries:
            if not self._connect(arg, value, body):
                self.plan.at_end.setdefault((stmt, 0), []).append(self._copy(index, value, arg))
                web = self._webs.web(arg)
                if web is not None:
                    web.add(self._webs.content(value), [(body.end, body.end)])  # the copy is written here

    def _survives(self, arg: IterArg, value: Expr, end: int) -> bool:
        """Whether the initial value is still needed when the carry takes its next value."""
        web = self._webs.web(arg.init_value)
        if web is None or web is self._webs.web(value):
            return False
        changes = self._webs.content(arg) is not self._webs.content(arg.init_value)
        return changes and crosses(web.intervals, (end, end))

    def merge(self, stmt: IfStmt) -> None:
        blocks = self._webs.lifetimes.blocks[stmt]
        for index, var in enumerate(stmt.return_vars):
            for number, body in enumerate(branches(stmt)):
                value = yielded_values(body)[index]
                if not self._connect(var, value, blocks[number]):
                    self.plan.at_end.setdefault((stmt, number), []).append(self._copy(index, value, var))

    def _connect(self, var: Var, value: Expr, block: Block | None) -> bool:
        """Whether a value is, from now on, where the variable is that takes it."""
        target, source = self._webs.web(var), self._webs.web(value)
        if target is None:
            return True  # nobody's buffer: a tensor, or a tile in the slot of a pipe
        if source is None:
            return False
        if source is target:
            return self._webs.is_whole(value)
        if not self._webs.is_whole(value) or not target.may_join(source):
            return False
        if target.overlaps(source):
            return False
        if self._webs.content(var) is not self._webs.content(value) and block is not None:
            taken = target.place is not None and target.space in COPYABLE
            if taken and not source.is_inside(block):
                return False
        target.join(source)
        return True

    def _copy(self, index: int, value: Expr, var: Var) -> TileCopy:
        source, target = self._webs.web(value), self._webs.web(var)
        if target is None:
            raise InternalError(f"'{var.name_hint}' has no buffer to copy into", var.span)
        if target.space not in COPYABLE and value not in self._webs.created:
            raise InternalError(_irreconcilable(var, target), var.span)
        return TileCopy(index, value, source, target)


def _irreconcilable(var: Var, web: Web) -> str:
    what = "L0C accumulator" if web.space is MemorySpace.Acc else web.space.name
    return (
        f"cannot reconcile divergent {what} buffers: '{var.name_hint}' takes values that are alive at the same time, "
        f"and {web.space.name} has no moves within itself"
    )
