# SPDX-License-Identifier: Apache-2.0
"""Applying `edit:` to a list of passes; every operation names passes by id, and an unknown id is a problem."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from pypto_build.errors import Span, UserError
from pypto_build.host.suggest import did_you_mean
from pypto_build.pipeline.model import Edit, Entry, Insert, Remove, Replace, SetOptions, Setting, Text
from pypto_build.pipeline.problems import Problems


class PassList:
    """A list of passes with unique ids. `complete` is false when a pass is missing because of an earlier problem."""

    def __init__(self, problems: Problems, *, complete: bool = True) -> None:
        self._problems = problems
        self._complete = complete
        self._entries: list[Entry] = []
        self._removed: dict[str, Span] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The passes in order."""
        return tuple(self._entries)

    def extend(self, entries: tuple[Entry, ...]) -> None:
        """Add passes at the end."""
        for entry in entries:
            self._insert(len(self._entries), entry)

    def apply(self, edit: Edit) -> None:
        """Apply one operation."""
        match edit:
            case Remove(ids=ids):
                for one in ids:
                    self._remove(one)
            case Replace(id=place, entry=entry):
                self._replace(place, entry)
            case Insert(id=place, entry=entry, after=after):
                index = self._index(place)
                self._insert(len(self._entries) if index is None else index + after, entry)
            case SetOptions(id=place, options=options):
                index = self._index(place)
                if index is not None:
                    entry = self._entries[index]
                    self._entries[index] = replace(entry, options=_merged(entry.options, options))
            case _:
                assert_never(edit)

    def _remove(self, place: Text) -> None:
        index = self._index(place)
        if index is not None:
            self._removed[place.value] = place.span
            del self._entries[index]

    def _replace(self, place: Text, entry: Entry) -> None:
        """The new pass keeps the id of the old one unless it has its own, so that later edits still find it."""
        index = self._index(place)
        if index is None:
            return
        old = self._entries.pop(index)
        self._insert(index, entry if entry.given_id else replace(entry, id=old.id))

    def _insert(self, index: int, entry: Entry) -> None:
        first = next((one for one in self._entries if one.id == entry.id), None)
        if first is None:
            self._entries.insert(index, entry)
            return
        self._problems.add(
            UserError(
                "PIPE007",
                f"there are two passes with the id `{entry.id}`",
                entry.span,
                help=f"give one of them another id: `{{id: ..., use: {entry.use.value}}}`",
                notes=(("the first one is here", first.span),),
            )
        )

    def _index(self, place: Text) -> int | None:
        """Where a pass stands; one that is not there is a problem, unless an earlier problem may be why."""
        ids = [entry.id for entry in self._entries]
        if place.value in ids:
            return ids.index(place.value)
        if self._complete:
            self._problems.add(self._missing(place, ids))
        return None

    def _missing(self, place: Text, ids: list[str]) -> UserError:
        removed = self._removed.get(place.value)
        return UserError(
            "PIPE008",
            f"no pass has the id `{place.value}`",
            place.span,
            help="" if removed else did_you_mean(place.value, ids),
            notes=(("it was removed here", removed),) if removed else (),
        )


def _merged(old: tuple[Setting, ...], new: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """The old options with those of the new ones in their places."""
    merged = {setting.name: setting for setting in old}
    merged.update((setting.name, setting) for setting in new)
    return tuple(merged.values())
