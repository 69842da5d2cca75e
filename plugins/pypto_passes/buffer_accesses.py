# SPDX-License-Identifier: Apache-2.0
"""When the operations of a kernel read and write whole buffers, and on which pipe of the core.

An operation of which this is not known makes the buffers that it touches unknown. A view or an allocation touches
nothing. Reading or writing a part of a buffer is known, but counts neither as an access nor as a first write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pypto_build.analysis.execution_pipes import execution_pipe
from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MakeTuple,
    PipeType,
    ScopeStmt,
    Stmt,
    TileType,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    as_int,
    statements,
)
from pypto_build.ops.definition import AccessEvidence
from pypto_build.ops.proof import same_dimensions
from pypto_build.passes import PassContext
from pypto_passes.buffers import Buffer


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: its number in program order, the loops around it, the branches that lead to it."""

    number: int
    loops: tuple[Stmt, ...] = ()
    branches: tuple[tuple[Stmt, bool], ...] = ()

    def excludes(self, other: Place) -> bool:
        """Whether the two stand in different branches of one `if`."""
        mine = dict(self.branches)
        return any(mine.get(stmt, taken) is not taken for stmt, taken in other.branches)

    def shares_loop(self, other: Place) -> bool:
        """Whether one loop is around both."""
        return bool(self.loops and other.loops) and self.loops[0] is other.loops[0]


@dataclass(frozen=True, slots=True)
class Access:
    """A pipe reads or writes all of a buffer."""

    pipe: PipeType
    writes: bool
    place: Place


@dataclass(slots=True)
class History:
    """What happens to a buffer, in program order; `first_write` is None where the first access is no write of all."""

    accesses: list[Access] = field(default_factory=list)
    first_write: Access | None = None
    touched: bool = False
    unknown: bool = False

    def add(self, access: Access | None, *, writes: bool) -> None:
        """One access; None for one of a part."""
        if access is not None:
            self.accesses.append(access)
            if not self.touched and writes:
                self.first_write = access
        self.touched = True


def buffer_histories(function: Function, buffers: Iterable[Buffer], context: PassContext) -> Mapping[Var, History]:
    """What happens to each buffer, by its base."""
    walk = _Walk({buffer.base: buffer for buffer in buffers}, context)
    walk.body(function.body, Place(0))
    return walk.histories


class _Walk:
    def __init__(self, buffers: Mapping[Var, Buffer], context: PassContext) -> None:
        self.buffers = buffers
        self.context = context
        self.histories = {base: History() for base in buffers}
        self.number = 0

    def body(self, body: Stmt | None, around: Place) -> None:
        for stmt in statements(body):
            self.number += 1
            place = Place(self.number, around.loops, around.branches)
            if isinstance(stmt, AssignStmt):
                self._assign(stmt, place)
            elif isinstance(stmt, EvalStmt):
                self._value(stmt.expr, (), place)
            elif isinstance(stmt, IfStmt):
                for taken, branch in ((True, stmt.then_body), (False, stmt.else_body)):
                    self.body(branch, Place(0, around.loops, (*around.branches, (stmt, taken))))
            elif isinstance(stmt, ForStmt | WhileStmt):
                self.body(stmt.body, Place(0, (*around.loops, stmt), around.branches))
            elif isinstance(stmt, ScopeStmt):
                self.body(stmt.body, around)

    def _assign(self, stmt: AssignStmt, place: Place) -> None:
        if isinstance(stmt.value, TupleGetItemExpr):
            self._forget((stmt.var,))  # which result of an operation is written how is not known
        else:
            self._value(stmt.value, (stmt.var,), place)

    def _value(self, value: Expr, results: tuple[Var, ...], place: Place) -> None:
        definition = definition_of(value, self.context.ops)
        if not isinstance(value, Call) or (definition and definition.access is AccessEvidence.NO_ACCESS):
            return
        reads = _read_tiles(value, functional=bool(definition and definition.access is AccessEvidence.FUNCTIONAL))
        pipe = execution_pipe(value, self.context.ops, self.context.hardware.moves)
        if reads is None or pipe is None:
            self._forget((*value.args, *results))
            return
        for tile in reads:
            self._touch(tile, Access(pipe, False, place))
        for tile in results:
            self._touch(tile, Access(pipe, True, place))

    def _touch(self, tile: Expr, access: Access) -> None:
        kind = tile.type
        ref = kind.memref if isinstance(kind, TileType) else None
        buffer = self.buffers.get(ref.base) if ref is not None else None
        if ref is not None and buffer is not None:
            whole = (as_int(ref.byte_offset), ref.size) == (buffer.origin, buffer.size)
            self.histories[buffer.base].add(access if whole else None, writes=access.writes)

    def _forget(self, tiles: Iterable[Expr]) -> None:
        for tile in tiles:
            ref = tile.type.memref if isinstance(tile.type, TileType) else None
            if ref is not None and ref.base in self.histories:
                self.histories[ref.base].unknown = True


def _read_tiles(call: Call, *, functional: bool) -> tuple[Expr, ...] | None:
    """The arguments that a call reads as a whole; None where that is not known."""
    if call.op.name == "tile.store":
        return call.args[:1]
    if call.op.name == "tile.assemble":
        return call.args[1:2] if _covers_target(call) else None
    return call.args if functional else None


def _covers_target(call: Call) -> bool:
    target, source, offset = (arg.type if index < 2 else arg for index, arg in enumerate(call.args[:3]))
    if not isinstance(target, TileType) or not isinstance(source, TileType) or not isinstance(offset, MakeTuple):
        return False
    return same_dimensions(target.shape, source.shape) and all(as_int(part) == 0 for part in offset.elements)
