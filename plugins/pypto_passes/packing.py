# SPDX-License-Identifier: Apache-2.0
"""Packing buffers into fewer: largest first, each into the first one that is free while it lives.

Stages of a pipeline run at the same time on the chip although one stands behind the other in the program. As long as
the memory has room for it, their buffers are kept apart: stage by stage in turn over as many buffers as fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pypto_passes.buffers import Buffer
from pypto_passes.slot_timeline import SlotTimeline, lowest_free

Depths = Mapping[int, int]
"""By pipeline group, over how many buffers its stages are spread."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Buffers that become one: the first is the largest."""

    members: list[Buffer]
    apart: bool = False  # only the stages of a pipeline keep it from joining another

    @property
    def host(self) -> Buffer:
        """The buffer that takes in the others."""
        return self.members[0]


def first_fit(buffers: Sequence[Buffer], stages: Stages) -> list[Slot]:
    """The slots for the buffers of one memory space."""
    points = max((end for buffer in buffers for _, end in buffer.intervals), default=0)
    timeline = SlotTimeline(points + 1)
    members: list[list[Buffer]] = []
    apart: set[int] = set()
    for buffer in sorted(buffers, key=lambda item: -item.size):
        taken = timeline.taken(buffer.intervals)
        slot = lowest_free(taken | stages.others(buffer))
        if slot != lowest_free(taken):
            apart.update((slot, lowest_free(taken)))
        if slot == len(members):
            members.append([])
        members[slot].append(buffer)
        stages.put(buffer, slot)
        timeline.take(buffer.intervals, slot)
    return [Slot(own, index in apart) for index, own in enumerate(members)]


@dataclass(frozen=True, slots=True)
class Group:
    """A pipeline in one memory space: its stages in order, and the largest buffer of one."""

    number: int
    stages: tuple[int, ...]
    size: int
    first: Buffer

    @property
    def depth(self) -> int:
        """How many stages there are."""
        return len(self.stages)


def groups_of(buffers: Iterable[Buffer]) -> list[Group]:
    """The pipelines with buffers in a memory space; a buffer that several stages share takes no part."""
    members: dict[int, list[Buffer]] = {}
    for buffer in buffers:
        for group, stages in buffer.stages.items():
            if len(stages) == 1:
                members.setdefault(group, []).append(buffer)
    found: list[Group] = []
    for number, own in sorted(members.items()):
        stages = {stage for buffer in own for stage in buffer.stages[number]}
        found.append(Group(number, tuple(sorted(stages)), max(buffer.size for buffer in own), own[0]))
    return found


@dataclass(slots=True)
class Stages:
    """During one packing: which slots hold which share of a pipeline. Stage number n of depth d has share n mod d."""

    groups: Iterable[Group]
    depths: Depths
    _shares: dict[tuple[int, int], int] = field(init=False)
    _slots: dict[tuple[int, int], int] = field(init=False)

    def __post_init__(self) -> None:
        self._slots = {}
        self._shares = {
            (group.number, stage): position % self.depths[group.number]
            for group in self.groups
            for position, stage in enumerate(group.stages)
        }

    def others(self, buffer: Buffer) -> int:
        """The slots that hold other shares of the buffer's pipelines."""
        found = 0
        for group, own in self._own(buffer):
            for share in range(self.depths[group]):
                if share != own:
                    found |= self._slots.get((group, share), 0)
        return found

    def put(self, buffer: Buffer, slot: int) -> None:
        """The buffer goes into a slot."""
        for key in self._own(buffer):
            self._slots[key] = self._slots.get(key, 0) | 1 << slot

    def _own(self, buffer: Buffer) -> Iterable[tuple[int, int]]:
        for group, stages in buffer.stages.items():
            if len(stages) == 1 and group in self.depths:
                (stage,) = stages
                yield group, self._shares[(group, stage)]
