# SPDX-License-Identifier: Apache-2.0
"""What a run does as events for the observing hooks of plugins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from pypto_build.host import (
    CacheHit,
    CacheMiss,
    Event,
    PassFinished,
    PassStarted,
    PipelineFinished,
    PipelineStarted,
    PluginHost,
)
from pypto_build.pipeline import Pipeline
from pypto_build.pipeline.step import Step
from pypto_build.pipeline.trace import TraceEntry
from pypto_build.pipeline.watch import NOBODY, Watch
from pypto_build.store.chain import ChainRecord
from pypto_build.store.difference import first_difference
from pypto_build.store.key import Key


def watch_of(source: str, host: PluginHost, previous: ChainRecord | None) -> Watch:
    """What tells the observers of a host about one source; `previous` is what the last run over the source found."""
    return ObserversWatch(host.notify, source, previous=previous) if host.is_observed else NOBODY


def tell_started(source: str, pipeline: Pipeline) -> None:
    """A source enters a pipeline."""
    if pipeline.host.is_observed:
        passes = tuple(one.id for one in pipeline.passes)
        pipeline.host.notify(PipelineStarted(source, pipeline.title, pipeline.digest, passes))


def tell_finished(source: str, pipeline: Pipeline, trace: Iterable[TraceEntry], *, seconds: float) -> None:
    """A source has left a pipeline, targets included."""
    if pipeline.host.is_observed:
        reused = Counter(entry.reused for entry in trace)
        counts = {"passes_run": reused[False], "passes_reused": reused[True]}
        pipeline.host.notify(PipelineFinished(source, pipeline.title, pipeline.digest, **counts, seconds=seconds))


class ObserversWatch(Watch):
    """Makes an event of everything and hands it to `notify`; `previous` is what the last run over the source found."""

    def __init__(self, notify: Callable[[Event], None], source: str, *, previous: ChainRecord | None = None) -> None:
        self._notify = notify
        self._source = source
        entries = previous.entries if previous is not None else ()
        self._previous = {(entry.pass_id, entry.function): entry.components for entry in entries}

    def looked_up(self, step_id: str, subject: str, key: Key, *, found: bool) -> None:
        """See Watch; a miss names the first component that differs from the last run's."""
        about = f"{step_id} of {subject}" if subject else step_id
        if found:
            self._notify(CacheHit(key.kind, key.digest, about))
            return
        before = self._previous.get((step_id, subject))
        difference = first_difference(before, key.components) if before is not None else None
        self._notify(CacheMiss(key.kind, key.digest, about, str(difference) if difference is not None else ""))

    def pass_started(self, step: Step, function: str) -> None:
        """See Watch."""
        self._notify(PassStarted(self._source, step.id, step.pass_.name, function))

    def pass_finished(self, step: Step, function: str, *, changed: bool, seconds: float) -> None:
        """See Watch."""
        self._notify(PassFinished(self._source, step.id, step.pass_.name, changed, seconds, function))
