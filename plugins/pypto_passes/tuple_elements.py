# SPDX-License-Identifier: Apache-2.0
"""Names for the results that an operation writes and nobody takes: the instruction needs a buffer for each (MO-42)."""

from __future__ import annotations

from pypto_build.analysis.statement_walk import assignments
from pypto_build.ir import AssignStmt, Call, Function, GlobalVar, Rewriter, Stmt, TupleGetItemExpr, TupleType, Var
from pypto_build.ops import OpRegistry


def with_all_elements(function: Function, ops: OpRegistry) -> Function:
    """The function with an element variable for every result of an operation with several; the same object if so."""
    taken: dict[Var, set[int]] = {}
    for stmt in assignments(function):
        value = stmt.value
        if isinstance(value, Call) and isinstance(stmt.var.type, TupleType) and _has_several(value, ops):
            taken.setdefault(stmt.var, set())
        elif isinstance(value, TupleGetItemExpr) and isinstance(value.tuple, Var) and value.tuple in taken:
            taken[value.tuple].add(value.index)
    missing = {var: _missing(var.type, found) for var, found in taken.items() if isinstance(var.type, TupleType)}
    return _Completer(missing).visit(function) if any(missing.values()) else function


def _has_several(call: Call, ops: OpRegistry) -> bool:
    return not isinstance(call.op, GlobalVar) and ops.has(call.op.name) and ops.get(call.op.name).output_arity > 1


def _missing(kind: TupleType, found: set[int]) -> list[int]:
    return [index for index in range(len(kind.types)) if index not in found]


class _Completer(Rewriter):
    """Adds the missing elements behind the call."""

    REWRITES_TYPES = False

    def __init__(self, missing: dict[Var, list[int]]) -> None:
        super().__init__()
        self._missing = missing

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        kind = stmt.var.type
        indices = self._missing.get(stmt.var)
        if not indices or not isinstance(kind, TupleType):
            return stmt
        added: list[Stmt] = [stmt]
        for index in indices:
            element = Var(f"{stmt.var.name_hint}_{index}", kind.types[index], stmt.span)
            added.append(AssignStmt(element, TupleGetItemExpr(stmt.var, index, stmt.span), stmt.span))
        return tuple(added)
