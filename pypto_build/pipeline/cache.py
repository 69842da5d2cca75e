# SPDX-License-Identifier: Apache-2.0
"""Results of passes and targets in the store, one chain record per source.

A chain holds what the last runs over a source found, so one read answers all look-ups of a run and one write keeps all
its results; a file per pass would cost more than most passes. Results that took long also get a record of their own,
which other sources and other machines can find. Bodies of final functions are read back from the stored object, which
holds them anyway.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pypto_build.store.chain import ChainEntry, ChainRecord, Status, chain_name
from pypto_build.store.interface import Mode, Store
from pypto_build.store.key import Key
from pypto_build.store.record import BodyRef, record_of
from pypto_build.store.verify_rate import should_verify

RECORD_ABOVE_MS = 5.0  # putting a record and finding it again costs some 0.3 ms; below this a chain serves better
OLDER = "from an earlier run"
DIFFERS = "made again, and the result is not the one that was stored"
_KEPT_RUNS = 4  # a chain may grow to so many times what one run needs
_VALUE = "value"

LoadFinal = Callable[[BodyRef], dict[str, bytes]]
"""Gives the serialized final functions by name out of a stored object; empty when it is gone."""


class StoreCache:
    """The results of one source: a `ResultCache` on a store."""

    def __init__(self, store: Store, source_id: str, *, load_final: LoadFinal, verify_rate: int = 0) -> None:
        self._store = store
        self._source_id = source_id
        self._load_final = load_final
        self._verify_rate = verify_rate
        chain = store.get_chain(source_id)
        self._previous: tuple[ChainEntry, ...] = chain.entries if chain is not None else ()
        self._build = chain.build + 1 if chain is not None else 1
        self._by_key = {e.key: e for e in self._previous} if store.mode.reuses else {}
        self._used: dict[str, tuple[Key, dict[str, Any], bool]] = {}
        self._expected: dict[str, dict[str, Any]] = {}  # what was found, and what making it again should give
        self.differing: set[str] = set()
        """Digests of the keys under which another result was stored than this run made."""
        self._finals: dict[str, tuple[BodyRef, str]] | None = None
        self._loaded: dict[str, dict[str, bytes]] = {}

    def previous(self) -> ChainRecord:
        """What the run before this one found."""
        return ChainRecord(self._source_id, tuple(e for e in self._previous if e.reason != OLDER))

    def get(self, key: Key) -> dict[str, Any] | None:
        """The JSON data kept under a key; None in mode `verify`, which makes it again and compares."""
        entry = self._by_key.get(key.digest)
        text = dict(entry.facts).get(_VALUE) if entry is not None else self._from_record(key)
        if not isinstance(text, str):
            return None
        value: dict[str, Any] = json.loads(text)
        self._expected[key.digest] = value
        if self._store.mode is Mode.VERIFY:
            return None
        self._used[key.digest] = (key, value, True)
        return value

    def put(self, key: Key, value: dict[str, Any]) -> None:
        """Keep JSON data under a key, in the chain and, when it took long, in a record of its own."""
        self._used[key.digest] = (key, value, False)
        expected = self._expected.get(key.digest)
        if expected is not None and _without_cost(expected) != _without_cost(value):
            self.differing.add(key.digest)
        cost = float(value.get("cost_ms", 0.0))
        if cost >= RECORD_ABOVE_MS:
            self._store.put_record(record_of(key, (), facts=((_VALUE, json.dumps(value)),), cost_ms=cost))

    @property
    def doubts(self) -> bool:
        """Whether this build of the source, by its number, is the one among some that makes its results again."""
        return should_verify(chain_name(self._source_id), self._verify_rate, self._build)

    def body(self, digest: str) -> bytes | None:
        """The encoded function with this digest, from an object that holds it."""
        if self._finals is None:
            self._finals = _finals(self._previous)
        found = self._finals.get(digest)
        if found is None:
            return None
        ref, name = found
        if ref.digest not in self._loaded:
            self._loaded[ref.digest] = self._load_final(ref)
        return self._loaded[ref.digest].get(name)

    def put_body(self, digest: str, content: bytes) -> None:
        """Nothing to do: the object that this run makes will hold it."""

    def finish(self, entries: tuple[ChainEntry, ...], final: ChainEntry | None) -> None:
        """Write the chain: what this run used, what earlier ones found and this one did not need, and the object."""
        used = set(self._used)
        kept = [e for e in self._previous if e.key not in used and (final is None or e.key != final.key)]
        kept = kept[: (_KEPT_RUNS - 1) * max(len(entries), 1)]
        older = tuple(_as_older(entry) for entry in kept)
        last = (final,) if final is not None else ()
        self._store.put_chain(ChainRecord(self._source_id, (*entries, *last, *older), self._build))

    def entry(self, key: Key, pass_id: str, function: str, **more: Any) -> ChainEntry:
        """A chain entry for a result that this run used; `more` are further fields of ChainEntry."""
        _, value, reused = self._used[key.digest]
        status = Status.REUSED if reused else Status.RAN
        facts = ((_VALUE, json.dumps(value, separators=(",", ":"))),)
        reason = DIFFERS if key.digest in self.differing else ""
        return ChainEntry(
            pass_id, function, key.digest, key.components, status=status, reason=reason, facts=facts, **more
        )

    def _from_record(self, key: Key) -> object:
        record = self._store.get_record(key.digest)
        return record.fact(_VALUE) if record is not None else None


def _without_cost(value: dict[str, Any]) -> str:
    """A result as text, without the time that it took."""
    return json.dumps({name: part for name, part in value.items() if name != "cost_ms"}, sort_keys=True)


OBJECT_STEP = "object"
CHECKS_STEP = "diagnostics"
"""What stands for a pass in the chain entries of the object and of the checks."""


def object_entry(key: Key, ref: BodyRef, finals: dict[str, str]) -> ChainEntry:
    """The chain entry that says where the object is and which final functions (name -> digest) it holds."""
    facts = (("object", ref.digest), ("size", ref.size), ("finals", json.dumps(finals, sort_keys=True)))
    return ChainEntry(OBJECT_STEP, "", key.digest, key.components, "", ref.digest, Status.RAN, facts=facts)


def _finals(entries: tuple[ChainEntry, ...]) -> dict[str, tuple[BodyRef, str]]:
    found: dict[str, tuple[BodyRef, str]] = {}
    for entry in entries:
        facts = dict(entry.facts)
        digest, size, finals = facts.get("object"), facts.get("size"), facts.get("finals")
        if isinstance(digest, str) and isinstance(size, int) and isinstance(finals, str):
            for name, function_digest in json.loads(finals).items():
                found.setdefault(function_digest, (BodyRef(digest, size), name))
    return found


def _as_older(entry: ChainEntry) -> ChainEntry:
    if entry.reason == OLDER:
        return entry
    return ChainEntry(
        entry.pass_id,
        entry.function,
        entry.key,
        entry.components,
        entry.input_digest,
        entry.output_digest,
        entry.status,
        OLDER,
        entry.cost_ms,
        entry.diagnostics,
        entry.facts,
    )
