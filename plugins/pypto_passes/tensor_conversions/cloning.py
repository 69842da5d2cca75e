# SPDX-License-Identifier: Apache-2.0
"""expand_clone: a tensor repeated along an axis is written to the target as it is repeated.

Along the first axis one tile is written again and again; along the second each plane is expanded by columns on its
own; along the last the whole is expanded by rows. A target in global memory is stored to, a tile is assembled.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Call, Expr, IterArg, MakeTuple, Var, as_int, const_index
from pypto_build.ops.proof import provably_different
from pypto_passes.tensor_conversions.building import Building, Shape, is_global, part, shaped_type, zeros
from pypto_passes.tensor_conversions.by_name import unconvertible


def cloned(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """The target with the source repeated along the axis where their extents differ."""
    source, target = args
    have, want = shaped_type(source).shape, shaped_type(target).shape
    axes = [axis for axis, dims in enumerate(zip(have, want, strict=True)) if provably_different(*dims)]
    if len(want) != 3 or len(axes) > 1:
        raise unconvertible(call)
    axis = axes[0] if axes else 0
    if axis == 2:
        return _expanded_rows(to, source, target)
    return _planes(to, source, target) if axis else _copies(to, source, target)


def _copies(to: Building, source: Expr, target: Expr) -> Expr:
    tile = to.tile(source, "expand_clone_input")
    count = shaped_type(target).shape[0] if as_int(shaped_type(source).shape[0]) == 1 else const_index(1)

    def stored(index: Var, acc: IterArg) -> Expr:
        return to.let("expand_clone_store", _put(to, tile, _plane(index), acc))

    return to.loop("expand_clone", count, target, stored)


def _planes(to: Building, source: Expr, target: Expr) -> Expr:
    shape, narrow = (_one_plane(shaped_type(value).shape) for value in (target, source))
    dtype = shaped_type(target).dtype

    def stored(index: Var, acc: IterArg) -> Expr:
        row = to.let("expand_clone_row", part(to, source, _plane(index), narrow))
        whole = to.create("expand_clone_plane", shape, dtype)
        expanded = to.let("expand_clone_expanded", to.op("tile.col_expand", whole, row))
        return to.let("expand_clone_store", _put(to, expanded, _plane(index), acc))

    return to.loop("expand_clone", shaped_type(source).shape[0], target, stored)


def _expanded_rows(to: Building, source: Expr, target: Expr) -> Expr:
    column, kind = to.tile(source, "expand_clone_input"), shaped_type(target)
    whole = to.create("expand_clone_whole", kind.shape, kind.dtype)
    expanded = to.let("expand_clone_expanded", to.op("tile.row_expand", whole, column))
    return _put(to, expanded, zeros(len(kind.shape)), target)


def _put(to: Building, tile: Expr, offset: Expr, target: Expr) -> Call:
    if is_global(target):
        return to.op("tile.store", tile, offset, target)
    return to.op("tile.assemble", target, tile, offset)


def _plane(index: Expr) -> MakeTuple:
    return MakeTuple((index, const_index(0), const_index(0)))


def _one_plane(shape: Shape) -> Shape:
    return (const_index(1), *shape[1:])
