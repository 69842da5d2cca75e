# SPDX-License-Identifier: Apache-2.0
"""`pypto.backend`'s chips as parts: memories in cores, cores in clusters, clusters in dies, dies on a chip."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from pypto_build.ir import CoreType, MemorySpace
from pypto_build.passes import HardwareDescription

Part = TypeVar("Part", bound=Hashable)
_VECTOR_MEMORIES = (MemorySpace.Vec,)


class Mem:
    """One on-chip memory."""

    def __init__(self, mem_type: MemorySpace, mem_size: int, alignment: int) -> None:
        self.mem_type = mem_type
        self.mem_size = mem_size
        self.alignment = alignment


class Core:
    """One core and its memories."""

    def __init__(self, core_type: CoreType, mems: Iterable[Mem]) -> None:
        self.core_type = core_type
        self.mems = list(mems)

    def total_core_count(self) -> int:
        """One."""
        return 1


class _Several(Generic[Part]):
    """How many of which parts there are: one part and a number, or a mapping of them."""

    def __init__(self, parts: Part | Mapping[Part, int], count: int = 1) -> None:
        self._counts: dict[Part, int] = dict(parts) if isinstance(parts, Mapping) else {parts: count}

    def _total(self) -> int:
        return sum(self._counts.values())

    def _sum(self, what: str) -> int:
        return sum(count * getattr(part, what)() for part, count in self._counts.items())

    def total_core_count(self) -> int:
        """All cores."""
        return self._sum("total_core_count")


class Cluster(_Several[Core]):
    """Cores that share their work."""

    @property
    def core_counts(self) -> dict[Core, int]:
        """How many of which cores."""
        return self._counts


class Die(_Several[Cluster]):
    """Clusters on one die."""

    @property
    def cluster_counts(self) -> dict[Cluster, int]:
        """How many of which clusters."""
        return self._counts

    def total_cluster_count(self) -> int:
        """All clusters."""
        return self._total()


class SoC(_Several[Die]):
    """Dies of one chip."""

    @property
    def die_counts(self) -> dict[Die, int]:
        """How many of which dies."""
        return self._counts

    def total_die_count(self) -> int:
        """All dies."""
        return self._total()

    def total_cluster_count(self) -> int:
        """All clusters."""
        return self._sum("total_cluster_count")


def chip(hardware: HardwareDescription, *, dies: int) -> SoC:
    """The parts that a hardware description adds up to."""
    mems = {space: Mem(space, held.capacity, held.alignment) for space, held in hardware.buffers.items()}
    vector = Core(CoreType.VECTOR, [mems[space] for space in _VECTOR_MEMORIES])
    cube = Core(CoreType.CUBE, [mem for space, mem in mems.items() if space not in _VECTOR_MEMORIES])
    cluster = Cluster({cube: 1, vector: hardware.vector_per_cube})
    return SoC(Die(cluster, hardware.cube_cores // dies), dies)
