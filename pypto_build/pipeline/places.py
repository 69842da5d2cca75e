# SPDX-License-Identifier: Apache-2.0
"""Source places as (function, ordinal) pairs, so that what is stored survives a comment edit.

Places are not part of any key. A stored result that mentions one names the how-many-eth place of which source function
it was; the next run's front end, which lowers the same structure from the edited text, knows where that place is now.

It need not be the same structure: two texts may become equal by some pass, and what comes after that pass is found
under the same key. So the shape of each source function that is mentioned is stored beside the places, and a result
whose shapes are not those of today is right but for its places.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Function, Node, Program, Visitor, function_digest

Place = tuple[str, int]
NOWHERE: Place = ("", -1)
Shapes = Mapping[str, str]
"""For source functions by name: what their places are the places of."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The places of one source function: each once, in walking order."""

    spans: tuple[Span, ...]
    shape: str


class PlaceTable:
    """The places of the program that the front end made, in walking order of each function."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._by_name: dict[str, _Known] | None = None
        self._places: dict[Span, Place] = {}

    def place(self, span: Span) -> Place:
        """Which place a span is; NOWHERE for one that the front end did not make."""
        self._functions()
        return self._places.get(span, NOWHERE)

    def span(self, place: Place) -> Span:
        """Where a place is now; unknown if the function has no such place any more."""
        name, ordinal = place
        known = self._functions().get(name)
        return known.spans[ordinal] if known is not None and 0 <= ordinal < len(known.spans) else UNKNOWN_SPAN

    def shapes(self, places: Iterable[Place]) -> dict[str, str]:
        """The shapes of the functions that some places are in."""
        known = self._functions()
        return {name: known[name].shape for name in sorted({name for name, _ in places}) if name in known}

    def holds(self, shapes: Shapes) -> bool:
        """Whether stored places mean the same today."""
        known = self._functions() if shapes else {}
        return all(name in known and known[name].shape == shape for name, shape in shapes.items())

    def _functions(self) -> dict[str, _Known]:
        if self._by_name is None:
            self._by_name = {f.name: _known(f) for f in self._program.functions.values()}
            for name, known in self._by_name.items():
                for ordinal, span in enumerate(known.spans):
                    if span.is_valid():
                        self._places.setdefault(span, (name, ordinal))
        return self._by_name


def _known(function: Function) -> _Known:
    walk = _Spans()
    walk.visit(function)
    pattern = f"{function_digest(function)} {walk.ordinals}"
    return _Known(tuple(walk.found), hashlib.sha256(pattern.encode()).hexdigest()[:16])


class _Spans(Visitor):
    def __init__(self) -> None:
        self.found: dict[Span, int] = {}
        self.ordinals: list[int] = []  # of every node: which nodes share a place is not in the digest

    def visit_node(self, node: Node) -> None:
        self.ordinals.append(self.found.setdefault(node.span, len(self.found)))
        super().visit_node(node)
