# SPDX-License-Identifier: Apache-2.0
"""Builders of counters that ranks raise and wait for, and of who this rank is."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr, NotifyOp, WaitCmp
from pypto_build.ops.build.normal import Indices, Number, call
from pypto_build.ops.build.normal import index as as_index
from pypto_build.ops.build.normal import indices as extents

__all__ = [
    "defer_wait",
    "get_comm_ctx",
    "notify",
    "nranks",
    "rank",
    "wait",
    "world_size",
]


def world_size(*, span: Span = UNKNOWN_SPAN) -> Call:
    """How many devices take part."""
    return call("pld.system.world_size", (), None, span)


def get_comm_ctx(dist_tensor: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The ranks that share a window."""
    return call("pld.system.get_comm_ctx", (dist_tensor,), None, span)


def rank(ctx: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The number of this rank."""
    return call("pld.system.rank", (ctx,), None, span)


def nranks(ctx: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """How many ranks there are."""
    return call("pld.system.nranks", (ctx,), None, span)


def notify(
    target: Expr,
    peer: Number,
    offsets: Indices,
    value: Number,
    *,
    op: NotifyOp | int,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Raise or set a counter of a peer."""
    operands = (target, as_index(peer, span), extents(offsets, span), as_index(value, span))
    return call("pld.system.notify", operands, {"op": op}, span)


def wait(signal: Expr, offsets: Indices, expected: Number, *, cmp: WaitCmp | int, span: Span = UNKNOWN_SPAN) -> Call:
    """Wait for a counter."""
    return call("pld.system.wait", (signal, extents(offsets, span), as_index(expected, span)), {"cmp": cmp}, span)


def defer_wait(
    signal: Expr, offsets: Indices, expected: Number, *, cmp: WaitCmp | int, span: Span = UNKNOWN_SPAN
) -> Call:
    """Complete this task once a counter has grown to a value."""
    return call("pld.system.defer_wait", (signal, extents(offsets, span), as_index(expected, span)), {"cmp": cmp}, span)
