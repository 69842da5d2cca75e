# SPDX-License-Identifier: Apache-2.0
"""CtrlFlowTransform: kernels get along without break and continue.

First what follows a continue moves into the other branch; then a loop with break becomes a while loop that asks a flag.
Orchestration is C++ and keeps both statements where an iteration is left before it has bound anything. Elsewhere the
values that it has bound by then would have to be handed on at the jump, which only structured loops can do in SSA form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.names import AutoName, NameCounter
from pypto_build.ir import (
    And,
    AssignStmt,
    BreakStmt,
    ConstBool,
    ContinueStmt,
    DataType,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    InCoreScopeStmt,
    Not,
    Or,
    Rewriter,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    binary,
    collect,
    defined_vars,
    rebuilt,
    scalar_type,
    sequence,
    statements,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.first_values import symbols_of
from pypto_passes.jump_removal import JumpRemoval, has_jump
from pypto_passes.late_jumps import leaves_values_behind
from pypto_passes.sure_bindings import Bound, SureBindings

KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


@dataclass(frozen=True, slots=True)
class CtrlFlowTransform(FunctionPass):
    """Express break and continue by branches and conditions: in kernels all, elsewhere what leaves values behind."""

    name: ClassVar[str] = "CtrlFlowTransform"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.StructuredCtrlFlow})
    after: ClassVar[tuple[str, ...]] = ("InlineFunctions", "UnrollLoops")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with structured control flow; the same object when it has nothing else."""
        del callees, context
        if not collect(function.body, BreakStmt, ContinueStmt):
            return function
        names = NameCounter()
        for var in defined_vars([function]):
            names.seen(var.name_hint)
        return _LoopRewriter(function, names).visit(function)


_L = TypeVar("_L", ForStmt, WhileStmt)


class _LoopRewriter(Rewriter):
    """Rewrites inner loops before outer ones."""

    def __init__(self, function: Function, names: NameCounter) -> None:
        super().__init__()
        self.names = names
        self.in_kernel = function.func_type in KERNELS
        self.bindings = SureBindings(function)
        self.symbols = symbols_of(function)

    def visit_in_core_scope_stmt(self, stmt: InCoreScopeStmt) -> object:
        """A kernel that is still part of another function."""
        outer, self.in_kernel = self.in_kernel, True
        new = self.visit_node(stmt)
        self.in_kernel = outer
        return new

    def visit_for_stmt(self, stmt: ForStmt) -> object:
        loop: ForStmt = self.visit_node(stmt)
        if not self._is_to_change(loop.body):
            return loop
        bound = self.bindings.before(stmt)
        loop = self._without_continue(loop, bound)
        return self._counted_while(loop, bound) if has_jump(loop.body, BreakStmt) else loop

    def _is_to_change(self, body: Stmt) -> bool:
        return self.in_kernel or leaves_values_behind(body)

    def visit_while_stmt(self, stmt: WhileStmt) -> object:
        loop: WhileStmt = self.visit_node(stmt)
        if not self._is_to_change(loop.body):
            return loop
        bound = self.bindings.before(stmt)
        loop = self._without_continue(loop, bound)
        if not has_jump(loop.body, BreakStmt):
            return loop
        flag = self._flag(loop)
        condition = And(loop.condition, Not(flag, DataType.BOOL, loop.span), DataType.BOOL, loop.span)
        body, yielded = self._without_break(loop, bound, flag=flag)
        changed = rebuilt(loop, {"condition": condition, "body": sequence([*body, *yielded], loop.body.span)})
        return _start_false(flag), changed

    def _without_continue(self, loop: _L, bound: Bound) -> _L:
        if not has_jump(loop.body, ContinueStmt):
            return loop
        stmts, values = _split(loop.body)
        carried = loop.iter_args[: len(values)]
        removal = JumpRemoval(
            ContinueStmt, carried, self.names, body=loop.body, bound=dict(bound), symbols=self.symbols
        )
        body, values = removal.run(stmts, values)
        return rebuilt(loop, {"body": sequence([*body, *_yield(values, loop)], loop.body.span)})

    def _without_break(self, loop: ForStmt | WhileStmt, bound: Bound, *, flag: Var) -> tuple[list[Stmt], list[Stmt]]:
        stmts, values = _split(loop.body)
        carried = loop.iter_args[: len(values)]
        removal = JumpRemoval(
            BreakStmt, carried, self.names, body=loop.body, bound=dict(bound), symbols=self.symbols, break_flag=flag
        )
        body, values = removal.run(stmts, values)
        return body, _yield(values, loop)

    def _counted_while(self, loop: ForStmt, bound: Bound) -> tuple[Stmt, ...]:
        """`i = start; while i < stop and not flag: body; if not flag: i = i + step`."""
        first: list[Stmt] = []
        base = AutoName.parse(loop.loop_var.name_hint).base
        index = Var(self.names.fresh(base, "idx"), scalar_type(DataType.INDEX), loop.span)
        flag = self._flag(loop)
        stop, step = (self._evaluated_once(name, loop, first) for name in ("stop", "step"))
        goes_on = Not(flag, DataType.BOOL, loop.span)
        condition = And(_before_end(index, stop, step), goes_on, DataType.BOOL, loop.span)
        counted: ForStmt = rebuilt(loop, {"body": Rewriter({loop.loop_var: index}).visit_body(loop.body)})
        body, yielded = self._without_break(counted, {**bound, index: None}, flag=flag)
        advance = AssignStmt(index, binary("add", index, step, loop.span), loop.span)
        guarded = IfStmt(goes_on, advance, None, (), loop.span)
        stmts = sequence([*body, guarded, *yielded], loop.body.span)
        result = WhileStmt(condition, loop.iter_args, stmts, loop.return_vars, loop.span, loop.leading_comments)
        return *first, AssignStmt(index, loop.start, loop.span), _start_false(flag), result

    def _evaluated_once(self, name: str, loop: ForStmt, first: list[Stmt]) -> Expr:
        """A bound as the loop saw it at its start: a variable of its own if the body changes what it reads."""
        value: Expr = getattr(loop, name)
        changed = set(defined_vars([loop.body]))
        if not any(var in changed for var in collect(value, Var)):
            return value
        held = Var(self.names.fresh(name, "tmp"), value.type, loop.span)
        first.append(AssignStmt(held, value, loop.span))
        return held

    def _flag(self, loop: Stmt) -> Var:
        return Var(self.names.fresh("break", "tmp"), scalar_type(DataType.BOOL), loop.span)


def _before_end(index: Var, stop: Expr, step: Expr) -> Expr:
    """Whether the index has not reached the end; which way it counts may be known only at run time."""
    interval = Bounds().of(step)
    upwards = binary("lt", index, stop, step.span)
    downwards = binary("gt", index, stop, step.span)
    if interval.low is not None and interval.low >= 0:
        return upwards
    if interval.high is not None and interval.high <= 0:
        return downwards
    up = And(binary("gt", step, 0, step.span), upwards, DataType.BOOL, step.span)
    down = And(binary("lt", step, 0, step.span), downwards, DataType.BOOL, step.span)
    return Or(up, down, DataType.BOOL, step.span)


def _split(body: Stmt) -> tuple[tuple[Stmt, ...], tuple[Expr, ...]]:
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    return (stmts[:-1], last.value) if isinstance(last, YieldStmt) else (stmts, ())


def _yield(values: tuple[Expr, ...], loop: Stmt) -> list[Stmt]:
    return [YieldStmt(values, loop.span)] if values else []


def _start_false(flag: Var) -> Stmt:
    return AssignStmt(flag, ConstBool(False, flag.span), flag.span)
