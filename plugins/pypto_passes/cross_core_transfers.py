# SPDX-License-Identifier: Apache-2.0
"""Tiles that cross between the cube core and the vector cores become a push on one side and a pop on the other.

Three operations cross: a `tile.move` between memories of both cores, `tile.aiv_shard` to the vector cores and
`tile.aic_gather` from them. What is pushed to the cube core lands in its matrix memory, which holds boxes; where the
pipe does not go through global memory the vector core has to push boxes already. Source: the public description of
ExpandMixedKernel.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.analysis.core_affinity import memory_core
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    MemorySpace,
    Rewriter,
    Stmt,
    TileLayout,
    TileType,
    Var,
    rebuilt,
)
from pypto_build.ops.build.tile.core import tpop_from_aic, tpop_from_aiv, tpush_to_aic, tpush_to_aiv
from pypto_build.ops.build.tile.memory import move
from pypto_build.ops.definition import CoreAffinity
from pypto_passes.transport_splits import gather_split, shard_split

_BOXES = (TileLayout.col_major, TileLayout.row_major)
_PUSH = "tile.tpush_to_aic"


@dataclass(frozen=True, slots=True)
class Transfer:
    """A tile that crosses: what it is on the core it leaves, and how the lanes of the vector cores divide it."""

    source: Expr
    target: Var
    to: CoreAffinity
    split: int = 0
    lane_stride: int | None = None

    def statements(self, stmt: AssignStmt) -> tuple[Stmt, ...]:
        """The push and the pop that take the place of a statement."""
        return self._to_vector(stmt) if self.to is CoreAffinity.VECTOR else self._to_cube(stmt)

    def _to_vector(self, stmt: AssignStmt) -> tuple[Stmt, ...]:
        span, target = stmt.span, self.target
        push = tpush_to_aiv(self.source, split=self.split, lane_stride=self.lane_stride, span=span)
        pop = tpop_from_aic(split=self.split, lane_stride=self.lane_stride, span=span)
        return EvalStmt(push, span), rebuilt(stmt, {"value": rebuilt(pop, {"type": target.type})})

    def _to_cube(self, stmt: AssignStmt) -> tuple[Stmt, ...]:
        span, target, kind = stmt.span, self.target, _tile(self.target)
        push = EvalStmt(tpush_to_aic(self.source, split=self.split, span=span), span)
        pop = tpop_from_aiv(split=self.split, span=span)
        if kind.memory_space is MemorySpace.Mat:
            return push, rebuilt(stmt, {"value": rebuilt(pop, {"type": kind})})
        landed = Var(f"{target.name_hint}_mat", _in_boxes(kind, MemorySpace.Mat), span)
        view = kind.effective_tile_view()
        onward = move(landed, kind.memory_space or MemorySpace.Mat, view.blayout, view.slayout, span=span)
        first = AssignStmt(landed, rebuilt(pop, {"type": landed.type}), span)
        return push, first, rebuilt(stmt, {"value": onward})


def transfer_of(stmt: AssignStmt) -> Transfer | None:
    """The transfer that an assignment is; None for one that stays on its core.

    Raises:
        UserError: the vector lanes would get parts that no transport can express.
    """
    call = stmt.value
    if not isinstance(call, Call) or not isinstance(stmt.var.type, TileType):
        return None
    match call.op.name:
        case "tile.move":
            source, target = memory_core(_tile(call.args[0]).memory_space), memory_core(stmt.var.type.memory_space)
            crosses = source is not None and target is not None and source is not target
            return Transfer(call.args[0], stmt.var, target) if crosses and target is not None else None
        case "tile.aiv_shard":
            split, stride = shard_split(call)
            return Transfer(call.args[0], stmt.var, CoreAffinity.VECTOR, split, stride)
        case "tile.aic_gather":
            return Transfer(call.args[0], stmt.var, CoreAffinity.CUBE, gather_split(call, stmt.var.type))
        case _:
            return None


class TransferExpander(Rewriter):
    """Every transfer of a body as a push and a pop."""

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        transfer = transfer_of(stmt)
        return stmt if transfer is None else transfer.statements(stmt)


class PushBoxer(Rewriter):
    """What a vector core pushes to the cube core is moved into boxes first; what lies in them already is left alone."""

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        call = stmt.expr
        if not isinstance(call, Call) or call.op.name != _PUSH:
            return stmt
        tile = call.args[0]
        view = _tile(tile).effective_tile_view()
        if (view.blayout, view.slayout) == _BOXES:
            return stmt
        boxed = move(tile, MemorySpace.Vec, *_BOXES, span=stmt.span)
        hint = f"{tile.name_hint}_nz" if isinstance(tile, Var) else "pushed_nz"
        var = Var(hint, boxed.type, stmt.span)
        return AssignStmt(var, boxed, stmt.span), rebuilt(stmt, {"expr": rebuilt(call, {"args": (var,)})})


def _in_boxes(kind: TileType, space: MemorySpace) -> TileType:
    blayout, slayout = _BOXES
    view = kind.effective_tile_view().replace(blayout=blayout, slayout=slayout, fractal=512)
    return kind.replace(memory_space=space, tile_view=view, memref=None)


def _tile(value: Expr) -> TileType:
    kind = value.type
    assert isinstance(kind, TileType)
    return kind
