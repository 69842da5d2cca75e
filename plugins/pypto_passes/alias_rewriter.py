# SPDX-License-Identifier: Apache-2.0
"""Rewrites a function to the webs that were decided: references, moves, new allocations, and none that nobody uses."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.errors import InternalError
from pypto_build.ir import (
    PTR_TYPE,
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    Rewriter,
    ScopeStmt,
    Stmt,
    TileType,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    const_index,
    rebuilt,
    statements,
)
from pypto_build.passes import PassContext
from pypto_passes.allocation_statements import with_allocations
from pypto_passes.buffer_webs import Place, Web
from pypto_passes.parallel_copies import CopyPlan, TileCopy, in_safe_order
from pypto_passes.tile_storage import storage_bytes
from pypto_passes.tile_webs import ZERO, TileWebs, placed


def rewritten(function: Function, webs: TileWebs, plan: CopyPlan, context: PassContext) -> Function:
    """The function after the decisions; the same object when nothing changes."""
    rewriter = _AliasRewriter(function, webs, plan, context)
    new: Function = rewriter.visit(function)
    return new if new is function else with_allocations(new, rewriter.allocations)


class _AliasRewriter(Rewriter):
    """One function."""

    REWRITES_TYPES = False

    def __init__(self, function: Function, webs: TileWebs, plan: CopyPlan, context: PassContext) -> None:
        super().__init__()
        self._webs = webs
        self._plan = plan
        self._context = context
        self._taken = {var.name_hint for var in statement_vars(function)}
        self._at_yield = _copies_by_yield(plan)
        self._moved: dict[Var, Var] = {}
        self.allocations: list[AssignStmt] = []

    # -- references ------------------------------------------------------------------------------------------------

    def visit_definition(self, var: Var) -> Var:
        kind = var.type
        changes: dict[str, object] = {}
        if isinstance(kind, TileType) and var in self._webs.members:
            self._place(self._webs.members[var].web.found(), kind)
            ref = self._webs.reference(var, storage_bytes(kind, self._context.hardware, var.span))
            if ref is not kind.memref:
                changes["type"] = rebuilt(kind, {"memref": ref})
        if isinstance(var, IterArg):
            init: Expr = self._moved.get(var) or self.visit(var.init_value)
            if init is not var.init_value:
                changes["init_value"] = init
        return self.rebound(var, changes)

    def _place(self, web: Web, kind: TileType) -> Place:
        if web.place is None:
            size = web.size or storage_bytes(kind, self._context.hardware, kind.shape[0].span)
            base = Var(self._name(f"mem_{web.space.name.lower()}"), PTR_TYPE)
            args = (const_index(web.space.value), const_index(size))
            self.allocations.append(AssignStmt(base, self._context.ops.create_call("tile.alloc", args, {})))
            web.place = Place(base, ZERO, 0)
            web.size = size
        return web.place

    def _name(self, stem: str) -> str:
        name, count = stem, 0
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

    # -- moves -----------------------------------------------------------------------------------------------------

    def visit_for_stmt(self, stmt: ForStmt) -> object:
        return self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> object:
        return self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> object:
        copies = self._plan.at_entry.get(stmt)
        if copies is None:
            return self.visit_node(stmt)
        moves, moved = self._moves(copies)
        self._moved.update((arg, moved[index]) for index, arg in enumerate(stmt.iter_args) if index in moved)
        return (*moves, self.visit_node(stmt))

    def visit_yield_stmt(self, stmt: YieldStmt) -> object:
        copies = self._at_yield.get(stmt)
        new: YieldStmt = self.visit_node(stmt)
        if copies is None:
            return new
        moves, moved = self._moves(copies)
        value = tuple(moved.get(index, item) for index, item in enumerate(new.value))
        return (*moves, rebuilt(new, {"value": value}))

    def _moves(self, copies: Sequence[TileCopy]) -> tuple[list[Stmt], dict[int, Var]]:
        made: list[Stmt] = []
        moved: dict[int, Var] = {}
        for step in in_safe_order(copies):
            put_aside = moved.get(step.copy.index)
            source: Expr = self.visit(step.copy.value) if put_aside is None else put_aside
            target = Web(step.copy.target.space) if step.aside else step.copy.target.found()
            stmt = self._move(source, step.copy.value, target)
            made.append(stmt)
            moved[step.copy.index] = stmt.var
        return made, moved

    def _move(self, source: Expr, original: Expr, target: Web) -> AssignStmt:
        kind = source.type
        if not isinstance(source, Var) or not isinstance(kind, TileType):
            raise InternalError("a value that is no tile is to be moved", source.span)
        call = self._webs.created.get(original)  # nothing to move: another tile without content will do
        if call is None:
            kwargs: dict[str, object] = {"target_memory": target.space}
            call = self._context.ops.create_call("tile.move", (source,), kwargs, source.span)
        place = self._place(target, kind)
        size = kind.memref.size if kind.memref is not None else target.size
        var = Var(self._name(f"{source.name_hint}_mv"), _placed_type(call.type, place, size), source.span)
        return AssignStmt(var, call, source.span)


def _placed_type(kind: Type, place: Place, size: int) -> Type:
    return rebuilt(kind, {"memref": placed(place, size)}) if isinstance(kind, TileType) else kind


def _copies_by_yield(plan: CopyPlan) -> dict[Stmt, list[TileCopy]]:
    found: dict[Stmt, list[TileCopy]] = {}
    for (stmt, number), copies in plan.at_end.items():
        if isinstance(stmt, IfStmt):
            body: Stmt | None = (stmt.then_body, stmt.else_body)[number]
        elif isinstance(stmt, ForStmt | WhileStmt):
            body = stmt.body
        else:
            continue
        last = final_yield(body)
        if last is not None:
            found[last] = copies
    return found


def final_yield(body: Stmt | None) -> YieldStmt | None:
    """The statement that yields the values of a body."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        return last
    return final_yield(last.body) if isinstance(last, ScopeStmt) else None
