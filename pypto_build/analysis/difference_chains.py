# SPDX-License-Identifier: Apache-2.0
"""Chains of comparisons: from `x < y` and `y < z` follows `x < z`.

What is known of differences of two atoms makes a graph whose edges are longest differences; a chain of comparisons is a
path in it. A search gives up after MOST_STEPS edges, so that a question costs no more however much is known.
Source: systems of difference constraints, which shortest paths solve (Bellman 1958).
"""

from __future__ import annotations

from collections import deque

from pypto_build.analysis.undo_log import UndoLog

MOST_STEPS = 64

_Edges = dict[int, dict[int, int]]


class DifferenceChains:
    """Knows how far atoms can lie above one another."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._above: _Edges = {}  # from an atom to those below it: how far at most
        self._below: _Edges = {}  # the same edges, found from their other end

    def limit(self, upper: int, lower: int, *, distance: int) -> None:
        """From now on upper <= lower + distance."""
        for table, start, end in ((self._above, upper, lower), (self._below, lower, upper)):
            row = table.setdefault(start, {})
            if end not in row or distance < row[end]:
                self._log.set(row, end, distance)

    def forget(self, atom: int) -> None:
        """From now on nothing is known of differences from an atom."""
        for table, mirrored in ((self._above, self._below), (self._below, self._above)):
            row = table.get(atom, {})
            for end in list(row):
                self._log.drop(row, end)
                self._log.drop(mirrored[end], atom)

    def has(self, atom: int) -> bool:
        """Whether an atom was compared with another one."""
        return atom in self._above or atom in self._below

    def distance(self, upper: int, lower: int) -> int | None:
        """The smallest d for which upper <= lower + d is known; None when no chain leads from one to the other."""
        return _distances(self._above, upper).get(lower)

    def nearest(self, atom: int, *, above: bool) -> tuple[int, int] | None:
        """An atom compared with this one, and d: this <= other + d (above) or other + d <= this; None without any."""
        rows = (self._above if above else self._below).get(atom, {})
        for other, distance in rows.items():
            return other, distance if above else -distance
        return None

    def above(self, atom: int) -> dict[int, int]:
        """Atoms that a chain leads to, each with d: atom <= other + d."""
        return _distances(self._above, atom)

    def below(self, atom: int) -> dict[int, int]:
        """Atoms that a chain comes from, each with d: other <= atom + d."""
        return _distances(self._below, atom)


def _distances(edges: _Edges, start: int) -> dict[int, int]:
    if not edges.get(start):
        return {}
    found = {start: 0}
    waiting = deque([start])
    steps = 0
    while waiting and steps < MOST_STEPS:
        here = waiting.popleft()
        for end, distance in edges.get(here, {}).items():
            steps += 1
            reached = found[here] + distance
            if end not in found or reached < found[end]:
                found[end] = reached
                waiting.append(end)
    return found
