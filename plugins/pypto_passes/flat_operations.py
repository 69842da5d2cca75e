# SPDX-License-Identifier: Apache-2.0
"""How one tile operation is said with tiles of two dimensions: a function for each that has a shape to change.

All others are made again with what their operands are now.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.errors import UserError
from pypto_build.ir import Call, Expr, MakeTuple, TileType, as_int, rebuilt
from pypto_build.ops import OpRegistry
from pypto_build.ops.deduce import format_shape
from pypto_build.ops.proof import provably_equal, same_dimensions
from pypto_build.ops.reshaping import is_prefix, volume
from pypto_passes.flat_shapes import elements, flat_offset, flat_region, flat_type, is_deep
from pypto_passes.flat_transfers import loaded, stored
from pypto_passes.flat_transposes import transposed, turned
from pypto_passes.flattening import Flattening, Lowering, Site, again, refused


def recreated(to: Flattening, site: Site) -> Expr:
    """The same operation on what its operands are now; without a tile among them, it just yields the flat tile.

    Raises:
        UserError: it means something else on flat tiles.
    """
    call, new = site.call, to.flat(site.call)
    if not isinstance(new, Call) or not _has_deep(call):
        return new
    if not is_deep(call.type):
        return again(to, new)
    flat = flat_type(call.type, site.span)
    if not any(isinstance(arg.type, TileType) for arg in call.args):
        return rebuilt(new, {"type": flat})
    _check_operands(call, call.type, to.ops)
    made = again(to, new)
    if not isinstance(made.type, TileType) or not same_dimensions(made.type.shape, flat.shape):
        raise refused(call, "along an axis other than the last")
    return made


def _has_deep(call: Call) -> bool:
    return is_deep(call.type) or any(is_deep(arg.type) for arg in call.args)


def _check_operands(call: Call, result: TileType, ops: OpRegistry) -> None:
    """Of several operands each has all rows of the result, or one row that is repeated."""
    arguments = zip(ops.get(call.op.name).args, call.args, strict=False)
    kinds = [arg.type for argument, arg in arguments if not argument.name.startswith("tmp")]
    tiles = [kind for kind in kinds if isinstance(kind, TileType)]
    rows = volume(result.shape[:-1])
    for tile in tiles if len(tiles) > 1 else ():
        own = volume(tile.shape[:-1])
        if as_int(own) != 1 and not provably_equal(own, rows):
            shapes = f"{format_shape(tile.shape)} in {format_shape(result.shape)}"
            raise refused(call, f"that repeats an operand along an outer dimension ({shapes})")


def unsupported(to: Flattening, site: Site) -> Expr:
    """Operations that are not said for tiles of more than two dimensions.

    Raises:
        UserError: an operand or the result has more.
    """
    if _has_deep(site.call):
        raise refused(site.call, "on a tile of more than two dimensions")
    return to.flat(site.call)


SHAPES: Mapping[str, int] = {"tile.create": 0, "tile.full": 0, "tile.ci": 1, "tile.random": 6}
"""Which argument is the shape of the result; a valid region may follow."""


def shaped(to: Flattening, site: Site) -> Expr:
    """A tile that is made in a shape."""
    call, new = site.call, to.flat(site.call)
    if not is_deep(call.type) or not isinstance(new, Call):
        return new
    args, position = list(new.args), SHAPES[call.op.name]
    args[position] = MakeTuple(flat_type(call.type, site.span).shape, call.span)
    if position + 1 < len(args) and isinstance(args[position + 1], MakeTuple):
        args[position + 1] = MakeTuple(flat_region(call.type, site.span), call.span)
    return again(to, new, args)


def assembled(to: Flattening, site: Site) -> Expr:
    """A write of whole rows into a tile.

    Raises:
        UserError: what is written are no rows that follow each other.
    """
    call, new = site.call, to.flat(site.call)
    target, source = call.args[0].type, call.args[1].type
    if not isinstance(target, TileType) or not isinstance(source, TileType) or not isinstance(new, Call):
        return new
    if not _has_deep(call):
        return new
    offsets = elements(new.args[2])
    if not len(target.shape) == len(source.shape) == len(offsets):
        text = f"tile.assemble writes a rank-{len(source.shape)} source at {len(offsets)} offsets of a rank-"
        raise UserError("FLAT004", f"{text}{len(target.shape)} tile", call.span, help="reshape one of them")
    if not is_prefix(target.shape[:-1], source.shape[:-1]):
        shapes = f"{format_shape(source.shape)} in {format_shape(target.shape)}"
        text = f"tile.assemble writes {shapes}, which is no contiguous row band of the flattened tile"
        raise UserError("FLAT004", text, call.span, help="assemble one index of the outer dimension at a time")
    return again(to, new, (*new.args[:2], MakeTuple(flat_offset(offsets, target.shape), call.span)))


def reshaped(to: Flattening, site: Site) -> Expr:
    """Another look at a tile, in the shape that the author asks for, whatever its dimensions."""
    new = to.flat(site.call)
    if not isinstance(new, Call) or all(a is b for a, b in zip(new.args, site.call.args, strict=True)):
        return new
    return again(to, new)


LOWERINGS: Mapping[str, Lowering] = {
    **dict.fromkeys(SHAPES, shaped),
    **dict.fromkeys(("tile.read", "tile.write", "tile.slice", "tile.fillpad_expand"), unsupported),
    "tile.load": loaded,
    "tile.store": stored,
    "tile.assemble": assembled,
    "tile.transpose": transposed,
    "tile.transpose_view": turned,
    "tile.reshape": reshaped,
    "tile.reinterpret_view": reshaped,
}
"""The operations that are not just made again."""
