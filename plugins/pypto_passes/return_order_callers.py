# SPDX-License-Identifier: Apache-2.0
"""Callers of kernels whose results were put into another order: projections, tuple types and whole-tuple uses follow.

A result keeps its name and its buffer; only the place in the tuple changes. Source: NRO-51 to NRO-62.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pypto_build.analysis.names import NameCounter, base_name
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    GlobalVar,
    MakeTuple,
    ReturnStmt,
    Rewriter,
    Stmt,
    Submit,
    TupleGetItemExpr,
    TupleType,
    Type,
    UsedVars,
    Var,
    collect,
    defined_vars,
    rebuilt,
)

Permutation = tuple[int, ...]
"""`permutation[old] = new`: where a result went. Empty: nothing moved."""


def with_reordered_calls(function: Function, moved: Mapping[str, Permutation]) -> Function:
    """The function with every use of a reordered callee's results adapted; the same object when it has none."""
    if not any(_is_moved(call, moved) for call in collect(function.body, Call, Submit)):
        return function
    return _Callers(function, moved).visit(function)


def _is_moved(value: Expr, moved: Mapping[str, Permutation]) -> bool:
    return isinstance(value, Call | Submit) and isinstance(value.op, GlobalVar) and value.op.name in moved


@dataclass(frozen=True, slots=True)
class _Reordered:
    """A tuple variable that now holds its results in physical order."""

    var: Var
    permutation: Permutation


class _Callers(Rewriter):
    """Rewrites one function; `reordered` holds the tuple variables whose order differs from what uses expect."""

    REWRITES_TYPES = False

    def __init__(self, function: Function, moved: Mapping[str, Permutation]) -> None:
        super().__init__()
        self.moved = moved
        self.flat_returns = len(function.return_types)
        self.definitions = Counter(defined_vars([function.body]))
        self.used_whole = _used_whole(function)
        self.reordered: dict[Var, _Reordered] = {}
        self.logical: dict[Var, Var] = {}
        self.names = NameCounter()
        for var in defined_vars([function]):
            self.names.seen(var.name_hint)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        if _is_moved(stmt.value, self.moved):
            made = self._bound(stmt)
            return made[0] if len(made) == 1 else made
        value = self.visit(stmt.value)
        return stmt if value is stmt.value else rebuilt(stmt, {"value": value})

    def _sorted(self, call: Expr) -> tuple[Call | Submit, Permutation]:
        """A call of a sorted callee with the type that it has now."""
        assert isinstance(call, Call | Submit)
        permutation = self.moved[call.op.name]
        return rebuilt(self.visit_node(call), {"type": _permuted_type(call.type, permutation)}), permutation

    def _bound(self, stmt: AssignStmt) -> tuple[Stmt, ...]:
        call, permutation = self._sorted(stmt.value)
        if self.definitions[stmt.var] > 1:  # its elements are no longer renumbered either (NRO-55)
            return self._through_temporary(stmt, call, permutation)
        new = Var(stmt.var.name_hint, call.type, stmt.var.span)
        self.reordered[stmt.var] = _Reordered(new, permutation)
        made = rebuilt(stmt, {"var": new, "value": call})
        return (made, self._logical_copy(stmt, new, permutation)) if stmt.var in self.used_whole else (made,)

    def _logical_copy(self, stmt: AssignStmt, new: Var, permutation: Permutation) -> Stmt:
        """The tuple in logical order, made where it is defined, so that every use can see it (NRO-59)."""
        copy = Var(self.names.fresh(base_name(stmt.var.name_hint), "logical"), stmt.var.type, stmt.span)
        self.logical[stmt.var] = copy
        return AssignStmt(copy, _logical_tuple(new, permutation, stmt), stmt.span)

    def _through_temporary(self, stmt: AssignStmt, call: Call | Submit, permutation: Permutation) -> tuple[Stmt, ...]:
        """A variable with several definitions keeps its identity: it gets the results back in logical order."""
        temporary = Var(self.names.fresh(base_name(stmt.var.name_hint), "physical"), call.type, stmt.span)
        back = _logical_tuple(temporary, permutation, stmt)
        return (rebuilt(stmt, {"var": temporary, "value": call}), AssignStmt(stmt.var, back, stmt.span))

    # -- uses ------------------------------------------------------------------------------------------------------

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> Expr:
        if _is_moved(expr.tuple, self.moved):
            call, permutation = self._sorted(expr.tuple)
            return TupleGetItemExpr(call, _place(expr.index, permutation), expr.span)
        known = self.reordered.get(expr.tuple) if isinstance(expr.tuple, Var) else None
        if known is None:
            return self.visit_node(expr)
        return TupleGetItemExpr(known.var, _place(expr.index, known.permutation), expr.span)

    def visit_var(self, var: Var) -> Expr:
        return self.logical[var] if var in self.reordered else super().visit_var(var)

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt:
        expr = self._sorted(stmt.expr)[0] if _is_moved(stmt.expr, self.moved) else self.visit(stmt.expr)
        return stmt if expr is stmt.expr else rebuilt(stmt, {"expr": expr})

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        before, stmt = self._with_calls_bound(stmt)
        values = self._returned(stmt)
        new = stmt if values is stmt.value else rebuilt(stmt, {"value": values})
        return (*before, new) if before else new

    def _with_calls_bound(self, stmt: ReturnStmt) -> tuple[list[Stmt], ReturnStmt]:
        """A sorted call that stands in the return itself gets a variable, like any other."""
        values = list(stmt.value)
        before: list[Stmt] = []
        for place, value in enumerate(values):
            if _is_moved(value, self.moved):
                var = values[place] = Var(self.names.fresh("t", "tmp"), value.type, value.span)
                if not self._is_taken_apart(stmt):
                    self.used_whole.add(var)
                before += self._bound(AssignStmt(var, value, value.span))
        return before, rebuilt(stmt, {"value": tuple(values)}) if before else stmt

    def _is_taken_apart(self, stmt: ReturnStmt) -> bool:
        return len(stmt.value) == 1 and self.flat_returns > 1

    def _returned(self, stmt: ReturnStmt) -> tuple[Expr, ...]:
        """A whole tuple returned where several results are declared is taken apart (NRO-60)."""
        only = stmt.value[0] if self._is_taken_apart(stmt) else None
        known = self.reordered.get(only) if isinstance(only, Var) else None
        if known is not None:
            return _logical_elements(known.var, known.permutation)[: self.flat_returns]
        new = tuple(self.visit(value) for value in stmt.value)
        return stmt.value if all(a is b for a, b in zip(new, stmt.value, strict=True)) else new


def _used_whole(function: Function) -> set[Var]:
    """The variables that are read otherwise than element by element."""
    walk = _WholeUses(len(function.return_types))
    walk.visit(function.body)
    return set(walk.found)


class _WholeUses(UsedVars):
    def __init__(self, flat_returns: int) -> None:
        super().__init__()
        self.flat_returns = flat_returns

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> None:
        if not isinstance(expr.tuple, Var):
            self.visit(expr.tuple)

    def visit_return_stmt(self, stmt: ReturnStmt) -> None:
        if len(stmt.value) != 1 or self.flat_returns <= 1:  # a whole tuple is taken apart (NRO-60)
            self.visit_node(stmt)


def _permuted_type(kind: Type, permutation: Permutation) -> Type:
    """The caller's own tuple type with its elements moved; a task id behind them stays (NRO-53, NRO-56, NRO-57)."""
    if not isinstance(kind, TupleType) or len(kind.types) < len(permutation):
        return kind
    types = list(kind.types)
    for old, new in enumerate(permutation):
        types[new] = kind.types[old]
    return TupleType(tuple(types))


def _place(old: int, permutation: Permutation) -> int:
    return permutation[old] if old < len(permutation) else old


def _logical_elements(var: Var, permutation: Permutation) -> tuple[Expr, ...]:
    count = len(var.type.types) if isinstance(var.type, TupleType) else len(permutation)
    return tuple(TupleGetItemExpr(var, _place(old, permutation), var.span) for old in range(count))


def _logical_tuple(var: Var, permutation: Permutation, stmt: Stmt) -> Expr:
    return MakeTuple(_logical_elements(var, permutation), stmt.span)
