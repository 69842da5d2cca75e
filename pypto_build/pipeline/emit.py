# SPDX-License-Identifier: Apache-2.0
"""Targets after the last pass: a program is divided into units, and only units whose functions changed are emitted."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pypto_build.errors import Diagnostic
from pypto_build.host.contracts import Member, Target, TargetContext, Unit
from pypto_build.ir import Program, encode
from pypto_build.passes.context import PassContext
from pypto_build.passes.verifier import VerificationError, VerifierRegistry, errors_of, report
from pypto_build.pipeline.outcome import ResultCache
from pypto_build.pipeline.places import NOWHERE, PlaceTable
from pypto_build.pipeline.state import FunctionState, States
from pypto_build.pipeline.trace import TraceEntry
from pypto_build.store.encoding import ComponentValue
from pypto_build.store.key import Key, KeyPrefix


@dataclass(frozen=True, slots=True)
class TargetStep:
    """A target of a plan: its name there, the target with its options, and the fingerprint of the code behind it."""

    id: str
    target: Target
    implementation: str
    options: Mapping[str, object] = field(default_factory=dict[str, object])

    def prefix(self, context: TargetContext) -> KeyPrefix:
        """The part of the keys that is the same for every unit."""
        facts = {
            "hardware": context.hardware.key(),
            "locations": context.locations,
            "memory_planner": context.memory_planner,
        }
        return KeyPrefix(
            (
                ("target", self.target.name),
                ("version", self.target.version),
                ("implementation", self.implementation),
                ("options", cast(ComponentValue, dict(self.options))),
                ("context", facts),
            )
        )


@dataclass(frozen=True, slots=True)
class Emission:
    """The members of an object and what was done to get them."""

    members: tuple[Member, ...]
    trace: tuple[TraceEntry, ...]


class Emitter:
    """Emits the units of a program's final states."""

    def __init__(
        self,
        states: States,
        program_name: str,
        context: TargetContext,
        *,
        places: PlaceTable,
        cache: ResultCache | None = None,
        verifiers: VerifierRegistry | None = None,
    ) -> None:
        self.states = states
        self.name = program_name
        self.context = context
        self.places = places
        self.cache = cache
        self.verifiers = verifiers
        self.trace: list[TraceEntry] = []

    def emit(self, steps: tuple[TargetStep, ...]) -> Emission:
        """The members of all targets, sorted by path."""
        members = [member for step in steps for member in self._target(step)]
        return Emission(tuple(sorted(members, key=lambda member: member.path)), tuple(self.trace))

    def _target(self, step: TargetStep) -> list[Member]:
        prefix = step.prefix(self.context)
        outlines = {name: state.facts.outline() for name, state in self.states.items()}
        return [member for unit in step.target.units(outlines) for member in self._unit(step, unit, prefix)]

    def _unit(self, step: TargetStep, unit: Unit, prefix: KeyPrefix) -> tuple[Member, ...]:
        digests = {name: self.states[name].facts.digest for name in unit.functions}
        components = (("program", self.name), ("unit", unit.name), ("functions", digests))
        key = Key("unit", components, prefix=prefix)
        stored = self.cache.get(key) if self.cache is not None else None
        if stored is not None:
            self._note(step, unit, key, reused=True, cost_ms=float(stored["cost_ms"]))
            return tuple(self._from_json(data) for data in stored["members"])
        started = time.perf_counter()
        bodies = tuple(self.states[name].body() for name in unit.functions)
        program = Program(bodies, self.name)  # type: ignore[arg-type]  # any iterable of functions
        self._check(step, program)
        members = step.target.emit(unit, program, self.context)
        cost = (time.perf_counter() - started) * 1000
        if self.cache is not None:
            data = {"members": [self._to_json(member) for member in members], "cost_ms": round(cost, 3)}
            self.cache.put(key, data)
        self._note(step, unit, key, reused=False, cost_ms=cost)
        return members

    def _check(self, step: TargetStep, program: Program) -> None:
        if self.verifiers is None:
            return
        planner = self.context.memory_planner
        context = PassContext(hardware_description=self.context.hardware, planner=planner, ops=self.context.ops)
        found: tuple[Diagnostic, ...] = errors_of(self.verifiers.verify(step.target.requires, program, context))
        if found:
            heading = f"target {step.target.name} cannot translate a program that lacks what it requires:"
            raise VerificationError(f"{heading}\n{report(found)}", found)

    def _note(self, step: TargetStep, unit: Unit, key: Key, *, reused: bool, cost_ms: float) -> None:
        self.trace.append(TraceEntry(step.id, step.target.name, unit.name, key, reused, "", "", True, cost_ms))

    def _to_json(self, member: Member) -> list[Any]:
        lines = [[line, *self.places.place(span)] for line, span in member.locations]
        return [member.path, member.data.decode(), lines]

    def _from_json(self, data: list[Any]) -> Member:
        path, text, lines = data
        locations = tuple(
            (line, self.places.span((function, ordinal)))
            for line, function, ordinal in lines
            if (function, ordinal) != NOWHERE
        )
        return Member(path, text.encode(), locations)


def encoded_body(state: FunctionState, cache: ResultCache | None) -> bytes:
    """A final function in serialized form, from the store if it is there, kept there otherwise."""
    known = cache.body(state.facts.digest) if cache is not None and state.node is None else None
    if known is not None:
        return known
    content = encode(state.body())
    if cache is not None:
        cache.put_body(state.facts.digest, content)
    return content
