# SPDX-License-Identifier: Apache-2.0
"""Builders of tile operations that allocate memory and move data."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import (
    AtomicType,
    Call,
    DataType,
    Expr,
    MemorySpace,
    TensorLayout,
    TensorType,
    TileLayout,
    as_expr,
    const_index,
)
from pypto_build.ops.build.normal import Indices, Number, atomicity, call, operand, scalar_for
from pypto_build.ops.build.normal import indices as extents

_MX_LAYOUTS = (TensorLayout.MX_A_ZZ, TensorLayout.MX_B_NN)


def alloc(memory_space: MemorySpace | Expr, size: Number, *, pinned: bool = False, span: Span = UNKNOWN_SPAN) -> Call:
    """Memory of a space; size is in bytes."""
    space = const_index(memory_space.value, span) if isinstance(memory_space, MemorySpace) else memory_space
    return call("tile.alloc", (space, as_expr(size, span)), {"pinned": pinned or None}, span)


def create(
    shape: Indices,
    dtype: DataType,
    target_memory: MemorySpace | None = MemorySpace.Vec,
    transpose: bool | None = None,
    *,
    flat_layout: bool | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tile whose elements are not set; in Mat also for transposed operands, or without boxes."""
    return call(
        "tile.create",
        (extents(shape, span),),
        {"dtype": dtype, "target_memory": target_memory, "transpose": transpose, "flat_layout": flat_layout},
        span,
    )


create_tile = create


def load(  # noqa: PLR0917 the public parameters
    tensor: Expr,
    offsets: Indices,
    shapes: Indices,
    valid_shape: Indices | None = None,
    target_memory: MemorySpace | None = None,
    clamp: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window of a tensor in a tile, in Vec unless stated; clamp cuts the read at the tensor's edge."""
    kind = operand(tensor).type
    view = kind.tensor_view if isinstance(kind, TensorType) else None
    if target_memory is None and view is not None and view.layout in _MX_LAYOUTS:
        raise ValueError("tile.load of an MX-layout tensor requires explicit target_memory=MemorySpace.Mat")
    window = extents(shapes, span)
    valid = window if valid_shape is None else extents(valid_shape, span)
    space = target_memory or MemorySpace.Vec
    args = (tensor, extents(offsets, span), window, valid)
    return call("tile.load", args, {"target_memory": space, "clamp": clamp or None}, span)


def store(
    tile: Expr,
    offsets: Indices,
    output_tensor: Expr,
    shapes: Indices | None = None,
    *,
    atomic: AtomicType = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The tensor with a tile written to it, or with AtomicType.Add added to it."""
    partition = () if shapes is None else (extents(shapes, span),)
    return call(
        "tile.store", (tile, extents(offsets, span), output_tensor, *partition), {"atomic": atomicity(atomic)}, span
    )


def move(
    tile: Expr,
    target_memory: MemorySpace,
    blayout: TileLayout | None = None,
    slayout: TileLayout | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The tile in another memory space, in the layout of that space unless another is stated."""
    return call("tile.move", (tile,), {"target_memory": target_memory, "blayout": blayout, "slayout": slayout}, span)


def read(tile: Expr, indices: Indices, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One element."""
    return call("tile.read", (tile, extents(indices, span)), None, span)


def write(tile: Expr, indices: Indices, value: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile with one element replaced."""
    return call("tile.write", (tile, extents(indices, span), scalar_for(tile, value, span)), None, span)


def assemble(target: Expr, source: Expr, offset: Indices, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The target with a source written into it."""
    return call("tile.assemble", (target, source, extents(offset, span)), None, span)


def extract(
    src: Expr,
    index_row: Number,
    index_col: Number,
    shape: Indices,
    *,
    target_memory: MemorySpace,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window of a tile, repacked in another buffer."""
    corner = (as_expr(index_row, span), as_expr(index_col, span))
    return call("tile.extract", (src, *corner, extents(shape, span)), {"target_memory": target_memory}, span)


def concat(src0: Expr, src1: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Two tiles side by side."""
    return call("tile.concat", (src0, src1), None, span)
