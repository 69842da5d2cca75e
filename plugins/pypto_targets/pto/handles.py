# SPDX-License-Identifier: Apache-2.0
"""The buffers of a kernel's tiles: what each is called, and where it is declared.

When we place tiles, every variable has a declaration of its own, and sharing is by equal addresses. When the assembler
does, variables of one memory reference share one handle, because two declarations would be two buffers to it.
Source: the public description of memory planners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pypto_build.errors import InternalError
from pypto_build.ir import ConstInt, Expr, MemRef, TileType, Var, as_int
from pypto_targets.pto.text import KernelText, Value
from pypto_targets.pto.types import rows_and_columns, tile_buffer


@dataclass(frozen=True, slots=True)
class ScalarText:
    """How a handle writes the scalars that it needs: extents as `index`, addresses as `i64`."""

    index: Callable[[Expr], Value]
    address: Callable[[Expr], Value]
    is_parameter: Callable[[Expr], bool]


class TileHandles:
    """Declares buffers; `views` are the names of windows and re-typed tiles, which have no extents to change."""

    def __init__(self, text: KernelText, scalars: ScalarText, *, addressed: bool) -> None:
        self.addressed = addressed
        self.views: set[str] = set()
        self.slot: Callable[[Var, MemRef], Value] | None = None  # takes a slot of a region of the assembler
        self._text = text
        self._scalars = scalars
        self._shared: dict[object, tuple[TileType, Value]] = {}

    def declared(self, var: Var) -> Value:
        """The handle of a variable that something is about to be written to."""
        kind = tile_type(var)
        if self.addressed or kind.memref is None:
            return self._declare(var, kind, kind.effective_tile_view().valid_shape)
        known = self._shared.get(_place(kind.memref))
        if known is not None:
            return self._retyped(var, *known)
        if kind.memref.slot_count > 1 and self.slot is not None:
            made = self.slot(var, kind.memref)
        else:
            made = self._declare(var, kind, kind.effective_tile_view().valid_shape)
        return self.share(var, made)

    def share(self, var: Var, value: Value) -> Value:
        """Variables of the same memory reference are this value from now on, where the assembler places tiles."""
        kind = tile_type(var)
        if not self.addressed and kind.memref is not None:
            self._shared[_place(kind.memref)] = (kind, value)
        return value

    def merged(self, var: Var) -> Value:
        """The handle of what branches merge into, declared at the head so that it dominates them.

        Extents that are computed in the body are set in front of the branches. A handle whose address is computed is
        declared there as well.
        """
        kind = tile_type(var)
        ref = kind.memref
        if self.addressed and ref is not None and as_int(ref.byte_offset) is None:
            return self.declared(var)
        valid = kind.effective_tile_view().valid_shape
        early = all(isinstance(extent, ConstInt) or self._scalars.is_parameter(extent) for extent in valid)
        known = None if self.addressed or ref is None else self._shared.get(_place(ref))
        if known is not None:
            return self._retyped(var, *known)
        with self._text.in_head():
            made = self.share(var, self._declare(var, kind, valid if early else kind.shape))
        if not early:
            self.narrow(made, valid)
        return made

    def narrow(self, tile: Value, extents: tuple[Expr, ...]) -> None:
        """Change the valid extents of a declared tile."""
        row, column = self._extents(extents)
        self._text.emit(f"pto.set_validshape {tile.name}, {row.name}, {column.name} : {tile.type}")

    def view(self, operation: str, kind: str, hint: str) -> Value:
        """A window of a tile, or a tile under another type."""
        made = self._text.define(operation, kind, hint)
        self.views.add(made.name)
        return made

    def retype(self, source: Value, kind: TileType, hint: str = "reshape_buf") -> Value:
        """The same bytes under another type; its extents stand in the type, for the operation takes none."""
        made = tile_buffer(kind, static_valid=True)
        return self.view(f"pto.treshape {source.name} : {source.type} -> {made}", made, hint)

    def _retyped(self, var: Var, kind: TileType, shared: Value) -> Value:
        own = tile_type(var)
        return shared if _box(own) == _box(kind) else self.retype(shared, own, var.name_hint)

    def _declare(self, var: Var, kind: TileType, extents: tuple[Expr, ...]) -> Value:
        address = self._address(kind) if self.addressed else ""
        row, column = self._extents(extents)
        text = f"pto.alloc_tile {address}valid_row = {row.name} valid_col = {column.name} : {tile_buffer(kind)}"
        return self._text.define(text, tile_buffer(kind), var.name_hint)

    def _address(self, kind: TileType) -> str:
        """Nothing for a tile that no pass has placed: the assembler says what it thinks of that."""
        return f"addr = {self._scalars.address(kind.memref.byte_offset).name} " if kind.memref is not None else ""

    def _extents(self, extents: tuple[Expr, ...]) -> tuple[Value, Value]:
        row, column = rows_and_columns(extents)
        first = self._text.integer(1, "index") if row is None else self._scalars.index(row)
        return first, self._scalars.index(column)


def tile_type(var: Expr) -> TileType:
    """The type of a tile."""
    kind = var.type
    if not isinstance(kind, TileType):
        raise InternalError(f"{var} is no tile", var.span)
    return kind


def _place(ref: MemRef) -> object:
    """Equal for references to the same bytes of the same allocation."""
    offset = as_int(ref.byte_offset)
    return ref.base, ref.byte_offset if offset is None else offset


def _box(kind: TileType) -> object:
    view = kind.effective_tile_view()
    shape = tuple(as_int(dim) for dim in kind.shape)
    return kind.dtype, shape, kind.memory_space, view.blayout, view.slayout, view.fractal
