# SPDX-License-Identifier: Apache-2.0
"""Bodies of functions in the store: serialized, with the places of their nodes in a form that survives comment edits.

A stored body is a line of JSON, {"shapes": ..., "places": [[function, [ordinal, ...]], ...]}, and what `encode` gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from pypto_build.ir import Function, decode, encode, encode_apart
from pypto_build.pipeline.outcome import ResultCache
from pypto_build.pipeline.places import Place, PlaceTable


class Bodies:
    """The bodies that one run keeps and finds; without a cache there are none."""

    def __init__(self, places: PlaceTable, cache: ResultCache | None) -> None:
        self._places = places
        self._cache = cache

    def has(self, digest: str) -> bool:
        """Whether the function with this digest was stored."""
        return self._cache is not None and self._cache.has_body(digest)

    def load(self, digest: str) -> Function | None:
        """The function with this digest, with the places that its nodes have today; None when it is not to be had."""
        content = self._cache.body(digest) if self._cache is not None else None
        if content is None:
            return None
        line, _, serialized = content.partition(b"\n")
        head: dict[str, Any] = json.loads(line)
        if not self._places.holds(head["shapes"]):
            return None
        return decode(serialized, map(self._places.span, _unpacked(head["places"])))

    def keep(self, digest: str, function: Function) -> bytes:
        """Put a function into the store; what `encode` makes of it."""
        if self._cache is None:
            return encode(function)
        serialized, spans = encode_apart(function)
        places = [self._places.place(span) for span in spans]
        head = {"shapes": self._places.shapes(places), "places": _packed(places)}
        self._cache.put_body(digest, json.dumps(head, separators=(",", ":")).encode() + b"\n" + serialized)
        return serialized

    def serialized(self, digest: str) -> bytes | None:
        """What `encode` makes of the function with this digest, without reading it."""
        content = self._cache.body(digest) if self._cache is not None else None
        return content.partition(b"\n")[2] if content is not None else None


def _packed(places: Iterable[Place]) -> list[object]:
    return [[name, [ordinal for _, ordinal in run]] for name, run in groupby(places, lambda place: place[0])]


def _unpacked(packed: list[Any]) -> Iterator[Place]:
    return ((name, ordinal) for name, ordinals in packed for ordinal in ordinals)
