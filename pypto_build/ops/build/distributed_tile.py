# SPDX-License-Identifier: Apache-2.0
"""Builders of copies between tiles or staging tiles and the windows of peers."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import AtomicType, Call, Expr
from pypto_build.ops.build.normal import Indices, Number, atomicity, call
from pypto_build.ops.build.normal import index as as_index
from pypto_build.ops.build.normal import indices as extents

__all__ = [
    "_remote_load_with_physical_tail_padding",
    "get",
    "put",
    "remote_load",
    "remote_store",
]


def remote_load(
    target: Expr,
    peer: Number,
    offsets: Indices,
    shape: Indices,
    valid_shape: Indices | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tile with a region of a peer's window."""
    return call("pld.tile.remote_load", _load(target, peer, offsets, shape, valid_shape, span), None, span)


def _remote_load_with_physical_tail_padding(
    target: Expr,
    peer: Number,
    offsets: Indices,
    shape: Indices,
    valid_shape: Indices | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The same, of passes only: the region may reach into the padding behind the window's end."""
    operands = _load(target, peer, offsets, shape, valid_shape, span)
    return call("pld.tile.remote_load", operands, {"allow_physical_tail_padding": True}, span)


def _load(  # noqa: PLR0917  # the operands in order
    target: Expr, peer: Number, offsets: Indices, shape: Indices, valid_shape: Indices | None, span: Span
) -> tuple[Expr, ...]:
    region = (coordinates(offsets, "offsets", span), coordinates(shape, "shape", span))
    valid = () if valid_shape is None else (coordinates(valid_shape, "valid_shape", span),)
    return (target, as_index(peer, span), *region, *valid)


def remote_store(
    src_tile: Expr,
    target: Expr,
    peer: Number,
    offsets: Indices,
    *,
    atomic: AtomicType | int = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tile into a region of a peer's window, or added to it."""
    operands = (src_tile, target, as_index(peer, span), coordinates(offsets, "offsets", span))
    return call("pld.tile.remote_store", operands, {"atomic": atomicity(atomic)}, span)


def put(  # noqa: PLR0917  # the signature that programs call
    dst: Expr,
    peer: Number,
    src: Expr,
    stage: Expr,
    stage2: Expr | None = None,
    dst_offsets: Indices | None = None,
    src_offsets: Indices | None = None,
    shape: Indices | None = None,
    *,
    atomic: AtomicType | int = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Write into a peer's window through one staging tile, or two that take turns."""
    stages = (stage,) if stage2 is None else (stage, stage2)
    region = subregion("pld.tile.put", dst_offsets, src_offsets, shape, span=span)
    operands = (dst, as_index(peer, span), src, *stages, *region)
    return call("pld.tile.put", operands, {"atomic": atomic}, span)


def get(  # noqa: PLR0917  # the signature that programs call
    dst: Expr,
    peer: Number,
    src: Expr,
    stage: Expr,
    stage2: Expr | None = None,
    dst_offsets: Indices | None = None,
    src_offsets: Indices | None = None,
    shape: Indices | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Read from a peer's window through one staging tile, or two that take turns."""
    stages = (stage,) if stage2 is None else (stage, stage2)
    region = subregion("pld.tile.get", dst_offsets, src_offsets, shape, span=span)
    return call("pld.tile.get", (dst, as_index(peer, span), src, *stages, *region), None, span)


def coordinates(values: object, what: str, span: Span) -> Expr:
    """Offsets or extents as one tuple operand, one element per dimension; TypeError for a single number."""
    if isinstance(values, int | float):
        raise TypeError(f"{what} must be a list with one element per dimension, got {values}")
    return extents(values, span)


def subregion(
    op: str, dst_offsets: Indices | None, src_offsets: Indices | None, shape: Indices | None, *, span: Span
) -> tuple[Expr, ...]:
    """The operands that limit a copy to a region: all three, or none.

    Raises:
        ValueError: only some of the three are given.
    """
    given = tuple(extents(part, span) for part in (dst_offsets, src_offsets, shape) if part is not None)
    if len(given) not in (0, 3):
        raise ValueError(f"{op}: dst_offsets, src_offsets and shape must be given together")
    return given
