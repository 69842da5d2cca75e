# SPDX-License-Identifier: Apache-2.0
"""Executing statements: a table of node class -> function. What leaves a body early is returned, not raised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pypto_build.errors import Span
from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    Call,
    ClusterScopeStmt,
    CommDomainScopeStmt,
    ContinueStmt,
    EvalStmt,
    Expr,
    ForStmt,
    HierarchyScopeStmt,
    IfStmt,
    InCoreScopeStmt,
    InlineStmt,
    IterArg,
    ReturnStmt,
    RuntimeScopeStmt,
    ScopeStmt,
    SeqStmts,
    SplitAivScopeStmt,
    SpmdScopeStmt,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    defined_vars,
    statements,
)
from pypto_simulators.functional.binding import bind, bind_carried
from pypto_simulators.functional.crossing import Team
from pypto_simulators.functional.errors import NO_BODY, TOO_LONG, WRONG_VALUE, fail
from pypto_simulators.functional.expressions import evaluate
from pypto_simulators.functional.frame import Launch
from pypto_simulators.functional.values import Block, Value

if TYPE_CHECKING:
    from pypto_simulators.functional.frame import Frame


class Jump(Enum):
    """Leaving an iteration."""

    BREAK = "break"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True)
class Yielded:
    """What a branch or an iteration ended with."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """What the function ended with."""

    values: tuple[Value, ...]


Outcome = Jump | Yielded | Returned | None


def execute(frame: Frame, stmt: Stmt) -> Outcome:
    """Execute a statement; how it left the enclosing body, or None when that goes on."""
    return _EXECUTORS[type(stmt)](frame, stmt)


def _sequence(frame: Frame, seq: SeqStmts) -> Outcome:
    for stmt in seq.stmts:
        outcome = _EXECUTORS[type(stmt)](frame, stmt)
        if outcome is not None:
            return outcome
    return None


def _assign(frame: Frame, stmt: AssignStmt) -> Outcome:
    bind(frame, stmt.var, evaluate(frame, stmt.value), stmt.value)
    return None


def _evaluate(frame: Frame, stmt: EvalStmt) -> Outcome:
    value = evaluate(frame, stmt.expr)
    if isinstance(value, Block) and isinstance(stmt.expr, Call):
        _written_through(frame, stmt.expr, value)
    return None


def _written_through(frame: Frame, call: Call, value: Block) -> None:
    """A result that nobody takes was computed for what it does to an argument, as `tile.write(t, ...)` alone."""
    if not frame.machine.ops.has(call.op.name):
        return
    definition = frame.machine.ops.get(call.op.name)
    for index, arg in enumerate(call.args):
        target = frame.values.get(arg) if isinstance(arg, Var) else None
        if isinstance(target, Block) and definition.may_write(index) and target.shape == value.shape:
            target.data[...] = value.data
            return


def _return(frame: Frame, stmt: ReturnStmt) -> Outcome:
    return Returned(tuple(evaluate(frame, value) for value in stmt.value))


def _yield(frame: Frame, stmt: YieldStmt) -> Outcome:
    return Yielded(tuple(evaluate(frame, value) for value in stmt.value)) if stmt.value else None


def _if(frame: Frame, stmt: IfStmt) -> Outcome:
    body = stmt.then_body if evaluate(frame, stmt.condition) else stmt.else_body
    outcome = None if body is None else execute(frame, body)
    if not stmt.return_vars or not (outcome is None or isinstance(outcome, Yielded)):
        return outcome
    _carry(frame, stmt.return_vars, () if outcome is None else outcome.values, stmt.span)
    return None


def _carry(frame: Frame, variables: Sequence[Var], values: tuple[Value, ...], span: Span) -> None:
    if len(variables) != len(values):
        raise fail(WRONG_VALUE, f"{len(values)} values are yielded for {len(variables)} variables", span)
    for var, value in zip(variables, values, strict=True):
        bind_carried(frame, var, value)


class _Loop:
    """The values that a loop carries from one iteration to the next."""

    def __init__(self, frame: Frame, iter_args: tuple[IterArg, ...], span: Span) -> None:
        self._frame = frame
        self._iter_args = iter_args
        self._span = span
        self.outcome: Returned | None = None
        self._known_before = frozenset(frame.values)
        _carry(frame, iter_args, tuple(evaluate(frame, arg.init_value) for arg in iter_args), span)

    def goes_on_after(self, body: Stmt) -> bool:
        """Run one iteration; whether there may be another."""
        self._frame.machine.step(self._span)
        partial_results = self._partial_results(body) if self._iter_args else ()
        for var in partial_results:
            if var is not None:
                self._frame.values.pop(var, None)
        outcome = execute(self._frame, body)
        if isinstance(outcome, Returned):
            self.outcome = outcome
            return False
        if isinstance(outcome, Yielded):
            _carry(self._frame, self._iter_args, outcome.values, self._span)
        elif outcome is not None:
            self._jump(partial_results)
        return outcome is not Jump.BREAK

    def _partial_results(self, body: Stmt) -> tuple[Var | None, ...]:
        """What an iteration may have computed before it ends; what was known before the loop says nothing of that."""
        found = self._frame.machine.left_early(body)
        return tuple(None if var in self._known_before else var for var in found)

    def _jump(self, partial_results: tuple[Var | None, ...]) -> None:
        """An iteration that is left early yields what it has computed by then; the rest is carried on as it was."""
        known = self._frame.values
        pairs = list(zip(self._iter_args, partial_results, strict=False))
        values = [(arg, known[var]) for arg, var in pairs if var is not None and var in known]
        for arg, value in values:
            bind_carried(self._frame, arg, value)

    def leave(self, return_vars: tuple[Var, ...]) -> Outcome:
        """Hand over what the last iteration left."""
        if self.outcome is None and return_vars:
            _carry(self._frame, return_vars, tuple(self._frame.values[arg] for arg in self._iter_args), self._span)
        return self.outcome


def left_early(body: Stmt) -> tuple[Var | None, ...]:
    """The variables of a body that its last statement yields, where an iteration may end before; else nothing."""
    last = statements(body)[-1:]
    if not last or not isinstance(last[0], YieldStmt) or not _may_end_early(body):
        return ()
    own = set(defined_vars((body,)))
    return tuple(value if isinstance(value, Var) and value in own else None for value in last[0].value)


def _may_end_early(stmt: Stmt | None) -> bool:
    """Whether a break or continue leaves a body; those of inner loops do not."""
    match stmt:
        case BreakStmt() | ContinueStmt():
            return True
        case IfStmt():
            return _may_end_early(stmt.then_body) or _may_end_early(stmt.else_body)
        case ScopeStmt():
            return _may_end_early(stmt.body)
        case SeqStmts():
            return any(_may_end_early(inner) for inner in stmt.stmts)
        case _:
            return False


def _for(frame: Frame, stmt: ForStmt) -> Outcome:
    start, stop, step = (int(evaluate(frame, e)) for e in (stmt.start, stmt.stop, stmt.step))
    if step == 0:
        raise fail(WRONG_VALUE, "the step of a loop is 0", stmt.span)
    loop = _Loop(frame, stmt.iter_args, stmt.span)
    for i in range(start, stop, step):
        frame.values[stmt.loop_var] = i
        if not loop.goes_on_after(stmt.body):
            break
    return loop.leave(stmt.return_vars)


def _while(frame: Frame, stmt: WhileStmt) -> Outcome:
    loop = _Loop(frame, stmt.iter_args, stmt.span)
    while evaluate(frame, stmt.condition) and loop.goes_on_after(stmt.body):
        pass
    return loop.leave(stmt.return_vars)


def _break(_: Frame, _stmt: BreakStmt) -> Outcome:
    return Jump.BREAK


def _continue(_: Frame, _stmt: ContinueStmt) -> Outcome:
    return Jump.CONTINUE


def _inline(_: Frame, stmt: InlineStmt) -> Outcome:
    raise fail(NO_BODY, "host code in Python cannot be simulated", stmt.span)


def _scope(frame: Frame, stmt: ScopeStmt) -> Outcome:
    outcome = execute(frame, stmt.body)
    _launched(frame, stmt)
    return outcome


def _launched(frame: Frame, stmt: ScopeStmt) -> None:
    task = stmt.attrs.get("task_id_var")
    if isinstance(task, Var):
        frame.values[task] = frame.machine.new_task()


def _spmd(frame: Frame, stmt: SpmdScopeStmt) -> Outcome:
    predicate = stmt.attrs.get("predicate")
    if isinstance(predicate, Expr) and not evaluate(frame, predicate):
        return None
    blocks = int(evaluate(frame, stmt.core_num))
    outcome = _on_cores(frame, stmt, [replace(frame.launch, block=i, blocks=blocks) for i in range(blocks)])
    _launched(frame, stmt)
    return outcome


def _split(frame: Frame, stmt: SplitAivScopeStmt) -> Outcome:
    team = Team(stmt.count)
    launches = [replace(frame.launch, lane=i, lanes=stmt.count, team=team) for i in range(stmt.count)]
    return _on_cores(frame, stmt, launches)


def _on_cores(frame: Frame, stmt: ScopeStmt, launches: list[Launch]) -> Outcome:
    """The body once per core, each with variables of its own; those of the last core are seen afterwards."""
    frames = [frame.fork(launch) for launch in launches]
    jobs = [partial(execute, fork, stmt.body) for fork in frames]
    outcomes: list[Outcome] = frame.machine.run_all(jobs, stmt.body)
    if frames:
        frame.values.update(frames[-1].values)
    return outcomes[-1] if outcomes else None


def check_steps(taken: int, limit: int, span: Span) -> None:
    """Refuse a program that has run for too long, which an endless loop does."""
    if taken > limit:
        raise fail(TOO_LONG, f"the simulation has run {limit} loop iterations", span, help="raise max_iterations")


_EXECUTORS: Final[dict[type, Callable[[Any, Any], Outcome]]] = {
    SeqStmts: _sequence,
    AssignStmt: _assign,
    EvalStmt: _evaluate,
    ReturnStmt: _return,
    YieldStmt: _yield,
    IfStmt: _if,
    ForStmt: _for,
    WhileStmt: _while,
    BreakStmt: _break,
    ContinueStmt: _continue,
    InlineStmt: _inline,
    SpmdScopeStmt: _spmd,
    SplitAivScopeStmt: _split,
    **dict.fromkeys(
        (InCoreScopeStmt, ClusterScopeStmt, HierarchyScopeStmt, RuntimeScopeStmt, CommDomainScopeStmt), _scope
    ),
}
