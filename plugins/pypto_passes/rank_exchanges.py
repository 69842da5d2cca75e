# SPDX-License-Identifier: Apache-2.0
"""Collective operations that only move data: barrier, broadcast, allgather, all_to_all and all_to_all_v.

Data goes through a staging tile straight into the windows of the peers, or from them. There is one barrier: behind the
writes, so that a rank returns when all that it gets has arrived; before the reads of broadcast, so that the root has
written. A rank that writes into its window right after a broadcast may be ahead of a peer that still reads.
"""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.ir import Call, DataType, Expr, NotifyOp, TensorType, Var, as_int, binary, const_index
from pypto_build.ir.scalar import cast_to
from pypto_build.ops.arithmetic import ONE, ZERO
from pypto_build.ops.build import distributed_system as system
from pypto_build.ops.build import distributed_tile, tensor
from pypto_build.ops.build.tile import memory
from pypto_passes.composite_body import Body
from pypto_passes.rank_barriers import World, barrier, check_column, clear, joined
from pypto_passes.window_tiles import TILE_BYTES, divided, window_type


def expand_barrier(body: Body, call: Call) -> Expr:
    """Wait until all ranks are here."""
    (signal,) = call.args
    check_column(body, signal)
    _meet(body, joined(body, signal))
    return signal


def expand_broadcast(body: Body, call: Call) -> Expr:
    """The window of the root, on every rank."""
    target, signal = call.args
    check_column(body, signal)
    _meet(body, joined(body, signal))
    root = call.kwargs.get("root", 0)
    assert isinstance(root, int)
    stage = _stage(body, target)
    body.do(distributed_tile.get(target, root, target, stage))
    return target


def expand_allgather(body: Body, call: Call) -> Expr:
    """One row from every rank, on every rank: `target` is [ranks, size]."""
    source, target, signal = call.args
    return _push_rows(body, (source, target, signal), from_row=lambda _: ZERO)


def expand_all_to_all(body: Body, call: Call) -> Expr:
    """Row i of every rank to rank i: `input` and `target` are [ranks, size]."""
    source, target, signal = call.args
    return _push_rows(body, (source, target, signal), from_row=lambda peer: peer)


def expand_all_to_all_v(body: Body, call: Call) -> Expr:
    """Some rows of every rank to every rank, and how many they are.

    `input` and `target` are [ranks * most, size], with room for `most` rows per rank. `send_counts` says how many go to
    a rank; more than there is room for are not sent. How many came from a rank is in `recv_counts`.
    """
    source, target, signal, send_counts, recv_counts = call.args
    check_column(body, signal)
    world = joined(body, signal)
    most = divided(window_type(target).shape[0], window_type(signal).shape[0])
    stage = _stage(body, target)
    size = window_type(target).shape[1]

    def to_peer(inner: Body, peer: Var) -> None:
        rows = _count(inner, send_counts, peer, most)

        def one_row(row_body: Body, row: Var) -> None:
            to, of = (binary("add", binary("mul", rank, most), row) for rank in (world.rank, peer))
            row_body.do(distributed_tile.put(target, peer, source, stage, None, (to, ZERO), (of, ZERO), (ONE, size)))

        inner.loop("row", rows, one_row)
        inner.do(system.notify(recv_counts, peer, (world.rank, ZERO), rows, op=NotifyOp.Set))

    body.loop("peer", world.count, to_peer)
    _meet(body, world)
    return target


def _count(body: Body, counts: Expr, peer: Var, most: Expr) -> Var:
    rank = len(counts.type.shape) if isinstance(counts.type, TensorType) else 1
    number = body.bind("count", tensor.read(counts, (peer, ZERO)[:rank]))
    fitting = body.bind("fitting", binary("min_", cast_to(number, DataType.INDEX), most))
    return body.bind("rows", binary("max_", fitting, 0))


def _push_rows(body: Body, operands: tuple[Expr, Expr, Expr], *, from_row: Callable[[Var], Expr]) -> Expr:
    """A row of this rank's tensor into row `rank` of the window of every rank, its own included."""
    source, target, signal = operands
    check_column(body, signal)
    shape = window_type(target).shape
    if len(shape) != 2:
        text = f"the target has a row per rank, but it is {target.type}"
        raise body.error("RANKS002", text, help="use a window of two dimensions")
    world = joined(body, signal)
    stage = _stage(body, target)

    def to_peer(inner: Body, peer: Var) -> None:
        to, of = (world.rank, ZERO), (from_row(peer), ZERO)
        inner.do(distributed_tile.put(target, peer, source, stage, None, to, of, (ONE, shape[1])))

    body.loop("peer", world.count, to_peer)
    _meet(body, world)
    return target


def _meet(body: Body, world: World) -> None:
    barrier(body, world, ONE)
    clear(body, world, ONE)


def _stage(body: Body, window: Expr) -> Var:
    """A tile of one row that data passes through; what is longer passes in pieces."""
    kind = window_type(window)
    most = TILE_BYTES * 8 // kind.dtype.get_bit()
    size = as_int(kind.shape[-1])
    width = most if size is None else min(most, size)
    return body.bind("stage", memory.create((ONE, const_index(width)), kind.dtype))
