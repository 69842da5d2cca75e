# SPDX-License-Identifier: Apache-2.0
"""Running a pipeline: for each pass and function the key, a look-up, and only on a miss the pass itself.

The walk never goes back: a pass whose input has the digest it had last time is not run, and a pass that makes the same
result from another input stops the rebuild there. Bodies are loaded or made again only when a pass or target that must
run asks for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from pypto_build.analysis.call_graph import bottom_up
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import Function, Program
from pypto_build.passes.apply import merged, rounds, run_function
from pypto_build.passes.checks import Phase
from pypto_build.passes.context import PassContext
from pypto_build.passes.contract import FunctionPass, FunctionResult, Pass
from pypto_build.passes.verifier import Verification
from pypto_build.pipeline.callee_view import CalleeView, told
from pypto_build.pipeline.checking import Checking
from pypto_build.pipeline.outcome import (
    FunctionFacts,
    Outcome,
    ResultCache,
    freeze,
    outcome_from_json,
    outcome_to_json,
    replay_diagnostics,
    signature_stub,
    store_diagnostics,
)
from pypto_build.pipeline.places import PlaceTable
from pypto_build.pipeline.round_trip import check_round_trip
from pypto_build.pipeline.state import FunctionState, States
from pypto_build.store.encoding import ComponentValue
from pypto_build.store.key import Key, KeyPrefix

PROGRAM = ""  # stands for the function in the trace of a pass that sees the whole program


@dataclass(frozen=True, slots=True)
class Step:
    """A pass of a plan: its id there, the pass with its options, and the fingerprint of the code behind it."""

    id: str
    pass_: Pass
    implementation: str
    options: Mapping[str, object] = field(default_factory=dict[str, object])

    def prefix(self, context: PassContext) -> KeyPrefix:
        """The part of the keys that is the same for every function."""
        facts = {name: context.fact_key(name) for name in self.pass_.reads}
        return KeyPrefix(
            (
                ("pass", self.pass_.name),
                ("version", self.pass_.version),
                ("implementation", self.implementation),
                ("options", cast(ComponentValue, dict(self.options))),
                ("context", cast(ComponentValue, facts)),
            )
        )


def _unguarded(step: Step, state: FunctionState | None, action: Callable[[], Any]) -> Any:
    del step, state
    return action()


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """What happened to one function in one pass."""

    step: str
    pass_name: str
    function: str
    key: Key
    reused: bool
    input_digest: str
    output_digest: str
    changed: bool
    cost_ms: float


@dataclass(frozen=True, slots=True)
class RunResult:
    """The functions after the last pass, what was said on the way, and what ran."""

    states: States
    diagnostics: tuple[Diagnostic, ...]
    trace: tuple[TraceEntry, ...]
    program_name: str

    def program(self) -> Program:
        """The final program; loads or makes every body."""
        return Program(tuple(state.body() for state in self.states.values()), self.program_name)  # type: ignore[arg-type]  # any iterable of functions

    def passes_run(self) -> int:
        """How many passes ran on a function or program."""
        return sum(not entry.reused for entry in self.trace)


class Run:
    """One program on its way through a pipeline."""

    def __init__(
        self,
        program: Program,
        context: PassContext,
        *,
        cache: ResultCache | None = None,
        verification: Verification | None = None,
        checking: Checking | None = None,
        on_pass: Callable[[TraceEntry], None] | None = None,
        guard: Callable[[Step, FunctionState | None, Callable[[], Any]], Any] | None = None,
    ) -> None:
        self.name = program.name
        self.context = context
        self.cache = cache
        self.verification = verification
        self.checking = checking
        self.on_pass = on_pass
        self.guard = guard or _unguarded
        self.places = PlaceTable(program)
        self.states: States = {f.name: FunctionState.of(f) for f in program.functions.values()}
        self.diagnostics: list[Diagnostic] = []
        self.trace: list[TraceEntry] = []
        if verification is not None:
            verification.check_input(program)
        self._look(Phase.PRE_PIPELINE)

    def through(self, steps: tuple[Step, ...]) -> RunResult:
        """Run every step; the result carries the final states."""
        for step in steps:
            self.step(step)
        return self.finish()

    def finish(self) -> RunResult:
        """The state after the steps so far, which were all."""
        self._look(Phase.POST_PIPELINE)
        said = tuple(dict.fromkeys(self.diagnostics))
        return RunResult(dict(self.states), said, tuple(self.trace), self.name)

    def _look(self, phase: Phase) -> None:
        if self.checking is not None:
            self.diagnostics += self.checking.look(phase, self.states, self.places)

    def step(self, step: Step) -> None:
        """Run one pass on everything that it has not seen."""
        prefix = step.prefix(self.context)
        if isinstance(step.pass_, FunctionPass):
            self.states = self._function_pass(step, step.pass_, prefix=prefix)
        else:
            self.states = self._program_pass(step, prefix=prefix)
        if self.verification is not None:
            self._verify(step, self.verification)
        self._look(Phase.POST_PASS)

    def _verify(self, step: Step, verification: Verification) -> None:
        due = verification.due(step.pass_.produces, step.pass_.invalidates)
        if all(e.reused for e in self.trace if e.step == step.id):
            return
        if due:
            verification.check(step.pass_.name, self._at_hand(), due)
        if verification.level == "roundtrip":
            check_round_trip(self.program(), step.pass_.name, self.context.ops)

    def program(self) -> Program:
        """The program as it is now; loads or makes every body."""
        return Program(tuple(state.body() for state in self.states.values()), self.name)  # type: ignore[arg-type]  # any iterable of functions

    def _at_hand(self) -> Program:
        """The functions whose bodies are in memory; a verifier leaves calls of the others alone."""
        nodes = tuple(state.node for state in self.states.values() if state.node is not None)
        return Program(nodes, self.name)  # type: ignore[arg-type]  # any iterable of functions

    # -- passes over functions -------------------------------------------------------------------------------------

    def _function_pass(self, step: Step, pass_: FunctionPass, prefix: KeyPrefix) -> States:
        before = self.states
        graph = {
            name: tuple(callee for callee in state.facts.callees if callee in before) for name, state in before.items()
        }
        made: dict[str, tuple[FunctionState, ...]] = {}
        own: States = {}
        summaries: dict[str, object] = {}
        for component in bottom_up(graph):
            for name in rounds(component, graph, partial(told, component, own, summaries)):
                callees = CalleeView(graph[name], before, own, summaries)
                made[name], summaries[name] = self._one_function(
                    step, pass_, prefix, state=before[name], callees=callees
                )
                own.update({s.facts.name: s for s in made[name] if s.facts.name == name})
        after: States = {}
        for states in made.values():
            for state in states:
                self._add(after, state)
        return {name: after[name] for name in sorted(after)}

    def _one_function(
        self, step: Step, pass_: FunctionPass, prefix: KeyPrefix, *, state: FunctionState, callees: CalleeView
    ) -> tuple[tuple[FunctionState, ...], object]:
        name = state.facts.name
        key = Key(
            "pass", (("function", state.facts.digest), ("callees", cast(ComponentValue, callees.key()))), prefix=prefix
        )
        restricted = self.context.restricted(pass_.reads)

        def execute() -> tuple[Function, ...]:
            return results().functions

        def results() -> FunctionResult:
            return self.guard(step, state, lambda: run_function(pass_, state.body(), callees.load(), restricted))

        stored = self._stored(key)
        if stored is not None:
            self._note(step, key, state, outcome=stored, reused=True)
            return self._states_of(stored, {name: state}, execute), stored.summary
        started = time.perf_counter()
        result = results()
        outcome = self._record(key, result.functions, {name: state}, summary=result.summary, started=started)
        self._note(step, key, state, outcome=outcome, reused=False)
        made = tuple(
            FunctionState(facts, node=node) for facts, node in zip(outcome.functions, result.functions, strict=True)
        )
        return made, outcome.summary

    # -- passes over programs --------------------------------------------------------------------------------------

    def _program_pass(self, step: Step, prefix: KeyPrefix) -> States:
        before = self.states
        inputs = {name: state.facts.digest for name, state in before.items()}
        key = Key("program pass", (("program", self.name), ("functions", inputs)), prefix=prefix)
        restricted = self.context.restricted(step.pass_.reads)

        def execute() -> tuple[Function, ...]:
            program = Program(tuple(s.body() for s in before.values()), self.name)  # type: ignore[arg-type]  # any iterable
            made: Program = self.guard(step, None, lambda: step.pass_.run(program, restricted))  # type: ignore[call-arg]  # not a FunctionPass
            return tuple(made.functions.values())

        stored = self._stored(key)
        if stored is not None:
            self._note(step, key, None, outcome=stored, reused=True)
            return {state.facts.name: state for state in self._states_of(stored, before, execute)}
        started = time.perf_counter()
        functions = execute()
        outcome = self._record(key, functions, before, summary=None, started=started)
        self._note(step, key, None, outcome=outcome, reused=False)
        return {f.name: FunctionState(facts, node=f) for facts, f in zip(outcome.functions, functions, strict=True)}

    # -- look-ups and records --------------------------------------------------------------------------------------

    def _stored(self, key: Key) -> Outcome | None:
        data = self.cache.get(key) if self.cache is not None else None
        if data is None:
            return None
        outcome = outcome_from_json(data)
        self.diagnostics.extend(replay_diagnostics(outcome.diagnostics, self.places))
        return outcome

    def _record(
        self, key: Key, functions: tuple[Function, ...], before: States, *, summary: object, started: float
    ) -> Outcome:
        cost = (time.perf_counter() - started) * 1000
        said = self.context.sink.take()
        self.diagnostics.extend(said)
        facts = tuple(_facts(function, before.get(function.name)) for function in functions)
        changed_signatures = {
            f.name: signature_stub(f)
            for f, known in zip(functions, facts, strict=True)
            if f.name not in before or before[f.name].facts.signature_digest != known.signature_digest
        }
        same = len(functions) == len(before) and all(
            f.name in before and known is before[f.name].facts for f, known in zip(functions, facts, strict=True)
        )
        outcome = Outcome(facts, freeze(summary), store_diagnostics(said, self.places), changed_signatures, same, cost)
        if self.cache is not None:
            self.cache.put(key, outcome_to_json(outcome))
        return outcome

    def _states_of(
        self, outcome: Outcome, before: States, execute: Callable[[], tuple[Function, ...]]
    ) -> tuple[FunctionState, ...]:
        made_once: list[tuple[Function, ...]] = []

        def replay() -> tuple[Function, ...]:
            if not made_once:
                made_once.append(execute())
                self.context.sink.take()  # said already when the result was made, and replayed from the record
            return made_once[0]

        return tuple(self._state_of(facts, outcome, before, replay) for facts in outcome.functions)

    def _state_of(
        self, facts: FunctionFacts, outcome: Outcome, before: States, replay: Callable[[], tuple[Function, ...]]
    ) -> FunctionState:
        source = before.get(facts.name)
        if source is not None and source.facts.digest == facts.digest:
            return source
        signature = (outcome.signatures or {}).get(facts.name)
        return FunctionState(facts, cache=self.cache, replay=replay, signature_source=signature or source)

    def _note(self, step: Step, key: Key, state: FunctionState | None, *, outcome: Outcome, reused: bool) -> None:
        function = state.facts.name if state is not None else PROGRAM
        before = state.facts.digest if state is not None else ""
        after = next((f.digest for f in outcome.functions if f.name == function), "")
        entry = TraceEntry(
            step.id, step.pass_.name, function, key, reused, before, after, not outcome.same, outcome.cost_ms
        )
        self.trace.append(entry)
        if self.on_pass is not None:
            self.on_pass(entry)

    def _add(self, states: States, state: FunctionState) -> None:
        name = state.facts.name
        if name in states:
            merged(Program((), self.name), {"1": _result(states[name]), "2": _result(state)})  # type: ignore[arg-type]  # any iterable
            raise UserError("PASS001", f"two functions of {self.name or 'the program'} are named {name!r}")
        states[name] = state


def _result(state: FunctionState) -> FunctionResult:
    return FunctionResult((state.body(),))


def _facts(function: Function, before: FunctionState | None) -> FunctionFacts:
    if before is not None and before.node is function:
        return before.facts
    return FunctionFacts.of(function)
