# SPDX-License-Identifier: Apache-2.0
"""MemoryReuse: tiles that are never alive together share one allocation.

In each memory space the largest tiles come first, and each takes the first allocation that is free while it lives.
Allocations that nobody uses any more go. What must share, and what must not, is known before: carries and merges are
in one buffer each, and an operand that must not be overwritten lives until the result is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.pipeline_membership import without_membership
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    Function,
    IterArg,
    MemorySpace,
    MemRef,
    Rewriter,
    Stmt,
    TileType,
    Var,
    as_int,
    frozen_map,
    rebuilt,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.passes import Callees, FunctionPass, HardwareDescription, IRProperty, PassContext
from pypto_passes.address_layout import allocations
from pypto_passes.allocation_statements import is_pinned, pinned_bases, with_allocations
from pypto_passes.buffers import Buffer, buffers_of, by_space
from pypto_passes.materialize_semantic_aliases import with_semantic_aliases
from pypto_passes.pipeline_depths import Room, packed
from pypto_passes.reserved_buffers import Reserved, aligned
from pypto_passes.tile_lifetimes import tile_lifetimes
from pypto_passes.tile_storage import is_core_function

P = IRProperty


@dataclass(frozen=True, slots=True)
class MemoryReuse(FunctionPass):
    """Let tiles share allocations when their lifetimes allow it."""

    name: ClassVar[str] = "MemoryReuse"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SplitIncoreOrch, P.IncoreTileOps, P.HasMemRefs, P.TileOps2D, P.NormalizedStmtStructure}
    )
    after: ClassVar[tuple[str, ...]] = ("InitMemRef", "MaterializeSemanticAliases")
    before: ClassVar[tuple[str, ...]] = ("AllocateMemoryAddr",)
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with shared allocations; the same object when there is nothing to share.

        Raises:
            UserError: two tiles are bound to one slot of a declared allocation while both are needed.
            InternalError: a tile of the cube would have to be moved within its memory.
        """
        del callees
        aliased = with_semantic_aliases(function, context)
        lifetimes = tile_lifetimes(aliased, context)
        buffers = buffers_of(aliased, lifetimes)
        if not buffers:
            return aliased
        moved: dict[Var, tuple[Buffer, Buffer]] = {}
        apart: set[Var] = set()
        taken = _taken_bytes(aliased, context.hardware)
        for space, own in by_space(buffers).items():
            hardware = context.hardware
            room = Room(space, hardware.capacity(space), taken.get(space, 0), hardware.alignment(space))
            packing = packed(own, room)
            for note in packing.notes:
                context.report(note)
            for slot in packing.slots:
                moved.update((buffer.base, (buffer, slot.host)) for buffer in slot.members[1:])
                apart.update((slot.host.base,) if slot.apart else ())
        new: Function = _Rebaser(moved, apart).visit(aliased)
        return with_allocations(new)


def _taken_bytes(function: Function, hardware: HardwareDescription) -> Mapping[MemorySpace, int]:
    """The bytes of each space that reserved buffers and declared allocations take before anything is packed."""
    taken: dict[MemorySpace, int] = {}
    if is_core_function(function):
        reserved = Reserved.of(function)
        taken[reserved.space] = reserved.end
    pinned = pinned_bases(function)
    for base, space, size in allocations(function):
        if base in pinned:
            taken[space] = aligned(taken.get(space, 0), hardware.alignment(space)) + size
    return taken


class _Rebaser(Rewriter):
    """Moves tiles from their allocation to the one that takes it in, and drops what only this pass needed to know.

    An allocation that only the stages of a pipeline keep from sharing is declared, so that no later run shares it.
    """

    REWRITES_TYPES = False

    def __init__(self, moved: Mapping[Var, tuple[Buffer, Buffer]], apart: Set[Var]) -> None:
        super().__init__()
        self._moved = moved
        self._apart = apart

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        if stmt.var in self._apart and isinstance(stmt.value, Call) and not is_pinned(stmt):
            kwargs = frozen_map({**stmt.value.kwargs, "pinned": True})
            return rebuilt(stmt, {"value": rebuilt(stmt.value, {"kwargs": kwargs})})
        return self.visit_node(stmt)

    def visit_definition(self, var: Var) -> Var:
        kind = var.type
        changes: dict[str, object] = {}
        if isinstance(kind, TileType) and kind.memref is not None and kind.memref.base in self._moved:
            own, host = self._moved[kind.memref.base]
            changes["type"] = rebuilt(kind, {"memref": _rebased(kind.memref, own, host)})
        if isinstance(var, IterArg):
            init: Expr = self.visit(var.init_value)
            if init is not var.init_value:
                changes["init_value"] = init
        return self.rebound(var, changes)

    def visit_call(self, call: Call) -> Expr:
        return without_membership(self.visit_node(call))


def _rebased(ref: MemRef, own: Buffer, host: Buffer) -> MemRef:
    offset = ref.byte_offset
    if own.origin != host.origin:
        constant = as_int(offset)
        shift = host.origin - own.origin
        moved = ConstInt((constant or 0) + shift, DataType.INT64)
        offset = moved if constant is not None else plus(offset, ConstInt(shift, DataType.INT64))
    return rebuilt(ref, {"base": host.base, "name_hint": host.base.name_hint, "byte_offset": offset})
