# SPDX-License-Identifier: Apache-2.0
"""Allreduce in ring mode: every rank reads from its left neighbour only, a segment per round.

The row of elements is divided into a segment per rank. In each of ranks - 1 rounds of the first phase, rank r combines
segment r - 1 - round of its neighbour with its own, so that in the end it has all of segment r + 1. In as many rounds
of the second phase it copies segment r - round of its neighbour, which is complete there. A round has a row of cells in
the signal, and two barriers per tile: one before the neighbour is read, one before the own window is written.

Segments are as even as possible: segment i begins at floor(i * size / ranks). Elements of two bytes are moved 16 at a
time, so for them it begins at the next multiple of 16. Segments may be empty, and the last tile of a segment shorter.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.ir import Call, DataType, Expr, TensorType, Var, as_int, binary, const_index
from pypto_build.ops.arithmetic import ONE, ZERO, divided_up, plus, scaled, smaller, times
from pypto_passes.composite_body import Body
from pypto_passes.mesh_reductions import Combine, combination, expand_mesh_allreduce
from pypto_passes.rank_barriers import World, barrier, clear, joined
from pypto_passes.window_tiles import (
    Row,
    as_row,
    divided,
    is_partial,
    own_tile,
    peer_tile,
    put_back,
    tile_width,
    unit,
    widened,
    zeroed,
)


@dataclass(frozen=True, slots=True)
class _Ring:
    """The ranks, the row that they share, and how it is divided."""

    world: World
    row: Row
    ranks: Expr
    left: Var

    @property
    def rounds(self) -> Expr:
        """The rounds of a phase."""
        return plus(self.ranks, const_index(-1))

    @property
    def granule(self) -> int:
        """The elements that segments begin at multiples of."""
        return unit(self.row.dtype) if self.row.dtype is DataType.FP16 else 1

    @property
    def longest(self) -> Expr:
        """No segment has more elements."""
        even = divided(plus(self.row.size, self.rounds), self.ranks)
        return smaller(self.row.size, plus(even, const_index(self.granule - 1)))

    def inside(self, column: Expr) -> Expr:
        """A column; with the proof that it is not behind the last one, where writes into a part are checked."""
        return binary("min_", column, self.row.size) if is_partial(self.row.window) else column

    def begin(self, segment: Expr) -> Expr:
        """Where a segment begins; the segment behind the last one begins at the end of the row."""
        at = divided(times(segment, self.row.size), self.ranks)
        if self.granule == 1:
            return at
        return binary("min_", scaled(divided_up(at, self.granule), self.granule), self.row.size)


@dataclass(frozen=True, slots=True)
class _Phase:
    """One way around: its name, how far behind this rank its first segment is, the first row of the signal."""

    name: str
    behind: int
    first_row: Expr
    combine: Combine | None


def expand_allreduce(body: Body, call: Call) -> Expr:
    """The reduction of a window over all ranks, on every rank, in the mode that the call asks for.

    Raises:
        UserError: no signal, or several cores, which only a host orchestrator gives to it.
    """
    if len(call.args) < 2:
        text = "pld.tensor.allreduce requires an explicit signal outside host orchestrator functions"
        raise body.error("RANKS004", text, help="pass a window of INT32 counters as its second argument")
    if call.kwargs.get("core_num", 1) != 1:
        text = "core_num of pld.tensor.allreduce is supported only in a HOST orchestrator"
        raise body.error("RANKS005", text, help="launch the kernel on several cores with pl.spmd instead")
    ring = call.kwargs.get("mode", "mesh") == "ring"
    return _expand_ring(body, call) if ring else expand_mesh_allreduce(body, call)


def _expand_ring(body: Body, call: Call) -> Expr:
    target, signal = call.args
    ranks = _ranks(body, signal)
    row = as_row(body, target)
    world = joined(body, signal)
    left = body.bind("left", binary("mod", binary("add", world.rank, plus(ranks, const_index(-1))), ranks))
    ring = _Ring(world, row, ranks, left)
    width = tile_width(row.dtype, ring.longest)
    for phase in (_Phase("rs", 1, ZERO, combination(call)), _Phase("ag", 0, ring.rounds, None)):
        _go_around(body, ring, phase, width)
    barriers = scaled(divided_up(ring.longest, width), 2)
    body.loop("row", scaled(ring.rounds, 2), lambda inner, number: clear(inner, world, barriers, row=number))
    return target


def _ranks(body: Body, signal: Expr) -> Expr:
    shape = signal.type.shape if isinstance(signal.type, TensorType) else ()
    rows, ranks = (as_int(shape[0]), as_int(shape[1])) if len(shape) == 2 else (-1, -1)
    if len(shape) != 2 or (rows is not None and ranks is not None and rows != 2 * (ranks - 1)):
        text = f"a ring reduction needs a signal of shape [2 * (ranks - 1), ranks], but it is {signal.type}"
        raise body.error("RANKS003", text, help="allocate a row of counters for every round of the ring")
    return shape[1]


def _go_around(body: Body, ring: _Ring, phase: _Phase, width: int) -> None:
    def one_round(inner: Body, number: Var) -> None:
        ahead = binary("sub", plus(ring.world.rank, plus(ring.ranks, const_index(-phase.behind))), number)
        segment = inner.bind("segment", binary("mod", ahead, ring.ranks))
        begin = inner.bind("begin", ring.begin(segment))
        length = inner.bind("length", binary("sub", ring.begin(plus(segment, ONE)), begin))
        row = number if phase.first_row is ZERO else inner.bind("row", plus(phase.first_row, number))

        def one_tile(tile: Body, column: Var) -> None:
            _take(tile, ring, phase, _Step(row, begin, length, column, width))

        inner.loop(f"{phase.name}_col", ring.longest, one_tile, step=width)

    body.loop(f"{phase.name}_round", ring.rounds, one_round)


@dataclass(frozen=True, slots=True)
class _Step:
    """One tile of one round: the row of the signal, where its segment lies, and where in the segment it begins."""

    row: Expr
    begin: Expr
    length: Expr
    column: Expr
    width: int


def _take(body: Body, ring: _Ring, phase: _Phase, step: _Step) -> None:
    """Read a tile from the neighbour and put what comes out into the own window, where the segment reaches that far."""
    active = binary("lt", step.column, step.length)
    left = binary("min_", const_index(step.width), binary("sub", step.length, step.column))
    valid = body.bind("valid", binary("max_", left, 1))  # a tile that is not wanted still has something in it
    wanted = ring.row.part(ring.inside(plus(step.begin, step.column)), width=step.width, valid=valid)
    unwanted = ring.row.part(ZERO, width=step.width, valid=valid)
    first = body.bind("barrier", binary("add", binary("mul", binary("floordiv", step.column, step.width), 2), 1))

    def taken(branch: Body) -> Expr:
        if phase.combine is None:
            return widened(branch, wanted, peer_tile(branch, wanted, ring.left))
        own = widened(branch, wanted, own_tile(branch, wanted))
        other = zeroed(branch, wanted, peer_tile(branch, wanted, ring.left))
        return branch.bind("total", phase.combine(own, other))

    def idle(branch: Body) -> Expr:
        return widened(branch, unwanted, own_tile(branch, unwanted))

    barrier(body, ring.world, first, row=step.row)
    made = body.choose("taken", active, then=taken, otherwise=idle)
    barrier(body, ring.world, body.bind("barrier", binary("add", first, 1)), row=step.row)
    body.when(active, lambda branch: put_back(branch, made, wanted))
