# SPDX-License-Identifier: Apache-2.0
"""The builders that programs find directly under the distributed namespace."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import AtomicType, Call, Expr, TensorType
from pypto_build.ops.build import distributed_tensor, distributed_tile
from pypto_build.ops.build.distributed_system import get_comm_ctx, nranks, rank, world_size
from pypto_build.ops.build.distributed_tensor import alloc_window_buffer, window
from pypto_build.ops.build.distributed_tile import remote_load
from pypto_build.ops.build.normal import Indices, Number, operand


def remote_store(
    src: Expr,
    target: Expr,
    peer: Number,
    offsets: Indices,
    *,
    atomic: AtomicType | int = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tile, or a tensor that is computed on the core, into a region of a peer's window."""
    form = distributed_tensor if isinstance(operand(src).type, TensorType) else distributed_tile
    return form.remote_store(src, target, peer, offsets, atomic=atomic, span=span)


__all__ = [
    "alloc_window_buffer",
    "get_comm_ctx",
    "nranks",
    "rank",
    "remote_load",
    "remote_store",
    "window",
    "world_size",
]
