# SPDX-License-Identifier: Apache-2.0
"""AllocateMemoryAddr: every allocation of a core gets an address.

Buffers that `system.reserve_buffer` sets aside come first. The planner `pypto` puts allocations one behind the other,
because MemoryReuse has made few of them; the planner `dsa_rp` decides here which of them share bytes. Tiles of an
allocation keep their distance from its start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.pipeline_membership import without_membership
from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.errors import UNKNOWN_SPAN, Diagnostic, Span
from pypto_build.ir import (
    Call,
    ConstInt,
    DataType,
    Expr,
    Function,
    MemorySpace,
    MemRef,
    Program,
    Rewriter,
    TileType,
    Var,
    as_int,
    frozen_map,
    rebuilt,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.address_layout import is_beyond, origins, sequential_layout, usage
from pypto_passes.reserved_buffers import RESERVE, Reserved
from pypto_passes.reuse_aware_layout import reuse_aware_layout
from pypto_passes.reuse_penalties import named_penalties
from pypto_passes.tile_storage import is_core_function

P = IRProperty
DSA_RP = "dsa_rp"


@dataclass(frozen=True, slots=True)
class AllocateMemoryAddr(FunctionPass):
    """Assign addresses to the allocations of a kernel."""

    name: ClassVar[str] = "AllocateMemoryAddr"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SplitIncoreOrch, P.IncoreTileOps, P.HasMemRefs, P.TileOps2D}
    )
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.AllocatedMemoryAddr})
    after: ClassVar[tuple[str, ...]] = ("InitMemRef", "MemoryReuse")
    reads: ClassVar[tuple[str, ...]] = ("hardware", "memory_planner")

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
        if context.memory_planner == DSA_RP:
            layout = reuse_aware_layout(function, reserved, context)
        else:
            layout = sequential_layout(function, reserved, context.hardware)
        return _Placer(layout, reserved.bases, origins(function)).visit(function)

    @staticmethod
    def reuse_penalties(function: Function, context: PassContext) -> list[tuple[str, str]]:
        """The tiles that the planner `dsa_rp` had better not put into the same bytes, in pairs by name."""
        return named_penalties(function, context)


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
        new: Call = without_membership(self.visit_node(call))
        if new.op.name != RESERVE:
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


def verify_allocated_memory_addr(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No tile lies beyond the end of its memory space."""
    for function in program.functions.values():
        for space, (end, span) in _high_water(function).items():
            limit = context.hardware.capacity(space)
            if is_beyond(end, limit):
                text = usage(function, Reserved.of(function), space, end, limit)
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
