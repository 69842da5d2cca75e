# SPDX-License-Identifier: Apache-2.0
"""What one core executes of a kernel of both: its own operations, and whatever of the rest they need.

A slice backwards from the effects of the core: stores, messages, and what returns. A tensor that only the other core
has stored to is the very buffer that it was before, so its earlier name stands in for it. A tile that only the other
core has cannot be had without a transfer. Linear in the size of the function.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import branches, statement_value
from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    Node,
    ReturnStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    TensorType,
    Var,
    WhileStmt,
    YieldStmt,
    used_vars,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CoreAffinity
from pypto_passes.core_cutting import Kept, cut_body

_Loop = ForStmt | WhileStmt
_PURE = ("tile.", "tensor.", "array.")


def core_slice(function: Function, side: CoreAffinity, ops: OpRegistry) -> Stmt:
    """The body of a kernel on one core, whose operations must all belong to one core or to both.

    Raises:
        UserError: the core needs a value that only the other core computes.
    """
    survey = _Survey(side, ops)
    survey.walk(function.body, None)
    return cut_body(function.body, _Marking(survey, function.name).kept)


def operation_core(stmt: Stmt, ops: OpRegistry) -> CoreAffinity:
    """The core of a statement that has no other statement in it."""
    value = statement_value(stmt)
    return CoreAffinity.SHARED if value is None else core_affinity(value, ops)


class _Survey:
    """Where everything is made, what stands in for what the other core makes, and what the core has to do.

    made: the statement that binds a Var, with its number among the carried values or results. parents: the statement
    around each one. stand_ins: earlier names of tensors that the core does not store to. effects: what must be kept.
    """

    def __init__(self, side: CoreAffinity, ops: OpRegistry) -> None:
        self.side = side
        self.ops = ops
        self.made: dict[Var, tuple[Stmt, int | None]] = {}
        self.parents: dict[Stmt, Stmt | None] = {}
        self.stand_ins: dict[Var, Expr] = {}
        self.effects: list[Stmt] = []

    def walk(self, stmt: Stmt, parent: Stmt | None) -> None:
        """Enter a statement and everything in it."""
        if isinstance(stmt, SeqStmts):
            for inner in stmt.stmts:
                self.walk(inner, parent)
            return
        self.parents[stmt] = parent
        match stmt:
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case IfStmt():
                self._branches(stmt)
            case ScopeStmt():
                self.walk(stmt.body, stmt)
            case YieldStmt():
                pass
            case ReturnStmt() if self.side is CoreAffinity.CUBE:
                pass  # what a kernel returns is what its vector half returns
            case _:
                self._leaf(stmt)

    def is_elsewhere(self, stmt: Stmt) -> bool:
        """Whether the other core executes a statement."""
        return operation_core(stmt, self.ops) not in (self.side, CoreAffinity.SHARED)

    def standing_for(self, value: Expr | None) -> Expr | None:
        """What a value is called on this core; a chain is no longer than the nesting of loops and branches."""
        while isinstance(value, Var) and value in self.stand_ins:
            value = self.stand_ins[value]
        return value

    def _leaf(self, stmt: Stmt) -> None:
        elsewhere = self.is_elsewhere(stmt)
        if isinstance(stmt, AssignStmt):
            self.made[stmt.var] = (stmt, None)
            buffer = self._reused(stmt) if elsewhere else None
            if buffer is not None:
                self.stand_ins[stmt.var] = self.standing_for(buffer) or buffer
        if not elsewhere and self._has_effect(stmt):
            self.effects.append(stmt)

    def _loop(self, stmt: _Loop) -> None:
        if isinstance(stmt, ForStmt):
            self.made[stmt.loop_var] = (stmt, None)
        for number, (arg, var) in enumerate(zip(stmt.iter_args, stmt.return_vars, strict=True)):
            self.made[arg] = self.made[var] = (stmt, number)
        self.walk(stmt.body, stmt)
        yielded = yielded_values(stmt.body)
        for arg, var, value in zip(stmt.iter_args, stmt.return_vars, yielded, strict=True):
            if isinstance(var.type, TensorType) and self.standing_for(value) is arg:
                self.stand_ins[arg] = self.stand_ins[var] = arg.init_value

    def _branches(self, stmt: IfStmt) -> None:
        for number, var in enumerate(stmt.return_vars):
            self.made[var] = (stmt, number)
        for body in branches(stmt):
            self.walk(body, stmt)
        for var, *values in zip(stmt.return_vars, *map(yielded_values, branches(stmt)), strict=True):
            first, *others = map(self.standing_for, values)
            if isinstance(var.type, TensorType) and first is not None and all(first is other for other in others):
                self.stand_ins[var] = first

    def _reused(self, stmt: AssignStmt) -> Expr | None:
        """The tensor whose buffer the result of an operation is."""
        definition = definition_of(stmt.value, self.ops)
        if definition is None or definition.reuses_input is None or not isinstance(stmt.var.type, TensorType):
            return None
        return stmt.value.args[definition.reuses_input]  # type: ignore[attr-defined]  # only calls have definitions

    def _has_effect(self, stmt: Stmt) -> bool:
        """Whether a statement does more than bind a value; what the registry does not know might."""
        if not isinstance(stmt, AssignStmt):
            return True
        definition = definition_of(stmt.value, self.ops)
        if definition is None:
            return hasattr(stmt.value, "op")
        writes = any(map(definition.may_write, definition.effects))
        return writes or definition.cross_core_role is not None or not definition.name.startswith(_PURE)


class _Marking:
    """Marks what the effects of a core need, from uses to what makes them."""

    def __init__(self, survey: _Survey, kernel: str) -> None:
        self._survey = survey
        self._kernel = kernel
        self._waiting: list[tuple[Var, Stmt]] = []
        self.kept = Kept(survey.standing_for)
        for stmt in survey.effects:
            self._keep(stmt)
        while self._waiting:
            self._need(*self._waiting.pop())

    def _keep(self, stmt: Stmt) -> None:
        around: Stmt | None = stmt
        while around is not None and around not in self.kept.stmts:
            self.kept.stmts.add(around)
            for part in _own_parts(around):
                self._use(used_vars(part), around)
            around = self._survey.parents[around]

    def _use(self, found: Iterable[Var], by: Stmt) -> None:
        self._waiting.extend((var, by) for var in found)

    def _need(self, var: Var, by: Stmt) -> None:
        value = self._survey.standing_for(var)
        if value is not var and value is not None:
            self._use(used_vars(value), by)
        if not isinstance(value, Var) or value not in self._survey.made:
            return  # a parameter, a symbol of a shape, a constant
        stmt, number = self._survey.made[value]
        if number is None:
            self._check(stmt, value, by)
            self._keep(stmt)
        elif number not in self.kept.results.setdefault(stmt, set()):
            self.kept.results[stmt].add(number)
            self._keep(stmt)
            self._carry(stmt, number)

    def _carry(self, stmt: Stmt, number: int) -> None:
        """A result needs what makes it on every way."""
        if isinstance(stmt, IfStmt):
            for body in branches(stmt):
                self._use(used_vars(yielded_values(body)[number]), stmt)
        elif isinstance(stmt, _Loop):
            self._use(used_vars(stmt.iter_args[number].init_value), stmt)
            self._use(used_vars(yielded_values(stmt.body)[number]), stmt)

    def _check(self, stmt: Stmt, value: Var, by: Stmt) -> None:
        if not isinstance(stmt, AssignStmt) or not self._survey.is_elsewhere(stmt):
            return
        here, there = ("cube", "vector") if self._survey.side is CoreAffinity.CUBE else ("vector", "cube")
        raise UserError(
            "CORE002",
            f"the {here} core of kernel '{self._kernel}' needs '{value.name_hint}', which the {there} core computes",
            by.span,
            help="move the tile with pl.move to a memory of the other core, or compute the value on both",
            notes=((f"computed on the {there} core", stmt.span),),
        )


def _own_parts(stmt: Stmt) -> list[Node]:
    """What a statement reads besides the statements in it and the values that it carries."""
    match stmt:
        case ForStmt():
            return [stmt.start, stmt.stop, stmt.step]
        case WhileStmt() | IfStmt():
            return [stmt.condition]
        case ScopeStmt():
            return []
        case _:
            return [stmt]
