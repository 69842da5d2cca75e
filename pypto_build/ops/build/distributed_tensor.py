# SPDX-License-Identifier: Apache-2.0
"""Builders of window buffers, of copies between windows, and of collective operations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import AtomicType, Call, DataType, Expr, ReduceOp, as_int, const_index
from pypto_build.ops.build.distributed_tile import coordinates, subregion
from pypto_build.ops.build.normal import Indices, Number, atomicity, call, typed_constant
from pypto_build.ops.build.normal import index as as_index
from pypto_build.ops.build.normal import indices as extents

__all__ = [
    "all_to_all",
    "all_to_all_v",
    "allgather",
    "alloc_window_buffer",
    "allreduce",
    "barrier",
    "broadcast",
    "get",
    "put",
    "reduce_scatter",
    "remote_store",
    "window",
]

_LEFT_TO_A_PASS = const_index(0)  # a signal that is not given, as distinct from None


def alloc_window_buffer(
    size: Number | Sequence[Number], *, dtype: DataType | None = None, name: str = "", span: Span = UNKNOWN_SPAN
) -> Call:
    """A buffer on every rank, of a size in bytes or for a shape of a dtype.

    Raises:
        ValueError: a shape without a dtype or a size with one, or a shape that is empty or not constant and positive.
    """
    if isinstance(size, Sequence):
        amount: Expr = typed_constant(_bytes(size, dtype), DataType.INT64, span)
    elif dtype is not None:
        raise ValueError("pld.tensor.alloc_window_buffer: dtype= is only valid when the first argument is a shape")
    else:
        amount = as_index(size, span)
    return call("pld.tensor.alloc_window_buffer", (amount,), {"name": name}, span)


def _bytes(shape: Sequence[Number], dtype: DataType | None) -> int:
    if not isinstance(dtype, DataType):
        raise ValueError("pld.tensor.alloc_window_buffer of a shape requires dtype=")
    if not shape:
        raise ValueError("pld.tensor.alloc_window_buffer: shape must be non-empty")
    extents = [as_int(extent) if isinstance(extent, Expr) else extent for extent in shape]
    constant = [extent for extent in extents if isinstance(extent, int)]
    if len(constant) != len(shape):
        raise ValueError("pld.tensor.alloc_window_buffer: all dimensions must be constants")
    if min(constant) <= 0:
        raise ValueError(f"pld.tensor.alloc_window_buffer: all dimensions must be positive, got {constant}")
    return -(-math.prod(constant) * dtype.get_bit() // 8)


def window(buf: Expr, shape: Indices, *, dtype: DataType, span: Span = UNKNOWN_SPAN) -> Call:
    """A window buffer as a tensor."""
    return call("pld.tensor.window", (buf, extents(shape, span)), {"dtype": dtype}, span)


def remote_store(
    src: Expr,
    target: Expr,
    peer: Number,
    offsets: Indices,
    *,
    atomic: AtomicType | int = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tensor that is computed on the core into a region of a peer's window, or added to it."""
    operands = (src, target, as_index(peer, span), coordinates(offsets, "offsets", span))
    return call("pld.tensor.remote_store", operands, {"atomic": atomicity(atomic)}, span)


def put(  # noqa: PLR0917  # the signature that programs call
    dst: Expr,
    peer: Number,
    src: Expr,
    dst_offsets: Indices | None = None,
    src_offsets: Indices | None = None,
    shape: Indices | None = None,
    *,
    atomic: AtomicType | int = AtomicType.None_,
    chunk_rows: int = 0,
    chunk_cols: int = 0,
    pipeline: bool = False,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Write into a peer's window; with a chunk size through a staging tile of that size, pipelined through two."""
    chunks = chunking("pld.tensor.put", chunk_rows, chunk_cols, pipeline=pipeline)
    region = subregion("pld.tensor.put", dst_offsets, src_offsets, shape, span=span)
    operands = (dst, as_index(peer, span), src, *region)
    return call("pld.tensor.put", operands, {"atomic": atomic, **chunks}, span)


def get(  # noqa: PLR0917  # the signature that programs call
    dst: Expr,
    peer: Number,
    src: Expr,
    dst_offsets: Indices | None = None,
    src_offsets: Indices | None = None,
    shape: Indices | None = None,
    *,
    chunk_rows: int = 0,
    chunk_cols: int = 0,
    pipeline: bool = False,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Read from a peer's window; with a chunk size through a staging tile of that size, pipelined through two."""
    chunks = chunking("pld.tensor.get", chunk_rows, chunk_cols, pipeline=pipeline)
    region = subregion("pld.tensor.get", dst_offsets, src_offsets, shape, span=span)
    return call("pld.tensor.get", (dst, as_index(peer, span), src, *region), chunks, span)


def chunking(op: str, chunk_rows: object, chunk_cols: object, *, pipeline: bool = False) -> dict[str, int | bool]:
    """The attributes of a copy in chunks; a size of 0 stands for everything and is left out.

    Raises:
        TypeError: a size that is no int.
        ValueError: a negative size, or a pipeline without both sizes.
    """
    sizes: dict[str, int | bool] = {}
    for name, given in (("chunk_rows", chunk_rows), ("chunk_cols", chunk_cols)):
        size = _static(op, name, given)
        if size < 0:
            raise ValueError(f"{op}: {name} must be non-negative, got {size}")
        if size:
            sizes[name] = size
    if not pipeline:
        return sizes
    if len(sizes) != 2:
        raise ValueError(f"{op}: pipeline=True requires both chunk_rows>0 and chunk_cols>0")
    return {**sizes, "pipeline": True}


def _static(op: str, name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{op}: {name} must be static, a compile-time int, got {type(value).__name__}")
    return value


def allreduce(
    target: Expr,
    signal: Expr | None = _LEFT_TO_A_PASS,
    *,
    op: ReduceOp | int = ReduceOp.Sum,
    mode: str = "mesh",
    core_num: int = 1,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The reduction of all ranks, on every rank; on the host the signal may be left to the compiler.

    Raises:
        TypeError: a signal of None, or a core_num that is no int.
        ValueError: a core_num that is not positive.
    """
    if signal is None:
        raise TypeError("pld.tensor.allreduce: signal cannot be None: leave it out to have one made")
    cores = _static("pld.tensor.allreduce", "core_num", core_num)
    if cores <= 0:
        raise ValueError(f"pld.tensor.allreduce: core_num must be positive, got {cores}")
    operands = (target,) if signal is _LEFT_TO_A_PASS else (target, signal)
    return call("pld.tensor.allreduce", operands, {"op": op, "mode": mode, "core_num": cores}, span)


def barrier(signal: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Wait until all ranks have arrived."""
    return call("pld.tensor.barrier", (signal,), None, span)


def broadcast(target: Expr, signal: Expr, *, root: int, span: Span = UNKNOWN_SPAN) -> Call:
    """The data of one rank, on every rank."""
    return call("pld.tensor.broadcast", (target, signal), {"root": root}, span)


def reduce_scatter(target: Expr, signal: Expr, *, op: ReduceOp | int = ReduceOp.Sum, span: Span = UNKNOWN_SPAN) -> Call:
    """A chunk of the sum of all ranks, on every rank."""
    return call("pld.tensor.reduce_scatter", (target, signal), {"op": op}, span)


def all_to_all(input: Expr, target: Expr, signal: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One chunk from every rank to every rank."""
    return call("pld.tensor.all_to_all", (input, target, signal), None, span)


def allgather(local_data: Expr, target: Expr, signal: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The data of all ranks, on every rank."""
    return call("pld.tensor.allgather", (local_data, target, signal), None, span)


def all_to_all_v(
    input: Expr, target: Expr, signal: Expr, send_counts: Expr, recv_counts: Expr, *, span: Span = UNKNOWN_SPAN
) -> Call:
    """A number of rows from every rank to every rank."""
    return call("pld.tensor.all_to_all_v", (input, target, signal, send_counts, recv_counts), None, span)
