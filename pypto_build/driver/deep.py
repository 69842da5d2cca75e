# SPDX-License-Identifier: Apache-2.0
"""The answer to "has anything changed?" without parsing: the key of a whole object.

Two look-ups. The first key (source bytes, pipeline, options, our own code) finds which other files took part last time:
imported modules, YAML files, local plugins. The second adds what is in those files now and finds the object. Nothing
heavy is imported, so a build tool can ask in its own process.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pypto_build.driver.request import CompileRequest
from pypto_build.errors import UserError
from pypto_build.store.encoding import ComponentValue
from pypto_build.store.fingerprint import Fingerprinter
from pypto_build.store.interface import Mode, Store
from pypto_build.store.key import Key
from pypto_build.store.module_finder import package_roots
from pypto_build.store.record import BodyRef, Record, record_of

PACKAGES = ("pypto_build", "pypto_passes", "pypto_targets", "pypto_simulators")
OBJECT_ROLE = "object"
MAP_ROLE = "map"


def fingerprinter(index: Path) -> Fingerprinter:
    """A fingerprinter of this moment for our own packages."""
    return Fingerprinter(index, package_roots(*PACKAGES))


def implementation_digest(fingerprints: Fingerprinter) -> str:
    """What our own code is, all of it: part of the key of a whole object."""
    parts = [fingerprints.tree(path).digest for _, path in sorted(package_roots(*PACKAGES).items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object that need not be built again."""

    content: bytes
    map: bytes
    passes_total: int
    warnings: tuple[str, ...]


class DeepKeys:
    """Keys of whole objects for one build."""

    def __init__(self, store: Store, fingerprints: Fingerprinter, implementation: str) -> None:
        self._store = store
        self._fingerprints = fingerprints
        self._implementation = implementation

    def first(self, request: CompileRequest) -> Key | None:
        """The key under which the list of other files is kept; None when the source cannot be read."""
        try:
            source = self._fingerprints.content(request.source)
        except UserError:  # a source that is not there is the compiler's to complain about
            return None
        return Key(
            "sources",
            (
                ("source", source),
                ("name", os.path.basename(request.source)),
                ("pipeline", self._pipeline_text(request)),
                ("defines", tuple(sorted(request.defines))),
                ("entry", request.entry),
                ("arguments", tuple(sorted(request.arguments))),
                ("locations", request.locations),
                ("diagnostics", (request.disable, request.enable)),
                ("unordered", request.allow_unordered),
                ("plugins", repr(request.host)),
                ("implementation", self._implementation),
            ),
        )

    def second(self, first: Key, request: CompileRequest, files: tuple[str, ...]) -> Key:
        """The key of the object, given the other files that take part (relative to the source where possible)."""
        base = os.path.dirname(os.path.abspath(request.source))
        contents = {name: self._content(os.path.join(base, name)) for name in files}
        return Key("object", (("sources", first.digest), ("files", contents)))

    def find(self, request: CompileRequest) -> StoredObject | None:
        """The stored object of a request, intact, or None; None in mode `verify`, which makes everything again."""
        if self._store.mode is Mode.VERIFY:
            return None
        first = self.first(request)
        record = self._store.get_record(first.digest) if first is not None else None
        if first is None or record is None:
            return None
        files = record.fact("files")
        if not isinstance(files, tuple):
            return None
        found = self._store.get_record(self.second(first, request, tuple(str(f) for f in files)).digest)
        return self._loaded(found) if found is not None else None

    def put(
        self,
        request: CompileRequest,
        files: tuple[str, ...],
        *,
        content: bytes,
        map: bytes,
        facts: Mapping[str, object],
        read: Mapping[str, str],
    ) -> None:
        """Keep an object, unless a text is not what was read of it any more: `read` has the digests by path."""
        first = self.first(request)
        if first is None:
            return
        second = self.second(first, request, files)
        if any(self._content(path) != digest for path, digest in read.items()):
            return
        refs = ((OBJECT_ROLE, self._store.put_body(content)), (MAP_ROLE, self._store.put_body(map)))
        known = tuple((name, cast(ComponentValue, value)) for name, value in facts.items())
        self._store.put_record(record_of(first, (), facts=(("files", files),)))
        self._store.put_record(record_of(second, refs, facts=known))

    def _loaded(self, record: Record) -> StoredObject | None:
        parts = [record.output(role) for role in (OBJECT_ROLE, MAP_ROLE)]
        bodies = [self._store.get_body(ref) if isinstance(ref, BodyRef) else None for ref in parts]
        if bodies[0] is None or bodies[1] is None:
            return None
        total = record.fact("passes")
        warnings = record.fact("warnings")
        said = tuple(str(w) for w in warnings) if isinstance(warnings, tuple) else ()
        return StoredObject(bodies[0], bodies[1], total if isinstance(total, int) else 0, said)

    def _pipeline_text(self, request: CompileRequest) -> tuple[str, str]:
        path = request.pipeline.rsplit("@", 1)[0] if os.path.isfile(request.pipeline.rsplit("@", 1)[0]) else ""
        content = self._content(path) if path else ""
        return (os.path.basename(request.pipeline), content)

    def _content(self, path: str) -> str:
        try:
            return self._fingerprints.content(path)
        except UserError:  # a file that has gone is a difference, not a failure
            return "missing"


def relative_files(source: str, files: tuple[str, ...]) -> tuple[str, ...]:
    """Paths as they go into a record: relative to the source where they lie near it, so that a tree can move."""
    base = os.path.dirname(os.path.abspath(source))
    result: list[str] = []
    for file in files:
        absolute = os.path.abspath(file)
        near = os.path.relpath(absolute, base)
        result.append(near if not near.startswith(os.path.join("..", "..", "..", "..")) else absolute)
    return tuple(sorted(set(result)))
