# SPDX-License-Identifier: Apache-2.0
"""Moves between buffers, windows of tiles, and tiles under another type."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.errors import UserError
from pypto_build.ir import Call, DataType, Expr, MemorySpace, TileType, Var, as_int, rebuilt
from pypto_targets.pto.handles import tile_type
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, argument, in_place, result, tile_of, write
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import row_bytes, rows_and_columns, tile_buffer

_CONVERTED_ON_THE_WAY = (DataType.BF16, DataType.FP16)


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a tile: where it starts, its constant sizes, and how much of it is valid (empty: all)."""

    offsets: tuple[Expr, ...]
    sizes: tuple[Expr, ...]
    valid: tuple[Expr, ...] = ()


def move(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.move(tile)`; nothing where the assembler has put both into one buffer."""
    source, target = kernel.value(call.args[0]), result(kernel, call, var)
    if source.name != target.name:
        write(kernel, "pto.tmov", [source], [target])


def transpose(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.transpose(src, axis1, axis2[, tmp])`."""
    tiles = [call.args[0], *call.args[3:4]]
    write(kernel, "pto.ttrans", [kernel.value(tile) for tile in tiles], [result(kernel, call, var)])


def window(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.slice(src, shape, offset[, valid])`: a view, nothing is copied.

    What is valid is stated unless it is everything: nothing else can be told from the source, whose extents are open.
    """
    if var is None:
        return
    kind = tile_of(call)
    valid = _shown(kind)
    explicit = argument(call, 3)
    stated = explicit is not None and bool(tuple_items(explicit))
    everything = all(as_int(a) == as_int(b) is not None for a, b in zip(valid, kind.shape, strict=True))
    place = Window(tuple_items(call.args[2]), kind.shape, valid if stated or not everything else ())
    source = kernel.value(call.args[0])
    kernel.pitches[var] = _pitch(kernel, call)
    kernel.values[var] = kernel.handles.share(var, subview(kernel, source, place, kind, hint="slice_view"))


def _pitch(kernel: Kernel, call: Call) -> int:
    """The bytes between the rows of a window: those of the tile that it is a window of."""
    source = call.args[0]
    known = kernel.pitches.get(source) if isinstance(source, Var) else None
    return row_bytes(tile_of(call, 0)) if known is None else known


def _shown(kind: TileType) -> tuple[Expr, ...]:
    """The valid extents; 0 stands for a tile of which nobody has said anything yet, whose windows are whole."""
    valid = kind.effective_tile_view().valid_shape
    return tuple(size if as_int(extent) == 0 else extent for extent, size in zip(valid, kind.shape, strict=True))


def subview(kernel: Kernel, source: Value, place: Window, kind: TileType, *, hint: str) -> Value:
    """A window of a tile; `kind` says how its elements lie."""
    rows, columns = rows_and_columns(place.sizes)
    row, column = rows_and_columns(place.offsets)
    sizes = f"[{1 if rows is None else as_int(rows)}, {as_int(columns)}]"
    first = kernel.text.integer(0, "index") if row is None else kernel.index(row)
    places = f"[{first.name}, {kernel.index(column).name}]"
    extents = ""
    if place.valid:
        height, width = rows_and_columns(place.valid)
        high = kernel.text.integer(1, "index") if height is None else kernel.index(height)
        extents = f" valid [{high.name}, {kernel.index(width).name}]"
    made = tile_buffer(_windowed(kind, place), static_valid=True)
    text = f"pto.subview {source.name}{places} sizes {sizes}{extents} : {source.type} -> {made}"
    return kernel.handles.view(text, made, hint)


def _windowed(kind: TileType, place: Window) -> TileType:
    view = rebuilt(kind.effective_tile_view(), {"valid_shape": place.valid or place.sizes})
    return rebuilt(kind, {"shape": place.sizes, "tile_view": view, "memref": None})


def assemble(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.assemble(target, source, offset)`: the source is written into a window of the target's buffer."""
    source, kind = tile_of(call, 1), tile_of(call, 0)
    destination = _assembled_into(kernel, call, var)
    offsets = tuple_items(call.args[2])
    value = kernel.value(call.args[1])
    if source.memory_space is MemorySpace.Acc and kind.memory_space is MemorySpace.Mat and _converted(source, kind):
        row, column = rows_and_columns(offsets)
        first = kernel.text.integer(0, "index") if row is None else kernel.index(row)
        write(kernel, "pto.tinsert", [value, first, kernel.index(column)], [destination])
        return
    place = Window(offsets, source.shape, source.effective_tile_view().valid_shape)
    view = subview(kernel, destination, place, tile_of(call), hint="assemble_view")
    write(kernel, "pto.tmov", [value], [view])


def _converted(source: TileType, target: TileType) -> bool:
    return source.dtype in _CONVERTED_ON_THE_WAY or target.dtype in _CONVERTED_ON_THE_WAY


def _assembled_into(kernel: Kernel, call: Call, var: Var | None) -> Value:
    """The result's buffer, with what the target holds outside of the window."""
    target = kernel.value(call.args[0])
    if var is None:
        return target
    destination = kernel.tile(var)
    source, kind = tile_of(call, 1), tile_of(call)
    if destination.name == target.name or _same_bytes(tile_of(call, 0), kind) or _covers(call, source, kind):
        return destination
    if kind.memory_space is MemorySpace.Mat:
        raise UserError(
            "PTO008",
            "a tile in Mat cannot be copied within Mat, so what is assembled needs its target's buffer",
            call.span,
            help="do not use the target after it was assembled into",
        )
    write(kernel, "pto.tmov", [target], [destination])
    return destination


def _same_bytes(left: TileType, right: TileType) -> bool:
    if left.memref is None or right.memref is None or left.memory_space is not right.memory_space:
        return False
    offset = as_int(left.memref.byte_offset)
    return offset is not None and offset == as_int(right.memref.byte_offset)


def _covers(call: Call, source: TileType, kind: TileType) -> bool:
    at_origin = all(as_int(offset) == 0 for offset in tuple_items(call.args[2]))
    return at_origin and tuple(map(as_int, source.shape)) == tuple(map(as_int, kind.shape))


def extract(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.extract(src, row, column, shape)`: a window copied into another buffer."""
    target = result(kernel, call, var)
    places = [kernel.index(call.args[1]), kernel.index(call.args[2])]
    write(kernel, "pto.textract", [kernel.value(call.args[0]), *places], [target])


def reinterpret(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.reshape` and its kin: the same bytes under another type.

    With an address of its own the result needs nothing but its declaration.
    """
    if var is None:
        return
    kind = tile_type(var)
    if len(kind.shape) > 2:  # only further looks see the tile so, no instruction does
        kernel.alias(var, call.args[0])
        return
    if kernel.handles.addressed and kind.memref is not None:
        kernel.tile(var)
        return
    source = kernel.value(call.args[0])
    if source.type in (tile_buffer(kind), tile_buffer(kind, static_valid=True)):
        kernel.values[var] = source
        return
    kernel.values[var] = kernel.handles.retype(source, kind)


def set_valid(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.set_validshape(tile, rows, columns)`: changes the tile in place, which a view has no operands for."""
    tile = in_place(kernel, call, var)
    if tile.name in kernel.handles.views:
        raise UserError(
            "PTO009",
            "tile.set_validshape cannot narrow a tile view: a window states its extents in its type",
            call.span,
            help="give the slice a valid_shape, or narrow the tile before taking the window",
        )
    kernel.handles.narrow(tile, (call.args[1], call.args[2]))


HANDLERS: dict[str, Handler] = {
    "tile.move": move,
    "tile.transpose": transpose,
    "tile.slice": window,
    "tile.assemble": assemble,
    "tile.extract": extract,
    "tile.reshape": reinterpret,
    "tile.reinterpret_view": reinterpret,
    "tile.transpose_view": reinterpret,
    "tile.set_validshape": set_valid,
}
