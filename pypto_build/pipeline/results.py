# SPDX-License-Identifier: Apache-2.0
"""Results of passes in one run: found under their keys, made, or found and made once more to see that they agree."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pypto_build.errors import Diagnostic
from pypto_build.ir import Function
from pypto_build.passes.context import PassContext
from pypto_build.passes.contract import FunctionResult
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.keeping import Keeping
from pypto_build.pipeline.outcome import (
    FunctionFacts,
    Outcome,
    ResultCache,
    can_replay,
    freeze,
    outcome_from_json,
    outcome_to_json,
    replay_diagnostics,
    signature_stub,
    store_diagnostics,
)
from pypto_build.pipeline.places import PlaceTable
from pypto_build.pipeline.state import FunctionState, States
from pypto_build.pipeline.step import Step
from pypto_build.pipeline.trace import PROGRAM, TraceEntry
from pypto_build.pipeline.watch import NOBODY, Watch
from pypto_build.store.key import Key


@dataclass(frozen=True, slots=True)
class Work:
    """One pass on one function, or on all when `function` is `PROGRAM`: its key, what enters, and how it is done."""

    step: Step
    key: Key
    before: States
    make: Callable[[], FunctionResult]
    function: str = PROGRAM


@dataclass(frozen=True, slots=True)
class _Made:
    """What running a pass gave, and what it said."""

    outcome: Outcome
    functions: tuple[Function, ...]
    said: tuple[Diagnostic, ...]

    def states(self) -> tuple[FunctionState, ...]:
        pairs = zip(self.outcome.functions, self.functions, strict=True)
        return tuple(FunctionState(facts, node=node) for facts, node in pairs)


class Results:
    """The results of one run, with what was said and done on the way."""

    def __init__(
        self, context: PassContext, places: PlaceTable, *, cache: ResultCache | None, watch: Watch = NOBODY
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.trace: list[TraceEntry] = []
        self._context = context
        self._places = places
        self._cache = cache
        self._watch = watch
        self.bodies = Bodies(places, cache)
        self._keeping = Keeping(self.bodies)

    def of(self, work: Work) -> tuple[tuple[FunctionState, ...], object]:
        """What a pass makes of what enters it, and its summary: found if possible, made if not."""
        data = self._cache.get(work.key) if self._cache is not None else None
        self._watch.looked_up(work.step.id, work.function, work.key, found=data is not None)
        if data is None:
            return self._fresh(work, self._run(work))
        stored = outcome_from_json(data)
        if self._is_sure(stored):
            self.diagnostics.extend(replay_diagnostics(stored.diagnostics, self._places))
            self._note(work, stored, reused=True)
            return self._states(work, stored), stored.summary
        made = self._run(work)
        return self._fresh(work, made, reused=made.outcome.agrees(stored))

    def _is_sure(self, stored: Outcome) -> bool:
        """Whether a stored result need not be made again: nobody doubts it, and it says nothing of unknown places."""
        return not (self._cache is not None and self._cache.doubts) and can_replay(stored.diagnostics, self._places)

    def _fresh(self, work: Work, made: _Made, *, reused: bool = False) -> tuple[tuple[FunctionState, ...], object]:
        """A result that this run made, kept for the next; `reused` says that it was known before."""
        if self._cache is not None:
            self._cache.put(work.key, outcome_to_json(made.outcome))
        self.diagnostics.extend(made.said)
        remake_ms = self._note(work, made.outcome, reused=reused)
        known = {state.facts.digest for state in work.before.values()}
        pairs = zip(made.outcome.functions, made.functions, strict=True)
        self._keeping.made(((facts, node) for facts, node in pairs if facts.digest not in known), remake_ms)
        return made.states(), made.outcome.summary

    def _run(self, work: Work) -> _Made:
        self._watch.pass_started(work.step, work.function)
        started = time.perf_counter()
        result = work.make()
        cost = (time.perf_counter() - started) * 1000
        said = self._context.sink.take()
        facts = tuple(_facts(function, work.before.get(function.name)) for function in result.functions)
        same = len(facts) == len(work.before) and all(
            known.name in work.before and known is work.before[known.name].facts for known in facts
        )
        self._watch.pass_finished(work.step, work.function, changed=not same, seconds=cost / 1000)
        outcome = Outcome(
            facts,
            freeze(result.summary),
            store_diagnostics(said, self._places),
            _changed_signatures(result.functions, facts, work.before),
            same,
            cost,
        )
        return _Made(outcome, result.functions, said)

    def _states(self, work: Work, outcome: Outcome) -> tuple[FunctionState, ...]:
        """The functions of a stored result, whose bodies are made only when somebody asks."""
        made_once: list[tuple[Function, ...]] = []

        def replay() -> tuple[Function, ...]:
            if not made_once:
                made_once.append(work.make().functions)
                self._context.sink.take()  # said already when the result was made, and replayed from the record
            return made_once[0]

        return tuple(self._state(facts, outcome, work.before, replay) for facts in outcome.functions)

    def _state(
        self, facts: FunctionFacts, outcome: Outcome, before: States, replay: Callable[[], tuple[Function, ...]]
    ) -> FunctionState:
        source = before.get(facts.name)
        if source is not None and source.facts.digest == facts.digest:
            return source
        signature = (outcome.signatures or {}).get(facts.name)
        return FunctionState(facts, bodies=self.bodies, replay=replay, signature_source=signature or source)

    def _note(self, work: Work, outcome: Outcome, *, reused: bool) -> float:
        """Put it into the trace; what making the result again would cost, in milliseconds."""
        name = work.function
        before = work.before[name].facts.digest if name != PROGRAM else ""
        after = next((f.digest for f in outcome.functions if f.name == name), "")
        changed = not outcome.same
        cost = outcome.cost_ms
        step = work.step
        self.trace.append(TraceEntry(step.id, step.pass_.name, name, work.key, reused, before, after, changed, cost))
        return self._keeping.passed((state.facts for state in work.before.values()), outcome.functions, cost)


def _changed_signatures(
    functions: tuple[Function, ...], facts: tuple[FunctionFacts, ...], before: States
) -> Mapping[str, str]:
    return {
        function.name: signature_stub(function)
        for function, known in zip(functions, facts, strict=True)
        if function.name not in before or before[function.name].facts.signature_digest != known.signature_digest
    }


def _facts(function: Function, before: FunctionState | None) -> FunctionFacts:
    if before is not None and before.node is function:
        return before.facts
    return FunctionFacts.of(function)
