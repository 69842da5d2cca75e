# SPDX-License-Identifier: Apache-2.0
"""The results that another pipeline has left for the same source: looked at only when a look-up of ours fails."""

from __future__ import annotations

import json
from functools import cached_property

from pypto_build.store.chain import ChainEntry
from pypto_build.store.interface import Store
from pypto_build.store.key import Key
from pypto_build.store.record import BodyRef, record_of

BODIES_STEP = "bodies"
"""What stands for a pass in the chain entry that says where bodies are."""

_LATEST = "latest"


class Relatives:
    """The chain that was written last for a source, unless that is our own; nothing where there is no family."""

    def __init__(self, store: Store, family: str, chain_id: str) -> None:
        self._store = store
        self._chain_id = chain_id
        self._key = Key("family", (("source", family),)) if family else None

    def entry(self, key: str) -> ChainEntry | None:
        """The entry with this key, in a mode that reuses results."""
        return self._by_key.get(key)

    def body(self, digest: str) -> BodyRef | None:
        """Where the body of the function with this digest is."""
        return self._bodies.get(digest)

    @cached_property
    def entries(self) -> tuple[ChainEntry, ...]:
        """All entries."""
        if self._latest in ("", self._chain_id):
            return ()
        chain = self._store.get_chain(self._latest)
        return chain.entries if chain is not None else ()

    def written(self) -> None:
        """Our own chain was written: others find it from now on."""
        if self._key is not None and self._latest != self._chain_id:
            self._store.put_record(record_of(self._key, (), facts=((_LATEST, self._chain_id),)))

    @cached_property
    def _latest(self) -> str:
        record = self._store.get_record(self._key.digest) if self._key is not None else None
        return str(record.fact(_LATEST)) if record is not None else ""

    @cached_property
    def _by_key(self) -> dict[str, ChainEntry]:
        return {entry.key: entry for entry in self.entries} if self._store.mode.reuses else {}

    @cached_property
    def _bodies(self) -> dict[str, BodyRef]:
        return bodies_of(self.entries)


def bodies_of(entries: tuple[ChainEntry, ...]) -> dict[str, BodyRef]:
    """Where the bodies are that a chain knows of, by digest of the function."""
    text = next((dict(e.facts)[BODIES_STEP] for e in entries if e.pass_id == BODIES_STEP), "{}")
    return {digest: BodyRef(name, size) for digest, (name, size) in json.loads(str(text)).items()}
