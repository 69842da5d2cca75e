# SPDX-License-Identifier: Apache-2.0
"""AllocateMemoryAddr: every allocation of a core gets an address, one after the other in each memory space.

Buffers that `system.reserve_buffer` sets aside come first. Tiles of an allocation keep their distance from its start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pypto_build.analysis.names import AutoName
from pypto_build.analysis.statement_walk import assignments, statement_vars
from pypto_build.errors import UNKNOWN_SPAN, Diagnostic, InternalError, Span, UserError
from pypto_build.ir import (
    Call,
    ConstInt,
    DataType,
    Expr,
    Function,
    FunctionType,
    MemorySpace,
    MemRef,
    Program,
    Rewriter,
    TileType,
    Var,
    as_int,
    collect,
    frozen_map,
    rebuilt,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.passes import Callees, FunctionPass, HardwareDescription, IRProperty, PassContext
from pypto_passes.tile_storage import is_core_function

P = IRProperty
AUTOMATIC = -1  # a reserved buffer without a base
_RESERVE = "system.reserve_buffer"


@dataclass(frozen=True, slots=True)
class AllocateMemoryAddr(FunctionPass):
    """Assign addresses to the allocations of a kernel."""

    name: ClassVar[str] = "AllocateMemoryAddr"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SplitIncoreOrch, P.IncoreTileOps, P.HasMemRefs, P.TileOps2D}
    )
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.AllocatedMemoryAddr})
    after: ClassVar[tuple[str, ...]] = ("InitMemRef", "MemoryReuse")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The kernel with addresses; the same object when they are assigned already.

        Raises:
            UserError: the allocations of a memory space need more than it has.
            InternalError: reserved buffers overlap.
        """
        del callees
        if not is_core_function(function):
            return function
        reserved = Reserved.of(function)
        layout = _layout(function, reserved, context.hardware)
        return _Placer(layout, reserved.bases, _origins(function)).visit(function)


# -- reserved buffers --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Reserved:
    """The buffers that a function sets aside: their bases by name, the space they are in and where that part ends."""

    space: MemorySpace
    end: int = 0
    bases: dict[str, int] = field(default_factory=dict)
    ranges: list[tuple[int, int]] = field(default_factory=list)

    @staticmethod
    def of(function: Function) -> Reserved:
        """In program order; a buffer without a base lies behind those before it."""
        cube = function.func_type is FunctionType.AIC
        reserved = Reserved(MemorySpace.Mat if cube else MemorySpace.Vec)
        for call in collect(function, Call):
            if call.op.name == _RESERVE:
                reserved.add(call, function)
        return reserved

    def add(self, call: Call, function: Function) -> None:
        """Set one buffer aside; InternalError when it overlaps another."""
        name, size = str(call.kwargs["name"]), _number(call.kwargs["size"])
        base = _number(call.kwargs.get("base", AUTOMATIC))
        if base == AUTOMATIC:
            base = self.end
        if any(base < end and start < base + size for start, end in self.ranges):
            text = f"function '{function.name}' has overlapping reserve_buffer ranges: '{name}' at {base}, {size} bytes"
            raise InternalError(text, call.span)
        self.ranges.append((base, base + size))
        self.bases[name] = base
        self.end = max(self.end, aligned(base + size, 32))

    def note(self, space: MemorySpace, function: Function) -> str:
        """What to know about reserved bytes when this space overflows."""
        if not self.ranges or space is not self.space:
            return ""
        text = (
            f"\nThe first {self.end} bytes of that space are reserved by system.reserve_buffer, so tiles are placed "
            "above them"
        )
        if _ring_name(function) not in self.bases:
            return text
        return (
            f"{text} - this is the cross-core pipe ring. Lower its depth with "
            "optimizations=[pl.cross_core_slot(slot_num=N)] on the enclosing pl.at(...), or make the tile that crosses "
            "the cores smaller"
        )


def _ring_name(function: Function) -> str:
    """The name that the compiler gives the ring of a kernel half."""
    cube = function.func_type is FunctionType.AIC
    suffix, ring = ("_aic", "_v2c_slot_buffer") if cube else ("_aiv", "_c2v_slot_buffer")
    return function.name.removesuffix(suffix) + ring


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise InternalError(f"a reserved buffer with {value!r}")
    return value


def aligned(value: int, to: int) -> int:
    """The next multiple."""
    return -(-value // to) * to


# -- layout ------------------------------------------------------------------------------------------------------------


def allocations(function: Function) -> Iterable[tuple[Var, MemorySpace, int]]:
    """The allocations of a function in order: base, space and bytes."""
    for stmt in assignments(function):
        value = stmt.value
        if isinstance(value, Call) and value.op.name == "tile.alloc":
            space, size = as_int(value.args[0]), as_int(value.args[1])
            if space is None or size is None:
                raise InternalError("tile.alloc with a size that is not constant", stmt.span)
            yield stmt.var, MemorySpace(space), size


def _layout(function: Function, reserved: Reserved, hardware: HardwareDescription) -> dict[Var, int]:
    ends = {reserved.space: reserved.end}
    places: dict[Var, int] = {}
    for base, space, size in allocations(function):
        places[base] = aligned(ends.get(space, 0), hardware.alignment(space))
        ends[space] = places[base] + size
        limit = hardware.capacity(space)
        if limit is not None and ends[space] > limit:
            raise _overflow(function, reserved, space=space, hardware=hardware)
    return places


def _overflow(
    function: Function, reserved: Reserved, *, space: MemorySpace, hardware: HardwareDescription
) -> UserError:
    used = reserved.end if space is reserved.space else 0
    tiles: list[tuple[int, Var]] = []
    for base, where, size in allocations(function):
        if where is space:
            used = aligned(used, hardware.alignment(space)) + size
            tiles.append((size, base))
    spans = _first_tiles(function)
    largest = sorted(tiles, key=lambda item: -item[0])[:3]
    notes = tuple(_note(spans[base], size) for size, base in largest if base in spans)
    text = (
        f"Function '{function.name}': {space.name} buffer usage ({used} bytes) exceeds platform limit "
        f"({hardware.capacity(space)} bytes){reserved.note(space, function)}"
    )
    span = notes[0][1] if notes else function.span
    return UserError(
        "MEM006", text, span, help="make the tiles smaller, or let fewer of them live at once", notes=notes
    )


def _note(tile: Var, size: int) -> tuple[str, Span]:
    return f"'{AutoName.parse(tile.name_hint).base}' takes {size} bytes", tile.span


def _first_tiles(function: Function) -> Mapping[Var, Var]:
    found: dict[Var, Var] = {}
    for var in statement_vars(function):
        if isinstance(var.type, TileType) and var.type.memref is not None:
            found.setdefault(var.type.memref.base, var)
    return found


# -- rewriting ---------------------------------------------------------------------------------------------------------


def _origins(function: Function) -> Mapping[Var, int]:
    """Where the tiles of each allocation start now: the smallest offset, slots counted back to the first one."""
    found: dict[Var, int] = {}
    for var in statement_vars(function):
        ref = var.type.memref if isinstance(var.type, TileType) else None
        if ref is None:
            continue
        offset = _slot_origin(ref)
        if offset is not None:
            found[ref.base] = min(offset, found.get(ref.base, offset))
    return found


def _slot_origin(ref: MemRef) -> int | None:
    offset = as_int(ref.byte_offset)
    if offset is None or ref.slot_index is None:
        return offset
    slot = as_int(ref.slot_index)
    return None if slot is None else offset - slot * ref.size


class _Placer(Rewriter):
    def __init__(self, layout: Mapping[Var, int], reserved: Mapping[str, int], origins: Mapping[Var, int]) -> None:
        super().__init__()
        self._layout = layout
        self._reserved = reserved
        self._origins = origins

    def visit_mem_ref(self, ref: MemRef) -> Expr:
        known = self.substitution.get(ref)
        if known is not None:
            return known
        new = super().visit_mem_ref(ref)
        place = self._layout.get(ref.base)
        shift = 0 if place is None else place - self._origins.get(ref.base, 0)
        if shift and isinstance(new, MemRef):
            new = rebuilt(new, {"byte_offset": _moved(new.byte_offset, shift)})
            self.substitution[ref] = new
        return new

    def visit_call(self, call: Call) -> Expr:
        new: Call = self.visit_node(call)
        if new.op.name != _RESERVE:
            return new
        base = self._reserved[str(new.kwargs["name"])]
        if new.kwargs.get("base") == base:
            return new
        return rebuilt(new, {"kwargs": frozen_map({**new.kwargs, "base": base})})


def _moved(offset: Expr, shift: int) -> Expr:
    constant = as_int(offset)
    if constant is not None:
        return ConstInt(constant + shift, DataType.INT64)
    return plus(offset, ConstInt(shift, DataType.INT64))


# -- the property ------------------------------------------------------------------------------------------------------


def verify_allocated_memory_addr(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No tile lies beyond the end of its memory space."""
    for function in program.functions.values():
        for space, (end, span) in _high_water(function).items():
            limit = context.hardware.capacity(space)
            if limit is not None and end > limit:
                note = Reserved.of(function).note(space, function)
                text = (
                    f"Function '{function.name}': {space.name} buffer usage ({end} bytes) exceeds platform limit "
                    f"({limit} bytes){note}"
                )
                yield Diagnostic("error", "AllocatedMemoryAddr", text, span)


def _high_water(function: Function) -> Mapping[MemorySpace, tuple[int, Span]]:
    ends: dict[MemorySpace, tuple[int, Span]] = {}
    for var in statement_vars(function):
        kind = var.type
        if not isinstance(kind, TileType) or kind.memref is None or kind.memory_space is None:
            continue
        offset = as_int(kind.memref.byte_offset)
        if offset is not None:
            end = offset + kind.memref.size
            if end > ends.get(kind.memory_space, (0, UNKNOWN_SPAN))[0]:
                ends[kind.memory_space] = (end, var.span)
    return ends
