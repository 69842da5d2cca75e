# SPDX-License-Identifier: Apache-2.0
"""Packing buffers into fewer: largest first, each into the first that is free while it lives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pypto_build.analysis.lifetimes import Interval
from pypto_build.ir import (
    ForStmt,
    Function,
    MemorySpace,
    MemRef,
    TileType,
    Var,
    WhileStmt,
    as_int,
    defined_vars,
)
from pypto_build.passes import PassContext
from pypto_passes.allocation_statements import pinned_bases
from pypto_passes.slot_timeline import SlotTimeline, lowest_free
from pypto_passes.tile_lifetimes import tile_lifetimes


@dataclass(eq=False, slots=True)
class Buffer:
    """An allocation: where its tiles start, how many bytes they take, and when it holds something."""

    base: Var
    space: MemorySpace
    origin: int = 2**62
    size: int = 0
    intervals: list[Interval] = field(default_factory=list)


def buffers_of(function: Function, context: PassContext) -> list[Buffer]:
    """The allocations of a function that are not declared, in the order in which they are first written."""
    pinned = pinned_bases(function)
    found: dict[Var, Buffer] = {}
    lifetimes = tile_lifetimes(function, context)
    for var in defined_vars([function]):
        kind = var.type
        ref = kind.memref if isinstance(kind, TileType) else None
        if not isinstance(kind, TileType) or ref is None or ref.base in pinned:
            continue
        space = kind.memory_space or MemorySpace.DDR
        if space is not MemorySpace.DDR:
            buffer = found.setdefault(ref.base, Buffer(ref.base, space))
            _extend(buffer, ref)
            buffer.intervals.extend(lifetimes.intervals(var))
    for stmt, blocks in lifetimes.blocks.items():
        for arg in stmt.iter_args if isinstance(stmt, ForStmt | WhileStmt) else ():
            ref = arg.type.memref if isinstance(arg.type, TileType) else None
            if ref is not None and ref.base in found:  # a gap would make another tile wait for the carry
                found[ref.base].intervals.append((blocks[0].start, blocks[0].end))
    return sorted(found.values(), key=lambda buffer: min(buffer.intervals, default=(0, 0)))


def _extend(buffer: Buffer, ref: MemRef) -> None:
    offset = as_int(ref.byte_offset)
    if offset is not None:
        end = max(offset + ref.size, buffer.origin + buffer.size if buffer.size else 0)
        buffer.origin = min(buffer.origin, offset)
        buffer.size = end - buffer.origin


def packed(buffers: Sequence[Buffer]) -> Mapping[Var, tuple[Buffer, Buffer]]:
    """For the base of each buffer that moves, the buffer and the one that takes it in."""
    moved: dict[Var, tuple[Buffer, Buffer]] = {}
    points = max((end for buffer in buffers for _, end in buffer.intervals), default=0)
    for space in MemorySpace:
        own = [buffer for buffer in buffers if buffer.space is space]
        for buffer, host in _first_fit(own, points):
            if host is not buffer:
                moved[buffer.base] = (buffer, host)
    return moved


def _first_fit(buffers: Sequence[Buffer], points: int) -> Iterable[tuple[Buffer, Buffer]]:
    if not buffers:
        return
    timeline = SlotTimeline(points + 1)
    hosts: list[Buffer] = []
    for buffer in sorted(buffers, key=lambda item: -item.size):
        slot = lowest_free(timeline.taken(buffer.intervals))
        if slot == len(hosts):
            hosts.append(buffer)
        timeline.take(buffer.intervals, slot)
        yield buffer, hosts[slot]
