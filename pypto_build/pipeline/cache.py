# SPDX-License-Identifier: Apache-2.0
"""Results of passes and targets in the store, one chain record per source and pipeline.

A chain holds what the last runs over a source found, so one read answers all look-ups of a run and one write keeps all
its results; a file per pass would cost more than most passes. Results that took long also get a record of their own,
which other sources and other machines can find. The chain also says where bodies of functions are.

Pipelines that run over one source begin alike more often than not. So a look-up that fails is tried once more in the
chain that was written last for the source, whichever pipeline that was for. Two that run at the same time write a chain
each, and nothing of either is lost.
"""

from __future__ import annotations

import json
from typing import Any

from pypto_build.pipeline.outcome import same_result
from pypto_build.pipeline.relatives import BODIES_STEP, Relatives, bodies_of
from pypto_build.store.chain import ChainEntry, ChainRecord, Status, chain_name
from pypto_build.store.encoding import dump_json
from pypto_build.store.interface import Mode, Store
from pypto_build.store.key import Key
from pypto_build.store.policy import keep_record
from pypto_build.store.record import BodyRef, record_of
from pypto_build.store.verify_rate import should_verify

OLDER = "from an earlier run"
DIFFERS = "made again, and the result is not the one that was stored"
_KEPT_RUNS = 4  # a chain may grow to so many times what one run needs
_VALUE = "value"


class StoreCache:
    """The results of one source in one pipeline: a `ResultCache` on a store.

    `chain_id` names the two together, `family` the source alone, where there are several pipelines for it.
    """

    def __init__(self, store: Store, chain_id: str, *, family: str = "", verify_rate: int = 0) -> None:
        self._store = store
        self._chain_id = chain_id
        self._verify_rate = verify_rate
        self._relatives = Relatives(store, family, chain_id)
        chain = store.get_chain(chain_id)
        self._previous: tuple[ChainEntry, ...] = chain.entries if chain is not None else self._relatives.entries
        self._build = chain.build + 1 if chain is not None else 1
        self._by_key = {e.key: e for e in self._previous} if store.mode.reuses else {}
        self._used: dict[str, dict[str, Any]] = {}
        self._expected: dict[str, dict[str, Any]] = {}  # what was found, and what making it again should give
        self.differing: set[str] = set()
        """Digests of the keys under which another result was stored than this run made."""
        self._bodies: dict[str, BodyRef] = {}  # that this run put or read, by digest of the function
        self._older_bodies = bodies_of(self._previous)

    def previous(self) -> ChainRecord:
        """What the run before this one found."""
        return ChainRecord(self._chain_id, tuple(e for e in self._previous if e.reason != OLDER))

    def get(self, key: Key) -> dict[str, Any] | None:
        """The value kept under a key; None in mode `verify`, which makes it again and compares."""
        entry = self._by_key.get(key.digest) or self._relatives.entry(key.digest)
        text = dict(entry.facts).get(_VALUE) if entry is not None else self._from_record(key)
        if not isinstance(text, str):
            return None
        value: dict[str, Any] = json.loads(text)
        self._expected[key.digest] = value
        if self._store.mode is Mode.VERIFY:
            return None
        self._used[key.digest] = value
        return value

    def put(self, key: Key, value: dict[str, Any]) -> None:
        """Keep a value under a key, in the chain and, when it took long, in a record of its own."""
        self._used[key.digest] = value
        expected = self._expected.get(key.digest)
        if expected is not None and not same_result(expected, value):
            self.differing.add(key.digest)
        cost = float(value["cost_ms"])
        if keep_record(cost):
            self._store.put_record(record_of(key, (), facts=((_VALUE, json.dumps(value)),), cost_ms=cost))

    @property
    def doubts(self) -> bool:
        """Whether this build of the source, by its number, is the one among some that makes its results again."""
        return should_verify(chain_name(self._chain_id), self._verify_rate, self._build)

    def has_body(self, digest: str) -> bool:
        """Whether a run has put the body of the function with this digest."""
        return digest in self._bodies or digest in self._older_bodies or self._relatives.body(digest) is not None

    def body(self, digest: str) -> bytes | None:
        """The body of the function with this digest, if it is still there."""
        ref = self._bodies.get(digest) or self._older_bodies.get(digest) or self._relatives.body(digest)
        content = self._store.get_body(ref) if ref is not None else None
        if ref is not None and content is not None:
            self._bodies[digest] = ref
        return content

    def put_body(self, digest: str, content: bytes) -> None:
        """Keep the body of a function."""
        self._bodies[digest] = self._store.put_body(content)

    def finish(self, entries: tuple[ChainEntry, ...], final: Key) -> None:
        """Write the chain: what this run used, and of what earlier ones found and this one did not need the latest."""
        used = {*self._used, final.digest}
        kept = [e for e in self._previous if e.key not in used and e.pass_id != BODIES_STEP]
        older = tuple(_as_older(entry) for entry in kept[: (_KEPT_RUNS - 1) * max(len(entries), 1)])
        everything = (*entries, self._bodies_entry(final), *older)
        self._store.put_chain(ChainRecord(self._chain_id, everything, self._build))
        self._relatives.written()

    def _bodies_entry(self, final: Key) -> ChainEntry:
        """Where bodies are: those of this run, and of older ones as many as a chain keeps."""
        older = [one for one in self._older_bodies.items() if one[0] not in self._bodies]
        known = {**self._bodies, **dict(older[: (_KEPT_RUNS - 1) * max(len(self._bodies), 1)])}
        text = json.dumps({digest: [ref.digest, ref.size] for digest, ref in known.items()}, separators=(",", ":"))
        facts = ((BODIES_STEP, text),)
        return ChainEntry(BODIES_STEP, "", final.digest, final.components, "", "", Status.RAN, facts=facts)

    def entry(self, key: Key, pass_id: str, function: str, *, reused: bool, **more: Any) -> ChainEntry:
        """A chain entry for a result that this run used; `more` are further fields of ChainEntry."""
        status = Status.REUSED if reused else Status.RAN
        facts = ((_VALUE, dump_json(self._used[key.digest])),)
        reason = DIFFERS if key.digest in self.differing else ""
        return ChainEntry(
            pass_id, function, key.digest, key.components, status=status, reason=reason, facts=facts, **more
        )

    def _from_record(self, key: Key) -> object:
        record = self._store.get_record(key.digest)
        return record.fact(_VALUE) if record is not None else None


CHECKS_STEP = "diagnostics"
"""What stands for a pass in the chain entries of the checks."""


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
