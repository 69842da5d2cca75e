# SPDX-License-Identifier: Apache-2.0
"""How many buffers the stages of each pipeline get in a memory space: as many as there are stages, if they fit.

The depth of a pipeline is first what its largest buffer allows. While the whole space is still too full, the pipeline
with the largest buffers gives up one. What a pipeline did not get is said, with what would help.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pypto_build.errors import Diagnostic
from pypto_build.ir import MemorySpace
from pypto_passes.buffers import Buffer
from pypto_passes.packing import Depths, Group, Slot, Stages, first_fit, groups_of

_RULE = "MemoryReuse"
_CODE = "PH-MR-001"


@dataclass(frozen=True, slots=True)
class Room:
    """What a memory space offers: its name and bytes (None: no bound), the bytes that are gone already, alignment."""

    space: MemorySpace
    capacity: int | None
    gone: int
    alignment: int

    def holds(self, slots: Sequence[Slot]) -> bool:
        """Whether the slots fit, one aligned behind the other."""
        end = self.gone
        for slot in slots:
            end = self._aligned(end) + slot.host.size
        return self.capacity is None or end <= self.capacity

    def times(self, size: int) -> int:
        """How many buffers of a size would fit alone, at least one."""
        return 2**62 if self.capacity is None else max(1, self.capacity // max(self._aligned(size), 1))

    def _aligned(self, value: int) -> int:
        return -(-value // self.alignment) * self.alignment


@dataclass(frozen=True, slots=True)
class Packing:
    """The slots of a memory space, and what there is to say about them."""

    slots: list[Slot]
    notes: tuple[Diagnostic, ...] = ()


def packed(buffers: Sequence[Buffer], room: Room) -> Packing:
    """The buffers of one memory space in slots, with the stages of pipelines apart as far as the room goes."""
    groups = groups_of(buffers)
    depths = {group.number: min(group.depth, room.times(group.size)) for group in groups}
    slots = first_fit(buffers, Stages(groups, depths))
    while not room.holds(slots):
        wide = [group for group in groups if depths[group.number] > 1]
        if not wide:
            break
        depths[min(wide, key=lambda group: (-group.size, group.number)).number] -= 1
        slots = first_fit(buffers, Stages(groups, depths))
    if room.holds(slots):
        return Packing(slots, tuple(_hints(groups, depths, room)))
    return Packing(slots, tuple(_warnings(groups, slots, room)))


def _hints(groups: Iterable[Group], depths: Depths, room: Room) -> Iterable[Diagnostic]:
    for group in groups:
        got = depths[group.number]
        if got == group.depth or room.capacity is None:
            continue
        text = (
            f"pipeline in {room.space.name}: requested depth {group.depth}, but only {got} of {group.depth} buffers "
            "fit, so stages wait for each other"
        )
        if group.size * group.depth > room.capacity:
            advice = (
                f"shrink the per-stage tile to at most {room.capacity // group.depth} bytes (it has {group.size}), "
                f"or lower stage= to {got}"
            )
        else:
            advice = (
                "the tiles that live beside it over-subscribe the space: make them smaller or shorter-lived, "
                f"or lower stage= to {got}"
            )
        yield Diagnostic("perf_hint", _RULE, f"{text}; {advice}", group.first.span, code=_CODE, help=advice)


def _warnings(groups: Sequence[Group], slots: Sequence[Slot], room: Room) -> Iterable[Diagnostic]:
    """What does not fit even without a thought for stages; one buffer that is larger than the space is no such case."""
    if not groups or any(room.capacity is not None and slot.host.size > room.capacity for slot in slots):
        return
    text = (
        f"the stages of pipelines in {room.space.name} cannot be kept apart within {room.capacity} bytes: "
        "fell back to the legacy packing, which only looks at lifetimes"
    )
    yield Diagnostic("warning", _RULE, text, groups[0].first.span)
