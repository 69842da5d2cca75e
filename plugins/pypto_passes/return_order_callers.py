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
    Var,
    collect,
    defined_vars,
    rebuilt,
)

Permutation = tuple[int, ...]
"""`permutation[old] = new`: where a result went. Empty: nothing moved."""


def with_reordered_calls(function: Function, moved: Mapping[str, Permutation]) -> Function:
    """The function with every use of a reordered callee's results adapted; the same object when it has none."""
    if not any(_is_moved(stmt.value, moved) for stmt in collect(function.body, AssignStmt)):
        return function
    return _Callers(function, moved).visit(function)


def _is_moved(value: Expr, moved: Mapping[str, Permutation]) -> bool:
    return isinstance(value, Call | Submit) and isinstance(value.op, GlobalVar) and value.op.name in moved


@dataclass(frozen=True, slots=True)
class _Reordered:
    """A tuple variable that now holds its results in physical order."""

    var: Var
    permutation: Permutation
    old_type: Type


class _Callers(Rewriter):
    """Rewrites one function; `reordered` holds the tuple variables whose order differs from what uses expect."""

    REWRITES_TYPES = False

    def __init__(self, function: Function, moved: Mapping[str, Permutation]) -> None:
        super().__init__()
        self.moved = moved
        self.flat_returns = len(function.return_types)
        self.definitions = Counter(defined_vars([function.body]))
        self.reordered: dict[Var, _Reordered] = {}
        self.logical: dict[Var, Var] = {}
        self.pending: list[Stmt] = []
        self.names = NameCounter()
        for var in defined_vars([function]):
            self.names.seen(var.name_hint)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        outer, self.pending = self.pending, []
        if _is_moved(stmt.value, self.moved):
            made = self._reordered_call(stmt)
        else:
            value = self.visit(stmt.value)
            self._forget(stmt.var)
            made = (stmt,) if value is stmt.value else (rebuilt(stmt, {"value": value}),)
        before, self.pending = self.pending, outer
        made = (*before, *made)
        return made[0] if len(made) == 1 else made

    def _forget(self, var: Var) -> None:
        """A tuple variable that is assigned something else means what it says again (NRO-55)."""
        self.reordered.pop(var, None)
        self.logical.pop(var, None)

    def _reordered_call(self, stmt: AssignStmt) -> tuple[Stmt, ...]:
        call = self.visit_node(stmt.value)
        assert isinstance(call, Call | Submit)
        permutation = self.moved[call.op.name]
        call = rebuilt(call, {"type": _permuted_type(call.type, permutation)})
        self._forget(stmt.var)
        if self.definitions[stmt.var] > 1:
            return self._through_temporary(stmt, call, permutation)
        new = Var(stmt.var.name_hint, call.type, stmt.var.span)
        self.reordered[stmt.var] = _Reordered(new, permutation, stmt.var.type)
        return (rebuilt(stmt, {"var": new, "value": call}),)

    def _through_temporary(self, stmt: AssignStmt, call: Call | Submit, permutation: Permutation) -> tuple[Stmt, ...]:
        """A variable with several definitions keeps its identity: it gets the results back in logical order."""
        temporary = Var(self.names.fresh(base_name(stmt.var.name_hint), "physical"), call.type, stmt.span)
        back = _logical_tuple(temporary, permutation, stmt)
        return (rebuilt(stmt, {"var": temporary, "value": call}), AssignStmt(stmt.var, back, stmt.span))

    # -- uses ------------------------------------------------------------------------------------------------------

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> Expr:
        known = self.reordered.get(expr.tuple) if isinstance(expr.tuple, Var) else None
        if known is None:
            return self.visit_node(expr)
        index = known.permutation[expr.index] if expr.index < len(known.permutation) else expr.index
        return TupleGetItemExpr(known.var, index, expr.span)

    def visit_var(self, var: Var) -> Expr:
        known = self.reordered.get(var)
        return super().visit_var(var) if known is None else self._whole(var, known)

    def _whole(self, var: Var, known: _Reordered) -> Var:
        """The tuple in logical order, made once per definition (NRO-59)."""
        made = self.logical.get(var)
        if made is None:
            made = Var(self.names.fresh(base_name(var.name_hint), "logical"), known.old_type, var.span)
            value = _logical_elements(known.var, known.permutation)
            self.pending.append(AssignStmt(made, MakeTuple(value, var.span), var.span))
            self.logical[var] = made
        return made

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        outer, self.pending = self.pending, []
        values = self._returned(stmt)
        new = stmt if values is stmt.value else rebuilt(stmt, {"value": values})
        before, self.pending = self.pending, outer
        return (*before, new) if before else new

    def _returned(self, stmt: ReturnStmt) -> tuple[Expr, ...]:
        """A whole tuple returned where several results are declared is taken apart (NRO-60)."""
        only = stmt.value[0] if len(stmt.value) == 1 else None
        known = self.reordered.get(only) if isinstance(only, Var) else None
        if known is not None and self.flat_returns > 1:
            return _logical_elements(known.var, known.permutation)[: self.flat_returns]
        new = tuple(self.visit(value) for value in stmt.value)
        return stmt.value if all(a is b for a, b in zip(new, stmt.value, strict=True)) else new


def _permuted_type(kind: Type, permutation: Permutation) -> Type:
    """The caller's own tuple type with its elements moved; a task id behind them stays (NRO-53, NRO-56, NRO-57)."""
    if not isinstance(kind, TupleType) or len(kind.types) < len(permutation):
        return kind
    types = list(kind.types)
    for old, new in enumerate(permutation):
        types[new] = kind.types[old]
    return TupleType(tuple(types))


def _logical_elements(var: Var, permutation: Permutation) -> tuple[Expr, ...]:
    count = len(var.type.types) if isinstance(var.type, TupleType) else len(permutation)
    places = [*permutation, *range(len(permutation), count)]
    return tuple(TupleGetItemExpr(var, place, var.span) for place in places)


def _logical_tuple(var: Var, permutation: Permutation, stmt: Stmt) -> Expr:
    return MakeTuple(_logical_elements(var, permutation), stmt.span)
