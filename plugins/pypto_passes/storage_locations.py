# SPDX-License-Identifier: Apache-2.0
"""Which buffers a tensor of an orchestration function may be, and which part of each.

A parameter, a created tensor and a result that is none of a task's arguments own a buffer. Carries and merges may be
one of several; more than a few, and what an operation computes with indices that only the run knows, are not known.
Sets of buffers grow until nothing changes any more: each variable a few times at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pypto_build.analysis.buffer_roots import BufferRoots
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    Submit,
    TensorType,
    TupleGetItemExpr,
    TupleType,
    Var,
    WhileStmt,
    collect,
)
from pypto_passes.storage_regions import WHOLE, Region, view_of, window_of

Location = Mapping[Var, Region]
"""Buffers by the variables that own them."""

_MOST = 4  # buffers that one variable may be
_SAME_PART = ("tensor.assemble", "tensor.write")  # hand their first argument on as it is


class StorageLocations:
    """The answers for one function; `roots` knows which argument a result of a call is."""

    def __init__(self, function: Function, roots: BufferRoots) -> None:
        self._roots = roots
        self._known: dict[Var, Location | None] = {
            param: {param: WHOLE} for param in function.params if isinstance(param.type, TensorType)
        }
        self._calls: dict[Var, Call | Submit] = {}
        self._results: dict[Call | Submit, dict[int, Var]] = {}
        self._sources: list[tuple[Var, Expr]] = []
        for stmt in collect(function.body, AssignStmt, ForStmt, WhileStmt, IfStmt):
            self._note(stmt)
        self._grow()

    def of(self, expr: Expr) -> Location | None:
        """The buffers that a tensor may be; None when that is not known."""
        return (self._known.get(expr) or None) if isinstance(expr, Var) else None

    def made_by(self, call: Call | Submit) -> list[Var]:
        """The buffers that come into being with a task."""
        return [var for var in self._results.get(call, {}).values() if var in (self._known.get(var) or {})]

    # -- where values come from --------------------------------------------------------------------------------------

    def _note(self, stmt: AssignStmt | ForStmt | WhileStmt | IfStmt) -> None:
        if isinstance(stmt, AssignStmt):
            self._note_assignment(stmt.var, stmt.value)
        elif isinstance(stmt, IfStmt):
            for values in (yielded_values(stmt.then_body), yielded_values(stmt.else_body)):
                self._note_all(zip(stmt.return_vars, values, strict=False))
        else:
            yielded = yielded_values(stmt.body)
            self._note_all((arg, arg.init_value) for arg in stmt.iter_args)
            self._note_all(zip(stmt.iter_args, yielded, strict=False))
            self._note_all(zip(stmt.return_vars, stmt.iter_args, strict=False))

    def _note_all(self, pairs: Iterable[tuple[Var, Expr]]) -> None:
        self._sources.extend((var, value) for var, value in pairs if isinstance(var.type, TensorType))

    def _note_assignment(self, var: Var, value: Expr) -> None:
        if isinstance(value, Call | Submit):
            self._calls[var] = value
            if isinstance(value.op, GlobalVar) and not isinstance(value.type, TupleType):
                self._results.setdefault(value, {}).setdefault(0, var)
        elif isinstance(value, TupleGetItemExpr) and isinstance(value.tuple, Var) and value.tuple in self._calls:
            self._results.setdefault(self._calls[value.tuple], {}).setdefault(value.index, var)
        self._note_all([(var, value)])

    # -- growing -----------------------------------------------------------------------------------------------------

    def _grow(self) -> None:
        changed = True
        while changed:
            changed = False
            for var, value in self._sources:
                before = self._known.get(var, {})
                after = _joined(before, self._of_value(var, value))
                changed = changed or after != before
                self._known[var] = after

    def _of_value(self, var: Var, value: Expr) -> Location | None:
        if isinstance(value, Var):
            return self._known.get(value, {})
        if isinstance(value, TupleGetItemExpr):
            call = self._calls.get(value.tuple) if isinstance(value.tuple, Var) else None
            return self._of_result(call, value.index) if call is not None else None
        if isinstance(value, Call | Submit) and isinstance(value.op, GlobalVar):
            return self._of_result(value, 0)
        return self._of_operation(var, value) if isinstance(value, Call) else None

    def _of_result(self, call: Call | Submit, index: int) -> Location | None:
        position = self._roots.written_argument(call, index)
        if position is not None:
            arg = call.args[position]
            return self._known.get(arg, {}) if isinstance(arg, Var) else None
        var = self._results.get(call, {}).get(index)
        return {var: WHOLE} if var is not None else None

    def _of_operation(self, var: Var, call: Call) -> Location | None:
        if call.op.name == "tensor.create":
            return {var: WHOLE}
        position = self._roots.viewed_argument(call)
        source = call.args[position] if position is not None else None
        if not isinstance(source, Var):
            return None
        location = self._known.get(source, {})
        if location is None or call.op.name in _SAME_PART:
            return location
        if call.op.name == "tensor.slice":
            return {root: window_of(region, call) for root, region in location.items()}
        return {root: view_of(region) for root, region in location.items()}


def _joined(left: Location | None, right: Location | None) -> Location | None:
    if left is None or right is None:
        return None
    both = {**left, **right}
    for root in left.keys() & right.keys():
        both[root] = left[root].joined(right[root])
    return both if len(both) <= _MOST else None
