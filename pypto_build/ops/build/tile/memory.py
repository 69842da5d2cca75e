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
from pypto_build.ops.build.values import Extents, Value, call, extents, only_if, scalar_beside

_MX_LAYOUTS = (TensorLayout.MX_A_ZZ, TensorLayout.MX_B_NN)


def alloc(memory_space: MemorySpace | Expr, size: Value, *, pinned: bool = False, span: Span = UNKNOWN_SPAN) -> Call:
    """Memory of a space; size is in bytes."""
    space = const_index(memory_space.value, span) if isinstance(memory_space, MemorySpace) else memory_space
    return call("tile.alloc", space, as_expr(size, span), span=span, pinned=only_if(pinned))


def create(
    shape: Extents,
    dtype: DataType,
    target_memory: MemorySpace = MemorySpace.Vec,
    transpose: bool | None = None,
    *,
    flat_layout: bool | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tile whose elements are not set; in Mat also for transposed operands, or without boxes."""
    return call(
        "tile.create",
        extents(shape, span),
        span=span,
        dtype=dtype,
        target_memory=target_memory,
        transpose=transpose,
        flat_layout=flat_layout,
    )


create_tile = create


def load(  # noqa: PLR0917 the public parameters
    tensor: Expr,
    offsets: Extents,
    shapes: Extents,
    valid_shape: Extents | None = None,
    target_memory: MemorySpace | None = None,
    clamp: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window of a tensor in a tile, in Vec unless stated; clamp cuts the read at the tensor's edge."""
    view = tensor.type.tensor_view if isinstance(tensor.type, TensorType) else None
    if target_memory is None and view is not None and view.layout in _MX_LAYOUTS:
        raise ValueError("tile.load of an MX-layout tensor requires explicit target_memory=MemorySpace.Mat")
    window = extents(shapes, span)
    valid = window if valid_shape is None else extents(valid_shape, span)
    space = target_memory or MemorySpace.Vec
    args = (tensor, extents(offsets, span), window, valid)
    return call("tile.load", *args, span=span, target_memory=space, clamp=only_if(clamp))


def store(
    tile: Expr,
    offsets: Extents,
    output_tensor: Expr,
    shapes: Extents | None = None,
    *,
    atomic: AtomicType = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The tensor with a tile written to it, or with AtomicType.Add added to it."""
    partition = () if shapes is None else (extents(shapes, span),)
    return call(
        "tile.store", tile, extents(offsets, span), output_tensor, *partition, span=span, atomic=int(atomic) or None
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
    return call("tile.move", tile, span=span, target_memory=target_memory, blayout=blayout, slayout=slayout)


def read(tile: Expr, indices: Extents, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One element."""
    return call("tile.read", tile, extents(indices, span), span=span)


def write(tile: Expr, indices: Extents, value: Value, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tile with one element replaced."""
    return call("tile.write", tile, extents(indices, span), scalar_beside(tile, value, span), span=span)


def assemble(target: Expr, source: Expr, offset: Extents, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The target with a source written into it."""
    return call("tile.assemble", target, source, extents(offset, span), span=span)


def extract(
    src: Expr,
    index_row: Value,
    index_col: Value,
    shape: Extents,
    *,
    target_memory: MemorySpace = MemorySpace.Vec,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window of a tile, repacked in another buffer."""
    corner = (as_expr(index_row, span), as_expr(index_col, span))
    return call("tile.extract", src, *corner, extents(shape, span), span=span, target_memory=target_memory)


def concat(src0: Expr, src1: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Two tiles side by side."""
    return call("tile.concat", src0, src1, span=span)
