# SPDX-License-Identifier: Apache-2.0
"""Barriers between ranks: counters in a window that every rank raises at its peers, waits for, and clears again.

A call counts its barriers from 1. At each of them a rank adds 1 to its own cell in the window of every peer and then
waits until the cell of every peer in its own window has reached the number of the barrier. In the end it takes what was
added back out of its own window, and only there, because a peer may still be waiting. Additions commute, so a peer that
has begun the next call in the meantime is not disturbed, and every call starts with cells of 0: a call may stand in a
loop. Waiting for "at least" matters, because a fast peer may have added more before anybody looked.

In the mesh form the signal is a column with a cell per rank, in the ring form it has a row of such cells per round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pypto_build.ir import (
    Call,
    DataType,
    Expr,
    NotifyOp,
    TensorType,
    Var,
    WaitCmp,
    as_int,
    binary,
    const_index,
)
from pypto_build.ir.scalar import cast_to, neg
from pypto_build.ops.arithmetic import ZERO
from pypto_build.ops.build import distributed_system as system
from pypto_passes.composite_body import Body


@dataclass(frozen=True, slots=True)
class World:
    """The ranks that share a signal window, as a rank sees them: who it is, and how many there are."""

    signal: Expr
    rank: Var
    count: Var


def joined(body: Body, signal: Expr) -> World:
    """The ranks behind a signal."""
    context = body.bind("context", system.get_comm_ctx(signal))
    return World(signal, _index(body, "rank", system.rank(context)), _index(body, "ranks", system.nranks(context)))


def _index(body: Body, role: str, number: Call) -> Var:
    return body.bind(role, cast_to(body.bind("number", number), DataType.INDEX))


def check_column(body: Body, signal: Expr) -> None:
    """UserError unless a signal has a cell per rank in one column."""
    shape = signal.type.shape if isinstance(signal.type, TensorType) else ()
    if len(shape) != 2 or as_int(shape[1]) not in (None, 1):
        text = f"the signal shape[1] must be 1: this operation has a cell per rank, but the signal is {signal.type}"
        raise body.error("RANKS001", text, help="use one signal for ring reductions and another one for the rest")


def for_peers(body: Body, world: World, *, role: str = "peer", fill: Callable[[Body, Var], None]) -> None:
    """The same for every rank but this one."""

    def each(inner: Body, peer: Var) -> None:
        inner.when(is_peer(world, peer), lambda branch: fill(branch, peer))

    body.loop(role, world.count, each)


def is_peer(world: World, rank: Expr) -> Expr:
    """Whether a rank is another one."""
    return binary("ne", rank, world.rank)


def barrier(body: Body, world: World, number: Expr, *, row: Expr | None = None) -> None:
    """Nobody goes on before everybody is here; `number` counts the barriers of this call from 1."""

    def notify(inner: Body, peer: Var) -> None:
        inner.do(system.notify(world.signal, peer, _cell(world.rank, row), 1, op=NotifyOp.AtomicAdd))

    def wait(inner: Body, peer: Var) -> None:
        inner.do(system.wait(world.signal, _cell(peer, row), number, cmp=WaitCmp.Ge))

    for_peers(body, world, fill=notify)
    for_peers(body, world, role="source", fill=wait)


def clear(body: Body, world: World, barriers: Expr, *, row: Expr | None = None) -> None:
    """Take what the peers have added in all barriers of this call out of the signal again."""
    count = as_int(barriers)
    taken = neg(body.bind("credits", barriers)) if count is None else const_index(-count)

    def take(inner: Body, peer: Var) -> None:
        inner.do(system.notify(world.signal, world.rank, _cell(peer, row), taken, op=NotifyOp.AtomicAdd))

    for_peers(body, world, fill=take)


def _cell(rank: Expr, row: Expr | None) -> tuple[Expr, Expr]:
    return (rank, ZERO) if row is None else (row, rank)
