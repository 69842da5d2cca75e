# SPDX-License-Identifier: Apache-2.0
"""Data that crosses between the cores in global memory: the reader waits for a message that follows the store.

The cube core stores a tensor and a vector core of the same kernel loads it: nothing orders the two, so the stored tile
is pushed behind the store and popped in front of the load, where its slot is given back unread. The load has to stand
behind the store in the same block or further inside, so that both sides count alike. The other direction has no fence.
Source: the public description of dependencies through global memory.
"""

from __future__ import annotations

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    MemorySpace,
    Rewriter,
    SeqStmts,
    Stmt,
    TileType,
    Var,
    collect,
    rebuilt,
    sequence,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.build.tile.core import tpop_from_aic, tpush_to_aiv
from pypto_build.ops.definition import CoreAffinity
from pypto_passes.tensor_flows import TensorFlows, reused_argument

_STORE, _LOAD = "tile.store", "tile.load"


def with_fences(function: Function, ops: OpRegistry) -> Function:
    """The kernel with its messages; the same object when the vector cores load nothing that the cube core stored."""
    if not any(_is_on(call, _STORE, CoreAffinity.CUBE, ops) for call in collect(function.body, Call)):
        return function
    return _Fencer(TensorFlows(function, ops, reused_argument(ops)), ops).visit(function)


def _is_on(value: Expr, name: str, core: CoreAffinity, ops: OpRegistry) -> bool:
    definition = definition_of(value, ops)
    return definition is not None and definition.name == name and core_affinity(value, ops) is core


class _Fencer(Rewriter):
    """For each store of the cube core it looks at the statements behind it in its block: there are few such stores."""

    def __init__(self, flows: TensorFlows, ops: OpRegistry) -> None:
        super().__init__()
        self._flows = flows
        self._ops = ops

    def visit_seq_stmts(self, seq: SeqStmts) -> Stmt:
        inside = super().visit_seq_stmts(seq)
        stmts = inside.stmts if isinstance(inside, SeqStmts) else (inside,)
        behind: dict[int, list[Stmt]] = {}
        before: dict[int, list[Stmt]] = {}
        for number, stmt in enumerate(stmts):
            tile = self._stored_tile(stmt)
            reader = None if tile is None else self._reader(stmts, number)
            if tile is not None and reader is not None:
                behind[number] = [EvalStmt(tpush_to_aiv(tile, split=0, span=stmt.span), stmt.span)]
                before.setdefault(reader, []).append(_token(tile, stmts[reader]))
        if not behind:
            return inside
        parts = [[*before.get(at, ()), stmt, *behind.get(at, ())] for at, stmt in enumerate(stmts)]
        return sequence([stmt for part in parts for stmt in part], seq.span)

    def _stored_tile(self, stmt: Stmt) -> Expr | None:
        """The tile that a statement stores on the cube core; None for any other statement."""
        value = stmt.value if isinstance(stmt, AssignStmt) else None
        if not isinstance(value, Call) or not _is_on(value, _STORE, CoreAffinity.CUBE, self._ops):
            return None
        return value.args[0]

    def _reader(self, stmts: tuple[Stmt, ...], store: int) -> int | None:
        """The first statement behind a store in which a vector core loads what it stored."""
        made = stmts[store]
        reached = self._flows.reached([made.var]) if isinstance(made, AssignStmt) else set[Var]()
        for number in range(store + 1, len(stmts)):
            loads = (c for c in collect(stmts[number], Call) if _is_on(c, _LOAD, CoreAffinity.VECTOR, self._ops))
            if any(load.args[0] in reached for load in loads):
                return number
        return None


def _token(tile: Expr, reader: Stmt) -> Stmt:
    """The pop of a message that nobody reads."""
    kind, span = tile.type, reader.span
    assert isinstance(kind, TileType)
    var = Var("sync_tile", TileType(kind.shape, kind.dtype, memory_space=MemorySpace.Vec), span)
    return AssignStmt(var, rebuilt(tpop_from_aic(split=0, span=span), {"type": var.type}), span)
