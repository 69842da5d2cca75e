# SPDX-License-Identifier: Apache-2.0
"""Windows seen as one row or one rectangle, and their regions as tiles: of this rank, of a peer, and back.

A tile takes at most 16 KiB of the vector core's memory and starts and ends at multiples of 32 bytes, the unit in which
memory is moved. Where less is wanted, the tile has an invalid rest: it is computed with, and left out when the tile is
written back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pypto_build.ir import DataType, DistributedTensorType, Expr, TensorLayout, Var, as_int, binary, const_index
from pypto_build.ops.arithmetic import ONE, ZERO, divided_up, scaled
from pypto_build.ops.build import distributed_tile, tensor_views
from pypto_build.ops.build.tile import fill, memory, views
from pypto_build.ops.deduce import is_fully_valid, valid_shape_of
from pypto_build.ops.deduce_tensor import is_packed, layout_of
from pypto_build.ops.proof import product, same_dimensions
from pypto_build.ops.reshaping import leading_collapse, prefix_collapse
from pypto_passes.composite_body import Body

TILE_BYTES: Final = 16 * 1024
MOVED_BYTES: Final = 32
Pair = tuple[Expr, Expr]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a window: where it begins, the shape of the tile that holds it, and how much of that is meant."""

    window: Expr
    offsets: Pair
    shape: Pair
    valid: Pair


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a window, `size` elements long."""

    window: Expr
    index: Expr
    size: Expr
    dtype: DataType

    @property
    def tile_width(self) -> int:
        """The elements of the tiles that it is worked on with."""
        return tile_width(self.dtype, self.size)

    def part(self, column: Expr, *, width: int, valid: Expr) -> Region:
        """The elements from a column on: a tile of this width, of which the valid ones are meant."""
        return Region(self.window, (self.index, column), (ONE, const_index(width)), (ONE, valid))


def window_type(value: Expr) -> DistributedTensorType:
    """The type of a window; operations on windows have nothing else in this place."""
    assert isinstance(value.type, DistributedTensorType)
    return value.type


def unit(dtype: DataType) -> int:
    """The elements that are moved at once."""
    return MOVED_BYTES * 8 // dtype.get_bit()


def tile_width(dtype: DataType, wanted: Expr) -> int:
    """The elements of a tile of one row that is to hold `wanted`: as few whole units as do, or as many as fit."""
    most = TILE_BYTES * 8 // dtype.get_bit()
    count = as_int(wanted)
    return most if count is None else min(most, -(-count // unit(dtype)) * unit(dtype))


def divided(value: Expr, divisor: Expr) -> Expr:
    """value // divisor"""
    a, b = as_int(value), as_int(divisor)
    return binary("floordiv", value, divisor) if a is None or b is None else const_index(a // b)


def as_row(body: Body, window: Expr) -> Row:
    """All valid elements of a window as one row.

    Raises:
        UserError: they do not follow one another in memory.
    """
    kind = _flat(body, window)
    shape, valid = prefix_collapse(kind.shape, valid_shape_of(kind))
    if not shape:
        text = f"the valid part is no contiguous row-major prefix of the window: {kind}"
        raise body.error("WINDOW003", text, help="reduce a window that is valid in its first elements")
    return Row(_viewed(body, window, shape, valid), ZERO, valid[1], kind.dtype)


def as_rectangle(body: Body, window: Expr) -> Region:
    """The valid part of a partly valid window as one region: in a tile of just its size, or of the whole rectangle.

    Raises:
        UserError: it is no rectangle of rows, or too large for a tile.
    """
    kind = _flat(body, window)
    shape, valid = leading_collapse(kind.shape, valid_shape_of(kind))
    if not shape:
        text = f"the valid_shape cannot be represented by a single 2D view: {kind}"
        raise body.error("WINDOW003", text, help="reduce a window that is valid in consecutive rows")
    held = valid if product(valid) is not None else shape
    count = product(held)
    if count is None or count * kind.dtype.get_bit() > TILE_BYTES * 8:
        text = f"a partial valid_shape must fit within one {TILE_BYTES}-byte mesh chunk: {kind}"
        raise body.error("WINDOW004", text, help="reduce a window that is valid as a whole, in any size")
    rows, columns = held
    return Region(_viewed(body, window, shape, valid), (ZERO, ZERO), (rows, columns), (valid[0], valid[1]))


def is_partial(window: Expr) -> bool:
    """Whether only a part of a window is valid."""
    return not is_fully_valid(window_type(window))


def _flat(body: Body, window: Expr) -> DistributedTensorType:
    kind = window_type(window)
    if layout_of(kind) is not TensorLayout.ND:
        text = f"a reduction only supports ND layout: the window is {kind}"
        raise body.error("WINDOW001", text, help="reduce the window before its dimensions are swapped")
    if not is_packed(kind):
        text = f"a reduction requires a packed source: the window is {kind}"
        raise body.error("WINDOW002", text, help="reduce a window without gaps between its rows")
    return kind


def _viewed(body: Body, window: Expr, shape: tuple[Expr, ...], valid: tuple[Expr, ...]) -> Expr:
    kind = window_type(window)
    if same_dimensions(shape, kind.shape):
        return window
    box = valid if is_partial(window) else None
    return body.bind("view", tensor_views.view(window, shape, box))


def own_tile(body: Body, region: Region) -> Var:
    """A region of this rank's window."""
    return body.bind("own", memory.load(region.window, region.offsets, region.shape, region.valid))


def peer_tile(body: Body, region: Region, peer: Expr) -> Var:
    """The same region of a peer's window."""
    dtype = window_type(region.window).dtype
    if dtype is not DataType.FP16:  # elements of four bytes may be moved one by one
        load = distributed_tile.remote_load(region.window, peer, region.offsets, region.shape, region.valid)
        return body.bind("other", load)
    rows, columns = region.valid
    whole = (rows, scaled(divided_up(columns, unit(dtype)), unit(dtype)))
    load = distributed_tile._remote_load_with_physical_tail_padding(
        region.window, peer, region.offsets, region.shape, whole
    )
    return body.bind("other", views.set_validshape(body.bind("moved", load), rows, columns))


def widened(body: Body, region: Region, tile: Var) -> Var:
    """A tile of a region that may be computed with as a whole; what is in its invalid rest is not said."""
    if same_dimensions(region.shape, region.valid):
        return tile
    return body.bind("widened", views.set_validshape(tile, *region.shape))


def zeroed(body: Body, region: Region, tile: Var) -> Var:
    """The same with zeros in the invalid rest."""
    if same_dimensions(region.shape, region.valid):
        return tile
    return body.bind("zeroed", fill.fillpad_inplace(tile))


def put_back(body: Body, tile: Expr, region: Region) -> None:
    """Write a tile into a region of this rank's window."""
    if not same_dimensions(region.shape, region.valid):
        tile = body.bind("narrowed", views.set_validshape(tile, *region.valid))
    body.do(memory.store(tile, region.offsets, region.window))
