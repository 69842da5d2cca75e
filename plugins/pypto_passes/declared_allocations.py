# SPDX-License-Identifier: Apache-2.0
"""Allocations that an author declares with `pl.MemRef`: size, space and slots follow from the tiles bound to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    AssignStmt,
    ConstInt,
    DataType,
    Expr,
    Function,
    MemorySpace,
    MemRef,
    ShapedType,
    TensorType,
    TileType,
    Var,
    as_int,
    rebuilt,
)
from pypto_build.ops.arithmetic import scaled
from pypto_build.passes import PassContext
from pypto_passes.tile_storage import static_shape, storage_bytes

_MAX_SIZE = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Allocation:
    """A space and a number of bytes; pinned when the author declared it."""

    space: MemorySpace
    size: int
    pinned: bool = False


class DeclaredAllocations:
    """The declared allocations of a function."""

    def __init__(self, function: Function, context: PassContext) -> None:
        bound: dict[Var, list[Var]] = {}
        for var in statement_vars(function):
            ref = _declaration(var.type)
            if ref is not None:
                bound.setdefault(ref.base, []).append(var)
        self._resolved = {base: _resolved(base, tiles, context) for base, tiles in bound.items()}
        self._slot_bytes = {base: _slot_bytes(tiles, context) for base, tiles in bound.items()}

    def reference(self, kind: ShapedType) -> tuple[MemRef, Allocation] | None:
        """The resolved reference of a bound tile and its allocation; None for a tile that is not bound."""
        ref = _declaration(kind)
        if ref is None:
            return None
        slot = self._slot_bytes[ref.base]
        changes: dict[str, object] = {"is_pinned": False, "size": slot, "byte_offset": _slot_offset(ref, slot)}
        return rebuilt(ref, changes), self._resolved[ref.base]

    def check_unbound(self, stmt: AssignStmt) -> None:
        """A view or an in-place result cannot be placed: UserError when its author tried."""
        if _declaration(stmt.var.type) is not None:
            raise UserError(
                "MEM002",
                f"'{stmt.var.name_hint}' cannot be bound to a pl.MemRef: it lands in its source tile's allocation",
                stmt.span,
                help="bind the source tile instead",
            )


def _declaration(kind: object) -> MemRef | None:
    ref = kind.memref if isinstance(kind, TileType | TensorType) else None
    return ref if ref is not None and ref.is_pinned else None


def _resolved(base: Var, tiles: Sequence[Var], context: PassContext) -> Allocation:
    first = tiles[0]
    count = _slots(first)
    for tile in tiles:
        _check_bound(base, tile, first)
    size = _slot_bytes(tiles, context) * count
    if size > _MAX_SIZE:
        raise UserError("MEM003", f"the allocation '{base.name_hint}' overflows a 64-bit size", first.span)
    if context.memory_planner == "ptoas" and count == 1:
        raise UserError(
            "MEM004",
            f"the allocation '{base.name_hint}' is declared, but the memory planner 'ptoas' cannot keep it apart",
            first.span,
            help="use the memory planner 'pypto', or declare it with slots",
        )
    return Allocation(_space(first), size, pinned=True)


def _check_bound(base: Var, tile: Var, first: Var) -> None:
    name = base.name_hint
    if isinstance(tile.type, ShapedType) and static_shape(tile.type) is None:
        text = f"the allocation '{name}' is bound to '{tile.name_hint}', whose shape is not constant"
        raise _wrong(text, tile.span, "a declared allocation needs a size that is known at compile time")
    if _space(tile) is not _space(first):
        text = f"tiles of the allocation '{name}' must be in the same memory space: {_spaces(first, tile)}"
        raise _wrong(text, tile.span, "declare one pl.MemRef for each memory space")
    if _slots(tile) != _slots(first):
        text = f"tiles of the allocation '{name}' disagree on how many slots it has: {_slots(first)}, {_slots(tile)}"
        raise _wrong(text, tile.span, "bind all tiles through one declaration")


def _wrong(text: str, span: Span, advice: str) -> UserError:
    return UserError("MEM005", text, span, help=advice)


def _spaces(*tiles: Var) -> str:
    return ", ".join(f"'{tile.name_hint}' is in {_space(tile).name}" for tile in tiles)


def _space(tile: Var) -> MemorySpace:
    kind = tile.type
    return (kind.memory_space if isinstance(kind, TileType) else None) or MemorySpace.DDR


def _slots(tile: Var) -> int:
    ref = _declaration(tile.type)
    return 1 if ref is None else ref.slot_count


def _slot_bytes(tiles: Sequence[Var], context: PassContext) -> int:
    sizes = [storage_bytes(t.type, context.hardware, t.span) for t in tiles if isinstance(t.type, ShapedType)]
    return max(sizes)


def _slot_offset(ref: MemRef, slot: int) -> Expr:
    index = ref.slot_index
    if index is None:
        return ConstInt(0, DataType.INT64)
    constant = as_int(index)
    return scaled(index, slot) if constant is None else ConstInt(constant * slot, DataType.INT64)
