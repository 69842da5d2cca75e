# SPDX-License-Identifier: Apache-2.0
"""The account of one compilation: which results it used, and why each was made or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pypto_build.driver.history import Row, rows_of
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.trace import TraceEntry
from pypto_build.store.chain import ChainEntry, ChainRecord, Status
from pypto_build.store.explain import explain_chain


@dataclass(frozen=True, slots=True)
class Account:
    """The results that a run with a store used, each with its reason, and the first difference that made a pass run."""

    entries: tuple[ChainEntry, ...] = ()
    difference: str = ""

    def rows(self, trace: Iterable[TraceEntry]) -> tuple[Row, ...]:
        """The account as it travels; `trace` is that of the run, which is all there is without a store."""
        if self.entries:
            return rows_of(self.entries)
        return tuple((e.step, e.function, Status.RAN.value, "nothing was looked up", e.cost_ms) for e in trace)


def account_of(trace: tuple[TraceEntry, ...], cache: StoreCache | None) -> Account:
    """Hold a run against the one before it; without a cache nothing is known of that."""
    if cache is None:
        return Account()
    previous, entries = cache.previous(), _entries(trace, cache)
    explained = explain_chain(previous if previous.entries else None, ChainRecord("", entries))
    reasons = {
        (one.pass_id, f.function): f"{f.reason}: {f.difference}" if f.difference is not None else f.reason
        for one in explained
        for f in one.functions
    }
    reasoned = tuple([replace(e, reason=reasons[(e.pass_id, e.function)]) for e in entries])
    ran = any(not e.reused for e in trace)
    difference = next((str(one.difference) for one in explained if one.difference is not None), "") if ran else ""
    return Account(reasoned, difference)


def _entries(trace: Iterable[TraceEntry], cache: StoreCache) -> tuple[ChainEntry, ...]:
    return tuple(
        [
            cache.entry(
                entry.key,
                entry.step,
                entry.function,
                reused=entry.reused,
                input_digest=entry.input_digest,
                output_digest=entry.output_digest,
                cost_ms=entry.cost_ms,
            )
            for entry in trace
        ]
    )
