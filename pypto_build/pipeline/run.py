# SPDX-License-Identifier: Apache-2.0
"""Running a pipeline: for each pass and function the key, a look-up, and only on a miss the pass itself.

The walk never goes back: a pass whose input has the digest it had last time is not run, and a pass that makes the same
result from another input stops the rebuild there. Bodies are loaded or made again only when a pass or target that must
run asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from pypto_build.analysis.call_graph import bottom_up
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import Program
from pypto_build.passes.apply import merged, rounds, run_function
from pypto_build.passes.checks import Phase
from pypto_build.passes.context import PassContext
from pypto_build.passes.contract import FunctionPass, FunctionResult
from pypto_build.passes.verifier import Verification
from pypto_build.pipeline.callee_view import CalleeView, told
from pypto_build.pipeline.checking import Checking
from pypto_build.pipeline.outcome import ResultCache
from pypto_build.pipeline.places import PlaceTable
from pypto_build.pipeline.results import Results, Work
from pypto_build.pipeline.round_trip import check_round_trip
from pypto_build.pipeline.state import FunctionState, States
from pypto_build.pipeline.step import Step
from pypto_build.pipeline.trace import PROGRAM, RunResult, TraceEntry, program_of
from pypto_build.pipeline.watch import NOBODY, Watch
from pypto_build.store.encoding import ComponentValue
from pypto_build.store.key import Key, KeyPrefix

Guard = Callable[[Step, str, Callable[[], Program], Callable[[], Any]], Any]
"""Runs a pass, given its step, the function (or `PROGRAM`), and what makes the program before it if that is needed."""


def _unguarded(step: Step, function: str, before: Callable[[], Program], action: Callable[[], Any]) -> Any:
    del step, function, before
    return action()


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
        guard: Guard = _unguarded,
        watch: Watch = NOBODY,
    ) -> None:
        self.name = program.name
        self.context = context
        self.verification = verification
        self.checking = checking
        self.guard = guard
        self.places = PlaceTable(program)
        self.states: States = {f.name: FunctionState.of(f) for f in program.functions.values()}
        self.results = Results(context, self.places, cache=cache, watch=watch)
        if verification is not None:
            verification.check_input(program)
        self._look(Phase.PRE_PIPELINE)

    @property
    def trace(self) -> list[TraceEntry]:
        """What happened so far."""
        return self.results.trace

    def through(self, steps: tuple[Step, ...]) -> RunResult:
        """Run every step; the result carries the final states."""
        for step in steps:
            self.step(step)
        return self.finish()

    def finish(self) -> RunResult:
        """The state after the steps so far, which were all."""
        self._look(Phase.POST_PIPELINE)
        said: tuple[Diagnostic, ...] = tuple(dict.fromkeys(self.results.diagnostics))
        return RunResult(dict(self.states), said, tuple(self.trace), self.name)

    def _look(self, phase: Phase) -> None:
        if self.checking is not None:
            self.results.diagnostics += self.checking.look(phase, self.states, self.places)

    def step(self, step: Step) -> None:
        """Run one pass on everything that it has not seen."""
        prefix, begun = step.prefix(self.context), len(self.trace)
        if isinstance(step.pass_, FunctionPass):
            self.states = self._function_pass(step, step.pass_, prefix=prefix)
        else:
            self.states = self._program_pass(step, prefix=prefix)
        if self.verification is not None:
            self._verify(step, self.verification, self.trace[begun:])
        self._look(Phase.POST_PASS)

    def _verify(self, step: Step, verification: Verification, done: Sequence[TraceEntry]) -> None:
        due = verification.due(step.pass_.produces, step.pass_.invalidates)
        if all(entry.reused for entry in done):
            return
        if due:
            verification.check(step.pass_.name, self._at_hand(), due)
        if verification.level == "roundtrip":
            check_round_trip(self.program(), step.pass_.name, self.context.ops)

    def program(self) -> Program:
        """The program as it is now; loads or makes every body."""
        return program_of(self.states, self.name)

    def _at_hand(self) -> Program:
        """The functions whose bodies are in memory; a verifier leaves calls of the others alone."""
        return program_of({name: state for name, state in self.states.items() if state.node is not None}, self.name)

    # -- passes over functions -------------------------------------------------------------------------------------

    def _function_pass(self, step: Step, pass_: FunctionPass, prefix: KeyPrefix) -> States:
        before = self.states
        graph = {
            name: tuple(callee for callee in state.facts.callees if callee in before) for name, state in before.items()
        }
        made: dict[str, tuple[FunctionState, ...]] = {}
        own: States = {}
        summaries: dict[str, object] = {}
        context = self.context.restricted(pass_.reads)
        for component in bottom_up(graph):
            for name in rounds(component, graph, partial(told, component, own, summaries)):
                callees = CalleeView(graph[name], before, own, summaries)
                work = self._work(step, pass_, prefix, state=before[name], callees=callees, context=context)
                made[name], summaries[name] = self.results.of(work)
                own.update({s.facts.name: s for s in made[name] if s.facts.name == name})
        after: States = {}
        for states in made.values():
            for state in states:
                self._add(after, state)
        return {name: after[name] for name in sorted(after)}

    def _work(
        self,
        step: Step,
        pass_: FunctionPass,
        prefix: KeyPrefix,
        *,
        state: FunctionState,
        callees: CalleeView,
        context: PassContext,
    ) -> Work:
        own = (("function", state.facts.digest), ("callees", cast(ComponentValue, callees.key())))
        name, before = state.facts.name, self.states

        def make() -> FunctionResult:
            function = state.body()
            run = partial(run_function, pass_, function, callees.load(), context)
            return self.guard(step, name, lambda: program_of(before, self.name), run)

        return Work(step, Key("pass", own, prefix=prefix), {name: state}, make, name)

    def _add(self, states: States, state: FunctionState) -> None:
        name = state.facts.name
        if name in states:
            merged(Program((), self.name), {"1": _result(states[name]), "2": _result(state)})  # type: ignore[arg-type]  # any iterable
            raise UserError("PASS001", f"two functions of {self.name or 'the program'} are named {name!r}")
        states[name] = state

    # -- passes over programs --------------------------------------------------------------------------------------

    def _program_pass(self, step: Step, prefix: KeyPrefix) -> States:
        before = self.states
        inputs = {name: state.facts.digest for name, state in before.items()}
        key = Key("program pass", (("program", self.name), ("functions", inputs)), prefix=prefix)
        context = self.context.restricted(step.pass_.reads)

        def make() -> FunctionResult:
            program = program_of(before, self.name)
            run = partial(step.pass_.run, program, context)
            made: Program = self.guard(step, PROGRAM, lambda: program, run)
            return FunctionResult(tuple(made.functions.values()))

        states, _ = self.results.of(Work(step, key, before, make))
        return {state.facts.name: state for state in states}


def _result(state: FunctionState) -> FunctionResult:
    return FunctionResult((state.body(),))
