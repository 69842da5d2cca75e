# SPDX-License-Identifier: Apache-2.0
"""Addresses by the planner `dsa_rp`: buffers that are never alive together may share bytes, unless a pipe would wait.

Tiles have allocations of their own here; which of them share bytes is decided together with their addresses. Stages of
a pipeline are kept apart. Only where that does not fit they may share, and a hint says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pypto_build.errors import Diagnostic
from pypto_build.ir import Function, MemorySpace, Var
from pypto_build.passes import PassContext
from pypto_passes.address_layout import allocations, origins, overflow
from pypto_passes.address_search import Addresses, Problem, search
from pypto_passes.allocation_statements import pinned_bases
from pypto_passes.buffer_accesses import History, buffer_histories
from pypto_passes.buffers import Buffer, buffers_of, by_space
from pypto_passes.pipeline_depths import Room, packed
from pypto_passes.reserved_buffers import Reserved, aligned
from pypto_passes.reuse_penalties import costly_pairs, lifetime_conflicts
from pypto_passes.tile_lifetimes import tile_lifetimes

Relation = list[set[int]]


def reuse_aware_layout(function: Function, reserved: Reserved, context: PassContext) -> Mapping[Var, int]:
    """An address for every allocation that holds a tile or that the author declared.

    Raises:
        UserError: no placement was found that fits into a memory space.
    """
    buffers = buffers_of(function, tile_lifetimes(function, context))
    histories = buffer_histories(function, buffers, context)
    own, declared = by_space(buffers), _declared(function)
    current = origins(function)
    places: dict[Var, int] = {}
    for space in MemorySpace:
        part = _Part(space, own.get(space, []), declared.get(space, []))
        if part.bases:
            floor = reserved.end if space is reserved.space else 0
            places.update(_placed(part, function, reserved, _Given(floor, current, histories, context)))
    return places


def _declared(function: Function) -> Mapping[MemorySpace, list[tuple[Var, int]]]:
    pinned = pinned_bases(function)
    found: dict[MemorySpace, list[tuple[Var, int]]] = {}
    for base, space, size in allocations(function):
        if base in pinned:
            found.setdefault(space, []).append((base, size))
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """The buffers of one memory space, and the allocations that the author declared there, which share no byte."""

    space: MemorySpace
    own: Sequence[Buffer]
    declared: Sequence[tuple[Var, int]]

    @property
    def bases(self) -> list[Var]:
        """Declared ones last."""
        return [*(buffer.base for buffer in self.own), *(base for base, _ in self.declared)]

    @property
    def sizes(self) -> list[int]:
        """In the same order."""
        return [*(buffer.size for buffer in self.own), *(size for _, size in self.declared)]

    def apart(self) -> Relation:
        """What is alive together, and declared allocations from everything."""
        count, total = len(self.own), len(self.bases)
        found = [*lifetime_conflicts(self.own), *(set[int]() for _ in self.declared)]
        for declared in range(count, total):
            for other in range(total):
                if other != declared:
                    found[declared].add(other)
                    found[other].add(declared)
        return found


@dataclass(frozen=True, slots=True)
class _Given:
    """Where addresses start, where everything is now, what happens to the buffers, and the hardware."""

    floor: int
    current: Mapping[Var, int]
    histories: Mapping[Var, History]
    context: PassContext


def _placed(part: _Part, function: Function, reserved: Reserved, given: _Given) -> Mapping[Var, int]:
    hardware = given.context.hardware
    limit, alignment = hardware.capacity(part.space), hardware.alignment(part.space)
    apart = part.apart()
    costly = _symmetric(len(apart), costly_pairs(part.own, given.histories, apart[: len(part.own)]))
    stages = [pair for pair in _stage_pairs(part.own) if pair[1] not in apart[pair[0]]]
    staged = _symmetric(len(apart), iter(stages))
    suggested = (tuple(given.current.get(base, 0) for base in part.bases), _packed(part, given.floor, limit, alignment))
    strict = Problem(part.sizes, _joined(apart, staged), costly, given.floor, limit, alignment)
    found = search(strict, suggested)
    if found is None:
        relaxed = Problem(part.sizes, apart, _joined(costly, staged), given.floor, limit, alignment)
        found = search(relaxed, suggested)
        if found is None:
            unbound = Problem(part.sizes, apart, _symmetric(len(apart), iter(())), given.floor, None, alignment)
            raise overflow(function, reserved, part.space, unbound.end(search(unbound) or ()), hardware)
        shared = sum(relaxed.overlap(found, *pair) for pair in stages)
        if shared:
            given.context.report(_hint(part, shared, len(stages)))
    return dict(zip(part.bases, found, strict=True))


def _packed(part: _Part, floor: int, limit: int | None, alignment: int) -> Addresses:
    """The placement of the other planner: buffers in slots, one slot behind the other, declared ones first."""
    places: dict[Var, int] = {}
    end = floor
    for base, size in part.declared:
        places[base] = aligned(end, alignment)
        end = places[base] + size
    for slot in packed(part.own, Room(part.space, limit, end, alignment)).slots:
        start = aligned(end, alignment)
        places.update((buffer.base, start) for buffer in slot.members)
        end = start + slot.host.size
    return tuple(places[base] for base in part.bases)


def _stage_pairs(buffers: Sequence[Buffer]) -> Iterator[tuple[int, int]]:
    """Buffers that belong to one stage each of the same pipeline, and not to the same one."""
    members: dict[int, list[tuple[int, int]]] = {}
    for index, buffer in enumerate(buffers):
        for group, stages in buffer.stages.items():
            if len(stages) == 1:
                members.setdefault(group, []).append((index, min(stages)))
    pairs = {
        (min(first, second), max(first, second))
        for own in members.values()
        for first, stage in own
        for second, other in own
        if stage != other
    }
    yield from sorted(pairs)


def _symmetric(count: int, pairs: Iterator[tuple[int, int]]) -> Relation:
    found: Relation = [set() for _ in range(count)]
    for first, second in pairs:
        found[first].add(second)
        found[second].add(first)
    return found


def _joined(one: Relation, other: Relation) -> Relation:
    return [first | second for first, second in zip(one, other, strict=True)]


def _hint(part: _Part, shared: int, count: int) -> Diagnostic:
    advice = "make the tiles of a stage smaller, or ask for fewer stages"
    text = (
        f"pipeline in {part.space.name}: its stages do not fit side by side, so {shared} of {count} relaxed pair(s) "
        f"reuse physical storage and wait for each other; {advice}"
    )
    span = next(buffer.span for buffer in part.own if buffer.stages)
    return Diagnostic("perf_hint", "AllocateMemoryAddr", text, span, code="PH-DSA-001", help=advice)
