# SPDX-License-Identifier: Apache-2.0
"""Reductions in which every rank reads from every other one: allreduce in mesh mode, and reduce_scatter.

A window is reduced in place, tile by tile. Before a tile is written back there is a barrier, because the others read
the same place. Each rank begins with its own elements and adds those of the others in the order of the ranks, so that
sums of floats may differ between ranks in their last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pypto_build.ir import Call, Expr, ReduceOp, Var, as_int, binary, const_index
from pypto_build.ops.arithmetic import ONE, ZERO, divided_up, plus
from pypto_build.ops.build.tile import elementwise
from pypto_passes.composite_body import Body
from pypto_passes.rank_barriers import World, barrier, check_column, clear, is_peer, joined
from pypto_passes.window_tiles import (
    Region,
    Row,
    as_rectangle,
    as_row,
    is_partial,
    own_tile,
    peer_tile,
    put_back,
    widened,
    window_type,
    zeroed,
)

Combine = Callable[[Expr, Expr], Call]

COMBINATIONS: Final[Mapping[ReduceOp, Combine]] = {
    ReduceOp.Sum: elementwise.add,
    ReduceOp.Max: elementwise.maximum,
    ReduceOp.Min: elementwise.minimum,
    ReduceOp.Prod: elementwise.mul,
}
TWO: Final = const_index(2)


def combination(call: Call) -> Combine:
    """What a reduction does with two tiles."""
    chosen = call.kwargs.get("op", int(ReduceOp.Sum))
    assert isinstance(chosen, int)
    return COMBINATIONS[ReduceOp(chosen)]


def expand_mesh_allreduce(body: Body, call: Call) -> Expr:
    """The reduction of a window over all ranks, on every rank."""
    target, signal = call.args
    check_column(body, signal)
    if is_partial(target):
        region = as_rectangle(body, target)
        _reduce_region(body, joined(body, signal), region, combination(call))
        return target
    row = as_row(body, target)
    _reduce_row(body, joined(body, signal), row, combination(call))
    return target


def expand_reduce_scatter(body: Body, call: Call) -> Expr:
    """The reduction of the row of this rank over all ranks: `target` is [ranks, size]."""
    target, signal = call.args
    check_column(body, signal)
    kind = window_type(target)
    if len(kind.shape) != 2:
        raise body.error("RANKS002", f"reduce_scatter takes a row per rank, but the window is {kind}", help="use 2D")
    world = joined(body, signal)
    row = Row(target, world.rank, kind.shape[1], kind.dtype)
    width, size = row.tile_width, as_int(row.size)
    if size is not None and size <= width:
        _reduce_region(body, world, row.part(ZERO, width=width, valid=row.size), combination(call))
    else:
        _reduce_row(body, world, row, combination(call))
    return target


def _reduce_region(body: Body, world: World, region: Region, combine: Combine) -> None:
    """What fits into one tile: one barrier before it is read, one before it is written."""
    barrier(body, world, ONE)
    total = _total(body, world, region, combine)
    barrier(body, world, TWO)
    put_back(body, total, region)
    clear(body, world, TWO)


def _reduce_row(body: Body, world: World, row: Row, combine: Combine) -> None:
    """A row of any length in pieces: one barrier before the first is read, one before each is written."""
    width = row.tile_width

    def piece(inner: Body, column: Var) -> None:
        left = binary("sub", row.size, column)
        region = row.part(column, width=width, valid=binary("min_", const_index(width), left))
        total = _total(inner, world, region, combine)
        number = binary("add", binary("floordiv", column, width), 2)
        barrier(inner, world, inner.bind("barrier", number))
        put_back(inner, total, region)

    barrier(body, world, ONE)
    body.loop("column", row.size, piece, step=width)
    clear(body, world, plus(ONE, divided_up(row.size, width)))


def _total(body: Body, world: World, region: Region, combine: Combine) -> Var:
    """The combination of a region over all ranks."""

    def with_peer(inner: Body, peer: Var, so_far: Var) -> Expr:
        def more(branch: Body) -> Expr:
            other = zeroed(branch, region, peer_tile(branch, region, peer))
            return branch.bind("total", combine(so_far, other))

        return inner.choose("total", is_peer(world, peer), then=more, otherwise=lambda _: so_far)

    own = widened(body, region, own_tile(body, region))
    return body.fold("total", world.count, own, fill=with_peer)
