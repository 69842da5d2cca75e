# SPDX-License-Identifier: Apache-2.0
"""Where the allocations of a function are and go: one behind the other, and what to say when they do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pypto_build.analysis.names import AutoName
from pypto_build.analysis.statement_walk import assignments, statement_vars
from pypto_build.errors import InternalError, Span, UserError
from pypto_build.ir import Call, Function, MemorySpace, MemRef, TileType, Var, as_int
from pypto_build.passes import HardwareDescription
from pypto_passes.reserved_buffers import Reserved, aligned

_NAMED = 3  # tiles of one allocation that are named, and
_SHOWN = 5  # allocations that are shown when a memory is too small


def allocations(function: Function) -> Iterable[tuple[Var, MemorySpace, int]]:
    """The allocations of a function in order: base, space and bytes."""
    for stmt in assignments(function):
        value = stmt.value
        if isinstance(value, Call) and value.op.name == "tile.alloc":
            space, size = as_int(value.args[0]), as_int(value.args[1])
            if space is None or size is None:
                raise InternalError("tile.alloc with a size that is not constant", stmt.span)
            yield stmt.var, MemorySpace(space), size


def sequential_layout(function: Function, reserved: Reserved, hardware: HardwareDescription) -> Mapping[Var, int]:
    """An address for every allocation, one behind the other in each memory space.

    Raises:
        UserError: the allocations of a memory space need more than it has.
    """
    ends = {reserved.space: reserved.end}
    places: dict[Var, int] = {}
    for base, space, size in allocations(function):
        places[base] = aligned(ends.get(space, 0), hardware.alignment(space))
        ends[space] = places[base] + size
    for space, end in ends.items():
        if is_beyond(end, hardware.capacity(space)):
            raise overflow(function, reserved, space, end, hardware)
    return places


def is_beyond(end: int, limit: int | None) -> bool:
    """Whether bytes up to an end are more than there are."""
    return limit is not None and end > limit


def usage(function: Function, reserved: Reserved, space: MemorySpace, end: int, limit: int | None) -> str:
    """The sentence about a memory that is too small."""
    return (
        f"Function '{function.name}': {space.name} buffer usage ({end} bytes) exceeds platform limit "
        f"({limit} bytes){reserved.note(space, function)}"
    )


def overflow(
    function: Function, reserved: Reserved, space: MemorySpace, end: int, hardware: HardwareDescription
) -> UserError:
    """What to say when a memory space is too small: the largest allocations, the tiles in them, and their lines."""
    tiles = tiles_of_allocations(function)
    largest = sorted(((size, base) for base, where, size in allocations(function) if where is space), key=_by_size)
    notes = tuple(_note(tiles[base], size) for size, base in largest[:_SHOWN] if base in tiles)
    return UserError(
        "MEM006",
        usage(function, reserved, space, end, hardware.capacity(space)),
        notes[0][1] if notes else function.span,
        help="make the tiles smaller, or let fewer of them live at once",
        notes=notes,
    )


def _by_size(item: tuple[int, Var]) -> int:
    return -item[0]


def _note(tiles: list[Var], size: int) -> tuple[str, Span]:
    names = list(dict.fromkeys(f"'{AutoName.parse(tile.name_hint).base}'" for tile in tiles))
    rest = len(names) - _NAMED
    if len(names) == 1:
        return f"{names[0]} takes {size} bytes", tiles[0].span
    named = ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return f"{named} take {size} bytes, one after the other", tiles[0].span


def tiles_of_allocations(function: Function) -> Mapping[Var, list[Var]]:
    """The tiles in each allocation, by its base, in the order in which they are defined."""
    found: dict[Var, list[Var]] = {}
    for var in statement_vars(function):
        if isinstance(var.type, TileType) and var.type.memref is not None:
            found.setdefault(var.type.memref.base, []).append(var)
    return found


def origins(function: Function) -> Mapping[Var, int]:
    """Where the tiles of each allocation start now: the smallest offset, slots counted back to the first one."""
    found: dict[Var, int] = {}
    for base, tiles in tiles_of_allocations(function).items():
        starts = [_slot_origin(var.type.memref) for var in tiles if isinstance(var.type, TileType) and var.type.memref]
        known = [start for start in starts if start is not None]
        if known:
            found[base] = min(known)
    return found


def _slot_origin(ref: MemRef) -> int | None:
    offset = as_int(ref.byte_offset)
    if offset is None or ref.slot_index is None:
        return offset
    slot = as_int(ref.slot_index)
    return None if slot is None else offset - slot * ref.size
