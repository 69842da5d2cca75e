# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of flat tiles: the window keeps the dimensions of the tensor, except where boxes are made of it."""

from __future__ import annotations

from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    Call,
    Expr,
    MakeTuple,
    MemorySpace,
    TensorLayout,
    TensorType,
    TileLayout,
    TileType,
    Var,
    as_int,
    const_index,
    rebuilt,
)
from pypto_build.ops.deduce import format_shape, is_fully_valid, valid_shape_of
from pypto_build.ops.regions import Region
from pypto_build.ops.reshaping import is_prefix, leading_collapse
from pypto_passes.flat_shapes import elements, flat_offset, flat_region, flat_shape, flat_type, is_deep
from pypto_passes.flattening import Flattening, Site


def is_boxed_load(call: Call) -> bool:
    """Whether a load makes boxes in Mat of the rows of a tensor, which the hardware does for a matrix only."""
    tile, tensor = call.type, call.args[0].type
    if not isinstance(tile, TileType) or not isinstance(tensor, TensorType):
        return False
    view, source = tile.effective_tile_view(), tensor.tensor_view
    boxed = (view.blayout, view.slayout) == (TileLayout.col_major, TileLayout.row_major)
    plain = source is None or source.layout is TensorLayout.ND
    same_rank = len(elements(call.args[1])) == len(tensor.shape)
    return tile.memory_space is MemorySpace.Mat and boxed and plain and same_rank


def is_scattered_load(call: Call) -> bool:
    """Whether what a load reads is no band of rows: of its tile, or of its tensor where boxes are made of a matrix."""
    tile, tensor = call.type, call.args[0].type
    if not is_deep(tile) or not isinstance(tensor, TensorType):
        return False
    if not is_prefix(tile.shape[:-1], valid_shape_of(tile)[:-1]):
        return True
    return is_boxed_load(call) and not is_prefix(tensor.shape[:-1], elements(call.args[2])[:-1])


def loaded(to: Flattening, site: Site) -> Expr:
    """A load of a flat tile: of the matrix that its tensor is, where boxes are made."""
    call = site.call
    if not is_deep(call.type):
        return to.flat(call)
    tile = flat_type(call.type, site.span)
    if not is_boxed_load(call):
        return rebuilt(to.flat(call), {"type": tile})
    return load_matrix(to, site, offsets=elements(call.args[1]), shape=tile.shape, valid=valid_shape_of(tile))


def load_matrix(to: Flattening, site: Site, *, offsets: Region, shape: Region, valid: Region) -> Call:
    """A load, of a matrix at some offsets, from its tensor seen as a matrix."""
    call = site.call
    tensor, kind = to.flat(call.args[0]), call.args[0].type
    assert isinstance(kind, TensorType)
    name = tensor.name_hint if isinstance(tensor, Var) else "t"
    view = to.emit(_matrix_view(to, call, tensor=tensor, kind=kind), f"{name}_2d", site.span)
    place = tuple(map(to.flat, flat_offset(offsets, kind.shape)))
    windows = [MakeTuple(part, call.span) for part in (place, shape, tuple(map(to.flat, valid)))]
    return to.ops.create_call("tile.load", (view, *windows), call.kwargs, call.span, call.attrs)


def _matrix_view(to: Flattening, call: Call, *, tensor: Expr, kind: TensorType) -> Call:
    valid = valid_shape_of(kind)
    region = leading_collapse(kind.shape, valid)[1]
    if not region:
        shapes = f"{format_shape(valid)} of {format_shape(kind.shape)}"
        raise UserError("FLAT002", f"the valid region {shapes} of a tensor is no region of rows and columns", call.span)
    parts = (flat_shape(kind.shape),) if is_fully_valid(kind) else (flat_shape(kind.shape), region)
    return to.ops.create_call("tensor.view", (tensor, *(MakeTuple(part, call.span) for part in parts)), {}, call.span)


def stored(to: Flattening, site: Site) -> Expr:
    """A store that says which box of a deeper tensor its flat tile is."""
    call, new = site.call, to.flat(site.call)
    tile, tensor = call.args[0].type, call.args[2].type
    if not isinstance(new, Call) or not isinstance(tile, TileType) or not isinstance(tensor, TensorType):
        return new
    if is_deep(tile):
        flat_region(tile, site.span)
    rank = len(tensor.shape)
    if len(elements(new.args[1])) > rank:
        return rebuilt(new, {"args": (new.args[0], _last(new.args[1], rank, call), *new.args[2:])})
    if len(call.args) > 3 or rank <= 2:
        return new
    return rebuilt(new, {"args": (*new.args, box_of(tuple(map(to.flat, valid_shape_of(tile))), rank, call.span))})


def _last(offsets: Expr, rank: int, call: Call) -> MakeTuple:
    """The offsets in a tensor of fewer dimensions than the tile, which has units in front."""
    surplus, kept = elements(offsets)[:-rank], elements(offsets)[-rank:]
    if any(as_int(offset) != 0 for offset in surplus):
        raise UserError("FLAT007", f"tile.store is given {len(surplus) + rank} offsets in {rank} dimensions", call.span)
    return MakeTuple(kept, call.span)


def box_of(extents: Region, rank: int, span: Span) -> MakeTuple:
    """The extents of a box in a tensor of some rank."""
    lead = (const_index(1, span) for _ in range(rank - len(extents)))
    return MakeTuple((*lead, *(_at(extent, span) for extent in extents)), span)


def _at(extent: Expr, span: Span) -> Expr:
    value = as_int(extent)
    return extent if value is None else const_index(value, span)
