# SPDX-License-Identifier: Apache-2.0
"""Checks along a pipeline: for each phase and function the key, a look-up, and only on a miss the checks themselves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pypto_build.errors import Diagnostic
from pypto_build.host import Contribution, attributed
from pypto_build.ir import Function
from pypto_build.passes.checks import Check, Phase
from pypto_build.passes.context import PassContext
from pypto_build.pipeline.cache import CHECKS_STEP, StoreCache
from pypto_build.pipeline.outcome import (
    ResultCache,
    can_replay,
    diagnostics_from_json,
    diagnostics_to_json,
    replay_diagnostics,
    store_diagnostics,
)
from pypto_build.pipeline.places import PlaceTable
from pypto_build.pipeline.state import FunctionState
from pypto_build.store.chain import ChainEntry
from pypto_build.store.encoding import ComponentValue
from pypto_build.store.key import Key, KeyPrefix


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A check that shall look, the fingerprint of the code behind it, and whose code it is."""

    check: Check
    implementation: str
    owner: Contribution


@dataclass(frozen=True, slots=True)
class Look:
    """What the checks of one phase did with one function."""

    function: str
    key: Key
    input_digest: str
    reused: bool


class Checking:
    """The checks of one run, and what they did."""

    def __init__(self, steps: tuple[CheckStep, ...], context: PassContext, *, cache: ResultCache | None = None) -> None:
        self._context = context
        self._cache = cache
        self._steps = {phase: tuple(step for step in steps if step.check.phase is phase) for phase in Phase}
        self._prefixes = {phase: self._prefix(own) for phase, own in self._steps.items()}
        self.looks: dict[str, Look] = {}  # by the digest of the key: a function that a pass leaves alone counts once

    def look(self, phase: Phase, states: Mapping[str, FunctionState], places: PlaceTable) -> tuple[Diagnostic, ...]:
        """What the checks of a phase say of some functions, those that they have seen before included."""
        if not self._steps[phase]:
            return ()
        return tuple(one for name in sorted(states) for one in self._function(phase, states[name], places))

    def entries(self, cache: StoreCache) -> tuple[ChainEntry, ...]:
        """What to keep of it in the chain of the source."""
        return tuple(
            cache.entry(
                one.key, CHECKS_STEP, one.function, reused=one.reused, input_digest=one.input_digest, output_digest=""
            )
            for one in self.looks.values()
        )

    def _function(self, phase: Phase, state: FunctionState, places: PlaceTable) -> tuple[Diagnostic, ...]:
        facts = state.facts
        key = Key("checks", (("function", facts.digest),), prefix=self._prefixes[phase])
        stored = self._cache.get(key) if self._cache is not None else None
        said = diagnostics_from_json(stored["result"], stored["places"]) if stored is not None else ()
        reused = stored is not None and can_replay(said, places)
        self.looks[key.digest] = Look(facts.name, key, facts.digest, reused)
        if reused:
            return replay_diagnostics(said, places)
        started = time.perf_counter()
        function = state.body()
        found = tuple(one for step in self._steps[phase] for one in self._found(step, function))
        cost = round((time.perf_counter() - started) * 1000, 3)
        if self._cache is not None:
            told, at = diagnostics_to_json(store_diagnostics(found, places))
            self._cache.put(key, {"result": told, "places": at, "cost_ms": cost})
        return found

    def _found(self, step: CheckStep, function: Function) -> tuple[Diagnostic, ...]:
        with attributed(step.owner, function=function.name):
            return tuple(step.check.diagnostics(function, self._context))

    def _prefix(self, steps: tuple[CheckStep, ...]) -> KeyPrefix:
        names = {name for step in steps for name in step.check.reads}
        facts = {name: self._context.fact_key(name) for name in sorted(names)}
        checks = {step.check.name: step.implementation for step in steps}
        return KeyPrefix((("checks", cast(ComponentValue, checks)), ("context", cast(ComponentValue, facts))))
