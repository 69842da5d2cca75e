# SPDX-License-Identifier: Apache-2.0
"""What a scope may do that registers deferred waits: it becomes a task that ends at once and is complete later.

The scheduler completes such a task when the counters have grown; nothing of its kernel runs again. So the scope is a
launch of its own, and all that it computes is scalars. What it reads of tensors it reads before the first wait.
Source: the contract of deferred completion in the public guide to distributed primitives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from pypto_build.analysis.bounds import Bounds
from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    InCoreScopeStmt,
    Node,
    RuntimeScopeStmt,
    ScalarType,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Submit,
    Visitor,
    WhileStmt,
    YieldStmt,
    collect,
)

WAITER = "deferred_completion_waiter"
"""Marks the kernel of such a scope."""
MOST_CONDITIONS = 64
WAIT, READ = "pld.system.defer_wait", "tensor.read"
_LAUNCH_OPTIONS = {"allow_early_resolve": "allow_early_resolve=True", "predicate": "predicate="}


def defers(node: Node) -> bool:
    """Whether a deferred wait stands below a node."""
    return any(call.op.name == WAIT for call in collect(node, Call))


def check_deferred_waits(function: Function) -> None:
    """Check the scopes of a function that hands out work.

    Raises:
        UserError: a deferred wait stands outside a launch of its own, or beside something that has to run after it.
    """
    if defers(function.body):
        _Waiters().visit(function.body)


class _Waiters(Visitor):
    """Finds the scopes with deferred waits, and those that lie in other launches."""

    def __init__(self) -> None:
        self.nested = False

    def visit_scope_stmt(self, scope: ScopeStmt) -> None:
        if isinstance(scope, RuntimeScopeStmt):
            self.visit(scope.body)
        elif isinstance(scope, InCoreScopeStmt) and not self.nested:
            if defers(scope.body):
                _check_scope(scope)
        else:
            outer, self.nested = self.nested, True
            self.visit(scope.body)
            self.nested = outer

    def visit_call(self, call: Call) -> None:
        if call.op.name == WAIT:
            text = (
                f"{WAIT} must be in a task-level pl.at(level=pl.Level.CORE_GROUP) scope: "
                "nesting it in another launch, or leaving it outside, is unsupported"
            )
            raise UserError("WAIT001", text, call.span)


def _check_scope(scope: InCoreScopeStmt) -> None:
    for name, option in _LAUNCH_OPTIONS.items():
        if scope.attrs.get(name):
            raise UserError("WAIT002", f"a task with {WAIT} cannot use {option}", scope.span)
    count = _conditions(scope.body, registered=False)
    if count > MOST_CONDITIONS:
        text = f"a task with {WAIT} registers at most {MOST_CONDITIONS} conditions, but here are {count}"
        raise UserError("WAIT003", text, scope.span, help="wait in several tasks")


def _conditions(stmt: Stmt, *, registered: bool) -> int:
    """How many conditions a statement registers at most; `registered` says whether there may be some already."""
    match stmt:
        case SeqStmts():
            count = 0
            for inner in stmt.stmts:
                count += _conditions(inner, registered=registered or count > 0)
            return count
        case EvalStmt(expr=Call() as call) if call.op.name == WAIT:
            _check_values(call.args[1:], registered=registered)
            return 1
        case AssignStmt():
            _check_results(stmt, (stmt.value,), registered=registered)
        case YieldStmt():
            _check_results(stmt, stmt.value, registered=registered)
        case IfStmt():
            _check_values((stmt.condition,), registered=registered)
            return max(_conditions(body, registered=registered) for body in (stmt.then_body, stmt.else_body) if body)
        case ForStmt():
            _check_values((stmt.start, stmt.stop, stmt.step), registered=registered)
            return _in_loop(stmt, _trips(stmt), registered=registered)
        case WhileStmt():
            _check_values((stmt.condition,), registered=registered or defers(stmt.body))
            return _in_loop(stmt, None, registered=registered)
        case _:
            _refuse(stmt)
    return 0


def _in_loop(loop: ForStmt | WhileStmt, trips: int | None, *, registered: bool) -> int:
    _check_results(loop, [arg.init_value for arg in loop.iter_args], registered=registered)
    if not defers(loop.body):
        return _conditions(loop.body, registered=registered)
    if not trips:
        text = f"a loop with {WAIT} needs a statically known positive trip count"
        raise UserError("WAIT004", text, loop.span)
    reads = [call for call in collect(loop.body, Call) if call.op.name == READ]
    if reads:
        text = f"a loop may execute tensor reads of its next iteration after registering a condition with {WAIT}"
        raise UserError("WAIT005", text, reads[0].span, help="read before the loop")
    return trips * _conditions(loop.body, registered=registered)


def _trips(loop: ForStmt) -> int | None:
    """How often a loop runs, if that is known."""
    forms = [Bounds().atoms.form(part) for part in (loop.start, loop.stop, loop.step)]
    if any(form.terms for form in forms) or forms[2].constant == 0:
        return None
    return len(range(*(form.constant for form in forms)))


def _check_results(stmt: Stmt, values: Sequence[Expr], *, registered: bool) -> None:
    """What a statement binds or hands on: scalars alone."""
    _check_values(values, registered=registered)
    if not all(isinstance(value.type, ScalarType) for value in values):
        text = f"a task with {WAIT} cannot create or update payload tensors"
        raise UserError("WAIT006", text, stmt.span, help="do it in a task that depends on this one")


def _check_values(values: Sequence[Expr], *, registered: bool) -> None:
    """What is computed: arithmetic, and reads of tensors as long as nothing is registered."""
    for value in values:
        for call in collect(value, Call, Submit):
            if isinstance(call.op, GlobalVar) or call.op.name != READ:
                _refuse(call)
            if registered:
                text = f"a task cannot execute tensor reads after the registration of a condition with {WAIT}"
                raise UserError("WAIT005", text, call.span, help="read before the first wait")


def _refuse(node: Node) -> NoReturn:
    text = f"beside scalars, a task with {WAIT} supports only a pre-registration {READ}"
    raise UserError("WAIT006", text, node.span, help="do the rest in a task that depends on this one")
