# SPDX-License-Identifier: Apache-2.0
"""The order of passes held against what they declare: the properties they need and establish, and their neighbours.

The rules only check; nothing sorts. A property that is missing is reported for the first pass that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from pypto_build.errors import Span, UserError
from pypto_build.pipeline.planned import Planned

# Which passes, in the pipeline or not, establish a property: names as YAML writes them.
Producers = Callable[[str], tuple[str, ...]]


def check_order(
    passes: tuple[Planned, ...], targets: tuple[Planned, ...], *, given: frozenset[str], producers: Producers
) -> tuple[UserError, ...]:
    """Every rule that the order breaks. `given` are the properties that hold before the first pass."""
    return (*_Properties(passes, given, producers=producers).problems(targets), *_neighbours(passes))


def property_names(declared: object) -> frozenset[str]:
    """The names of declared properties, whatever enumeration they come from."""
    return frozenset(str(getattr(one, "name", one)) for one in cast(Iterable[object], declared or ()))


def established_by(pass_: object) -> frozenset[str]:
    """What a pass makes true. Many also list what they only preserve under `produces`: what they need themselves."""
    return property_names(getattr(pass_, "produces", ())) - property_names(getattr(pass_, "requires", ()))


def place(span: Span, seen_from: Span) -> str:
    """A place in brackets: the line, with the file when it is another one."""
    if span.filename == seen_from.filename:
        return f"line {span.begin_line}"
    return f"{span.filename}:{span.begin_line}"


class _Properties:
    """Walks the passes with the set of properties that hold."""

    def __init__(self, passes: tuple[Planned, ...], given: frozenset[str], *, producers: Producers) -> None:
        self._passes = passes
        self._produces = [property_names(getattr(one.instance, "produces", ())) for one in passes]
        self._holds = set(given)
        self._invalidated: dict[str, Planned] = {}
        self._producers = producers

    def problems(self, targets: tuple[Planned, ...]) -> Iterator[UserError]:
        """What is missing for a pass where it stands, and for a target after the last pass."""
        for index, entry in enumerate(self._passes):
            yield from self._missing(entry, entry.name, index=index)
            invalid = property_names(getattr(entry.instance, "invalidates", ()))
            self._holds -= invalid
            self._holds |= self._produces[index]
            self._invalidated |= dict.fromkeys(invalid - self._produces[index], entry)
        for target in targets:
            yield from self._missing(target, f"target `{target.use}`", index=len(self._passes))

    def _missing(self, entry: Planned, title: str, *, index: int) -> Iterator[UserError]:
        for name in sorted(property_names(getattr(entry.instance, "requires", ())) - self._holds):
            self._holds.add(name)  # the passes that need it later would only repeat this
            yield self._error(entry, title, name=name, index=index)

    def _error(self, entry: Planned, title: str, *, name: str, index: int) -> UserError:
        culprit = self._invalidated.get(name)
        if culprit is not None:
            where = place(culprit.span, entry.span)
            message = f"{title} needs {name}, which {culprit.name} ({where}) invalidates"
            is_target = index == len(self._passes)
            rest = " and no later pass establishes again" if is_target else f": move {title} before it"
            return UserError("PIPE031", message + rest, entry.span)
        later = next((one for one in self._passes[index + 1 :] if name in established_by(one.instance)), None)
        if later is not None:
            where = place(later.span, entry.span)
            message = f"{title} needs {name}, which {later.name} ({where}) establishes: move it up"
            return UserError("PIPE031", message, entry.span)
        makers = " or ".join(f"`{one}`" for one in self._producers(name))
        message = f"{title} needs {name}, and no pass before it establishes that"
        help = f"add {makers} before it" if makers else "no plugin has a pass that does"
        return UserError("PIPE032", message, entry.span, help=help)


def _neighbours(passes: tuple[Planned, ...]) -> Iterator[UserError]:
    """Broken `after` and `before` rules; a pair that breaks both is reported once."""
    positions: dict[str, list[int]] = {}
    for index, entry in enumerate(passes):
        for name in {entry.name, entry.use}:
            positions.setdefault(name, []).append(index)
    reported: set[frozenset[int]] = set()
    for index, entry in enumerate(passes):
        for word, other in _broken(entry, index, positions=positions):
            if frozenset((index, other)) in reported:
                continue
            reported.add(frozenset((index, other)))
            where = place(passes[other].span, entry.span)
            direction = "down" if word == "after" else "up"
            message = f"{entry.name} must come {word} {passes[other].name} ({where}): move it {direction}"
            yield UserError("PIPE033", message, entry.span)


def _broken(entry: Planned, index: int, *, positions: Mapping[str, list[int]]) -> Iterator[tuple[str, int]]:
    """The rules of a pass that no occurrence of the other one satisfies, with the occurrence to name."""
    for name in cast(Iterable[str], getattr(entry.instance, "after", ())):
        others = [one for one in positions.get(name, ()) if one != index]
        if others and min(others) > index:
            yield "after", others[0]
    for name in cast(Iterable[str], getattr(entry.instance, "before", ())):
        others = [one for one in positions.get(name, ()) if one != index]
        if others and max(others) < index:
            yield "before", others[-1]
