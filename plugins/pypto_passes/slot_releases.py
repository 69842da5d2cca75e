# SPDX-License-Identifier: Apache-2.0
"""Giving the slots of popped tiles back: behind the last statement that reads the tile, a view of it or another name.

A slot is given back in the block in which it was taken, before the end of a branch or of an iteration. What a kernel
gives back itself stays where it is unless the tile is read later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import branches
from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    Call,
    ContinueStmt,
    EvalStmt,
    Expr,
    ForStmt,
    IfStmt,
    ReturnStmt,
    Rewriter,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    collect,
    rebuilt,
    sequence,
    statements,
    used_vars,
)
from pypto_build.ops import CrossCoreRole, OpRegistry
from pypto_build.ops.build.system import tfree_to_aic, tfree_to_aiv
from pypto_build.ops.definition import AccessEvidence

_FREES = {"tile.tpop_from_aic": tfree_to_aic, "tile.tpop_from_aiv": tfree_to_aiv}
_ENDS = (YieldStmt, ReturnStmt, BreakStmt, ContinueStmt)


def with_releases(body: Stmt, ops: OpRegistry) -> Stmt:
    """The body with every popped tile given back."""
    names = _Names(ops)
    names.walk(body)
    return _Releaser(names, _released(body, names)).visit_body(body)


class _Names:
    """The popped tiles that a value may be: itself, a view, another name, a result of a branch or a loop."""

    def __init__(self, ops: OpRegistry) -> None:
        self._ops = ops
        self.pops: dict[Var, frozenset[Var]] = {}
        self.calls: dict[Var, Call] = {}

    def of(self, value: Expr) -> frozenset[Var]:
        """The popped tiles that an expression is."""
        return self.pops.get(value, frozenset()) if isinstance(value, Var) else frozenset()

    def walk(self, stmt: Stmt) -> None:
        """Enter what a statement and those in it bind."""
        match stmt:
            case AssignStmt():
                self._assign(stmt)
            case IfStmt():
                for body in branches(stmt):
                    self.walk(body)
                    self._flow(stmt.return_vars, yielded_values(body))
            case ForStmt() | WhileStmt():
                self._flow(stmt.iter_args, [arg.init_value for arg in stmt.iter_args])
                self.walk(stmt.body)
                if self._flow(stmt.iter_args, yielded_values(stmt.body)):
                    self.walk(stmt.body)  # a carried tile may be one of an earlier iteration
                self._flow(stmt.return_vars, stmt.iter_args)
            case ScopeStmt():
                self.walk(stmt.body)
            case SeqStmts():
                for inner in stmt.stmts:
                    self.walk(inner)
            case _:
                return

    def _assign(self, stmt: AssignStmt) -> None:
        value = stmt.value
        definition = definition_of(value, self._ops)
        if definition is None:
            self._flow([stmt.var], [value])
        elif definition.cross_core_role is CrossCoreRole.TPOP:
            self.pops[stmt.var] = frozenset({stmt.var})
            self.calls[stmt.var] = cast("Call", value)
        elif definition.access is AccessEvidence.NO_ACCESS or definition.reuses_input is not None:
            for arg in cast("Call", value).args:
                self._flow([stmt.var], [arg])

    def _flow(self, targets: Iterable[Var], values: Iterable[Expr]) -> bool:
        """Whether a target may be a tile that it could not be before."""
        grown = False
        for target, value in zip(targets, values, strict=False):
            if found := self.of(value):
                grown |= not found <= self.of(target)
                self.pops[target] = self.of(target) | found
        return grown


def _released(body: Stmt, names: _Names) -> frozenset[Var]:
    """The popped tiles that the body gives back itself."""
    return frozenset(pop for stmt in collect(body, EvalStmt) for pop in _freed(stmt, names))


def _freed(stmt: Stmt, names: _Names) -> frozenset[Var]:
    call = stmt.expr if isinstance(stmt, EvalStmt) else None
    if not isinstance(call, Call) or not call.op.name.startswith("system.tfree_to_"):
        return frozenset()
    return names.of(call.args[0])


@dataclass(slots=True)
class _Block:
    """Where in a block each tile that is popped there is read last, and where the block gives it back itself."""

    last: dict[Var, int] = field(default_factory=dict[Var, int])
    frees: dict[Var, tuple[int, Stmt]] = field(default_factory=dict[Var, "tuple[int, Stmt]"])


class _Releaser(Rewriter):
    def __init__(self, names: _Names, released: frozenset[Var]) -> None:
        super().__init__()
        self._names = names
        self._released = released

    def visit_body(self, body: Stmt) -> Stmt:
        inside = super().visit_body(body)
        return inside if isinstance(body, SeqStmts) else self._block(inside)

    def visit_seq_stmts(self, seq: SeqStmts) -> Stmt:
        return self._block(super().visit_seq_stmts(seq))

    def _block(self, body: Stmt) -> Stmt:
        stmts = statements(body)
        block = self._survey(stmts)
        if not block.last:
            return body
        behind: dict[int, list[Stmt]] = {}
        for pop, last in block.last.items():
            at, free = block.frees.get(pop, (last, self._free(pop)))
            if pop in block.frees or pop not in self._released:
                behind.setdefault(max(at, last), []).append(free)
        placed: list[Stmt] = []
        dropped = {at for at, _ in block.frees.values()}
        for number, stmt in enumerate(stmts):
            frees = behind.get(number, [])
            kept = [] if number in dropped else [stmt]
            placed += [*frees, *kept] if isinstance(stmt, _ENDS) else [*kept, *frees]
        return sequence(placed, body.span)

    def _survey(self, stmts: tuple[Stmt, ...]) -> _Block:
        """Where each tile that is popped in a block is read last and given back."""
        block = _Block()
        for number, stmt in enumerate(stmts):
            if isinstance(stmt, AssignStmt) and stmt.var in self._names.calls:
                block.last[stmt.var] = number
            freed = _freed(stmt, self._names)
            for pop in block.last.keys() & freed:
                block.frees[pop] = (number, self._renamed(stmt, pop))
            if not freed:
                used = {pop for var in used_vars(stmt) for pop in self._names.of(var)}
                block.last.update(dict.fromkeys(block.last.keys() & used, number))
        return block

    def _renamed(self, stmt: Stmt, pop: Var) -> Stmt:
        """The same release, of the tile that was popped."""
        call = cast("Call", stmt.expr)  # type: ignore[attr-defined]  # only releases are asked for
        return stmt if call.args[0] is pop else rebuilt(stmt, {"expr": rebuilt(call, {"args": (pop,)})})

    def _free(self, pop: Var) -> Stmt:
        call = self._names.calls[pop]
        number = call.kwargs.get("id")
        free = _FREES[call.op.name](pop, id=number if isinstance(number, int) else None, span=call.span)
        return EvalStmt(free, call.span)
