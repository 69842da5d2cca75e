# SPDX-License-Identifier: Apache-2.0
"""The buffers of a kernel as packing sees them: bytes, lifetimes, and the pipeline stages of the tiles in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pypto_build.analysis.lifetimes import Interval, Lifetimes
from pypto_build.analysis.pipeline_membership import membership
from pypto_build.analysis.statement_walk import assignments, statement_vars
from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import (
    Call,
    ForStmt,
    Function,
    MemorySpace,
    MemRef,
    TileType,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    as_int,
)
from pypto_passes.allocation_statements import pinned_bases


@dataclass(eq=False, slots=True)
class Buffer:
    """An allocation: where its tiles start, how many bytes they take, and when it holds something.

    `stages` holds the stages of its tiles by pipeline group.
    """

    base: Var
    space: MemorySpace
    origin: int = 0
    size: int = 0
    intervals: list[Interval] = field(default_factory=list)
    stages: dict[int, set[int]] = field(default_factory=dict)
    span: Span = UNKNOWN_SPAN

    def extend(self, ref: MemRef) -> None:
        """Take in the bytes of a reference; a dynamic offset lies within a tile that is taken in too."""
        offset = as_int(ref.byte_offset)
        if offset is None:
            return
        end = max(offset + ref.size, self.origin + self.size) if self.size else offset + ref.size
        self.origin = min(self.origin, offset) if self.size else offset
        self.size = end - self.origin


def buffers_of(function: Function, lifetimes: Lifetimes) -> list[Buffer]:
    """The on-chip allocations of a function that are not declared, in the order in which they are first written."""
    pinned = pinned_bases(function)
    found: dict[Var, Buffer] = {}
    for var in statement_vars(function):
        kind = var.type
        ref = kind.memref if isinstance(kind, TileType) else None
        space = (kind.memory_space if isinstance(kind, TileType) else None) or MemorySpace.DDR
        if ref is None or ref.base in pinned or space is MemorySpace.DDR:
            continue
        buffer = found.get(ref.base)
        if buffer is None:
            buffer = found[ref.base] = Buffer(ref.base, space, span=var.span)
        buffer.extend(ref)
        buffer.intervals.extend(lifetimes.intervals(var))
    _keep_through_loops(found, lifetimes)
    _note_stages(found, function)
    return sorted(found.values(), key=lambda buffer: min(buffer.intervals, default=(0, 0)))


def _keep_through_loops(found: Mapping[Var, Buffer], lifetimes: Lifetimes) -> None:
    """A carry keeps its buffer all through the loop: a tile in a gap would wait for the carry, and the carry for it."""
    for stmt, blocks in lifetimes.blocks.items():
        for arg in stmt.iter_args if isinstance(stmt, ForStmt | WhileStmt) else ():
            buffer = _buffer(found, arg)
            if buffer is not None:
                buffer.intervals.append((blocks[0].start, blocks[0].end))


def _note_stages(found: Mapping[Var, Buffer], function: Function) -> None:
    calls: dict[object, Call] = {}
    for stmt in assignments(function):
        value = calls.get(stmt.value.tuple) if isinstance(stmt.value, TupleGetItemExpr) else stmt.value
        if not isinstance(value, Call) or not value.attrs:
            continue
        calls[stmt.var] = value
        buffer = _buffer(found, stmt.var)
        if buffer is not None:
            for group, stage in membership(value.attrs):
                buffer.stages.setdefault(group, set()).add(stage)


def _buffer(found: Mapping[Var, Buffer], var: Var) -> Buffer | None:
    ref = var.type.memref if isinstance(var.type, TileType) else None
    return found.get(ref.base) if ref is not None else None


def by_space(buffers: Iterable[Buffer]) -> Mapping[MemorySpace, list[Buffer]]:
    """The buffers of each memory space, in the order of the spaces."""
    found: dict[MemorySpace, list[Buffer]] = {}
    for buffer in buffers:
        found.setdefault(buffer.space, []).append(buffer)
    return {space: found[space] for space in MemorySpace if space in found}
