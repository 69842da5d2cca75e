# SPDX-License-Identifier: Apache-2.0
"""The accesses before the place that a walk has reached, by buffer, with a way back to an earlier place.

Every task asks for those that may concern a part of a buffer, so asking costs what is found: reads are kept apart from
writes, because who only reads has no order to keep with others that do. Branches and loops go back to where they began;
that costs what has changed since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pypto_build.ir import Var
from pypto_passes.region_index import Numbered, RegionIndex
from pypto_passes.storage_regions import Region
from pypto_passes.task_accesses import Access, storage_key

_Kept = dict[Var | None, dict[Var | None, RegionIndex]]
"""By what buffers in one memory have in common, and by buffer."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed since some place, in the order in which it was noted."""

    added: tuple[Access, ...]
    removed: tuple[Access, ...]


class Accesses:
    """Accesses that are added and removed on the way, oldest first."""

    def __init__(self, accesses: Iterable[Access] = ()) -> None:
        self._reads: _Kept = {}
        self._writes: _Kept = {}
        self._numbers: Numbered = {}
        self._journal: list[tuple[Access, bool]] = []
        self.add(accesses)

    def near(self, root: Var | None, region: Region, *, writes: bool) -> list[Access]:
        """Accesses that whoever reads a part of a buffer, or writes it, may have to keep an order with."""
        found: Numbered = {}
        for kept in (self._writes, self._reads) if writes else (self._writes,):
            for key in kept if root is None else (storage_key(root), None):
                for other, index in kept.get(key, {}).items():
                    found.update(index.near(region if other is root else None))
        return sorted(found, key=found.__getitem__)

    def add(self, accesses: Iterable[Access]) -> None:
        """Note some more."""
        for access in accesses:
            self._put(access)
            self._journal.append((access, True))

    def remove(self, accesses: Iterable[Access]) -> None:
        """Forget some."""
        for access in accesses:
            self._take(access)
            self._journal.append((access, False))

    @property
    def place(self) -> int:
        """Where the walk is, to go back to it."""
        return len(self._journal)

    def back_to(self, place: int) -> Changes:
        """Be as at an earlier place; what has changed since then."""
        added: dict[Access, None] = {}
        removed: dict[Access, None] = {}
        for access, is_new in self._journal[place:]:
            if is_new:
                added[access] = None
            elif access in added:
                del added[access]
            else:
                removed[access] = None
        while len(self._journal) > place:
            access, is_new = self._journal.pop()
            (self._take if is_new else self._put)(access)
        return Changes(tuple(added), tuple(removed))

    def _put(self, access: Access) -> None:
        number = self._numbers.setdefault(access, len(self._numbers))
        buffers = self._kept(access).setdefault(storage_key(access.root), {})
        buffers.setdefault(access.root, RegionIndex()).put(access, number)

    def _take(self, access: Access) -> None:
        kept, key = self._kept(access), storage_key(access.root)
        buffers = kept[key]
        buffers[access.root].take(access)
        if not len(buffers[access.root]):
            del buffers[access.root]
        if not buffers:
            del kept[key]

    def _kept(self, access: Access) -> _Kept:
        return self._writes if access.writes else self._reads
