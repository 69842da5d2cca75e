# SPDX-License-Identifier: Apache-2.0
"""Source places as (function, ordinal) pairs, so that what is stored survives a comment edit.

Places are not part of any key. A stored result that mentions one names the how-many-eth place of which source function
it was; the next run's front end, which lowers the same structure from the edited text, knows where that place is now.
"""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Function, Node, Program, Visitor

Place = tuple[str, int]
NOWHERE: Place = ("", -1)


class PlaceTable:
    """The places of the program that the front end made, in walking order of each function."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._spans: dict[str, tuple[Span, ...]] | None = None
        self._places: dict[Span, Place] | None = None

    def place(self, span: Span) -> Place:
        """Which place a span is; NOWHERE for one that the front end did not make."""
        if not span.is_valid():
            return NOWHERE
        if self._places is None:
            self._places = {}
            for name, spans in self._by_function().items():
                for ordinal, known in enumerate(spans):
                    self._places.setdefault(known, (name, ordinal))
        return self._places.get(span, NOWHERE)

    def span(self, place: Place) -> Span:
        """Where a place is now; unknown if the function has no such place any more."""
        name, ordinal = place
        spans = self._by_function().get(name, ())
        return spans[ordinal] if 0 <= ordinal < len(spans) else UNKNOWN_SPAN

    def _by_function(self) -> dict[str, tuple[Span, ...]]:
        if self._spans is None:
            self._spans = {f.name: tuple(_spans(f)) for f in self._program.functions.values()}
        return self._spans


def _spans(function: Function) -> Iterator[Span]:
    walk = _Spans()
    walk.visit(function)
    return iter(walk.found)


class _Spans(Visitor):
    def __init__(self) -> None:
        self.found: dict[Span, None] = {}

    def visit_node(self, node: Node) -> None:
        self.found.setdefault(node.span)
        super().visit_node(node)
