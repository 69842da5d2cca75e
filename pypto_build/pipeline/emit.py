# SPDX-License-Identifier: Apache-2.0
"""Targets after the last pass: a program is divided into units, and only units whose functions changed are emitted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pypto_build.errors import Diagnostic, Span
from pypto_build.host.contracts import Member, Target, TargetContext, Unit
from pypto_build.ir import Program
from pypto_build.passes.context import PassContext
from pypto_build.passes.verifier import VerificationError, VerifierRegistry, errors_of, report
from pypto_build.pipeline.outcome import ResultCache, same_result
from pypto_build.pipeline.places import NOWHERE, PlaceTable
from pypto_build.pipeline.state import States
from pypto_build.pipeline.trace import TraceEntry
from pypto_build.pipeline.watch import NOBODY, Watch
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


Guard = Callable[[TargetStep, Unit, Program, Callable[[], tuple[Member, ...]]], tuple[Member, ...]]
"""Calls a target for one unit of a program, and says whose code it is when that fails."""


def _unguarded(
    step: TargetStep, unit: Unit, program: Program, emit: Callable[[], tuple[Member, ...]]
) -> tuple[Member, ...]:
    del step, unit, program
    return emit()


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
        guard: Guard = _unguarded,
        watch: Watch = NOBODY,
    ) -> None:
        self.states = states
        self.name = program_name
        self.context = context
        self.places = places
        self.cache = cache
        self.verifiers = verifiers
        self._guard = guard
        self._watch = watch
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
        self._watch.looked_up(step.id, unit.name, key, found=stored is not None)
        if stored is not None and self.places.holds(stored["shapes"]):
            self._note(step, unit, key, reused=True, cost_ms=float(stored["cost_ms"]))
            return self._from_json(stored)
        started = time.perf_counter()
        bodies = tuple(self.states[name].body() for name in unit.functions)
        program = Program(bodies, self.name)  # type: ignore[arg-type]  # any iterable of functions
        self._check(step, program)
        members = self._guard(step, unit, program, lambda: step.target.emit(unit, program, self.context))
        cost = (time.perf_counter() - started) * 1000
        made = self._to_json(members, cost)
        if self.cache is not None:
            self.cache.put(key, made)
        self._note(step, unit, key, reused=stored is not None and same_result(stored, made), cost_ms=cost)
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

    def _to_json(self, members: tuple[Member, ...], cost_ms: float) -> dict[str, Any]:
        result = [[one.path, one.data.decode(), [line for line, _ in one.locations]] for one in members]
        places = [[self.places.place(span) for _, span in one.locations] for one in members]
        shapes = self.places.shapes(place for own in places for place in own)
        return {"result": result, "places": places, "shapes": shapes, "cost_ms": round(cost_ms, 3)}

    def _from_json(self, data: dict[str, Any]) -> tuple[Member, ...]:
        return tuple(
            Member(path, text.encode(), tuple(self._locations(lines, places)))
            for (path, text, lines), places in zip(data["result"], data["places"], strict=True)
        )

    def _locations(self, lines: list[int], places: list[list[Any]]) -> Iterator[tuple[int, Span]]:
        for line, (function, ordinal) in zip(lines, places, strict=True):
            if (function, ordinal) != NOWHERE:
                yield line, self.places.span((function, ordinal))
