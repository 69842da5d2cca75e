# SPDX-License-Identifier: Apache-2.0
"""UnusedVariable: a warning about each variable that is assigned and never read.

An instruction writes all of its results, so those that nobody reads, and the tuple that they come in, are no mistake.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    Function,
    GlobalVar,
    MemRef,
    Program,
    TupleGetItemExpr,
    Var,
    Visitor,
    WindowBuffer,
    collect,
)
from pypto_build.passes import PassContext


def check_unused_variable(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every variable without a use, where it is first assigned; parameters and loop variables are no mistake."""
    for function in program.functions.values():
        exempt = {*function.params, *_several_results(function, context)}
        reads = _Reads()
        reads.visit(function)
        first: dict[Var, AssignStmt] = {}
        for stmt in collect(function.body, AssignStmt):
            first.setdefault(stmt.var, stmt)
        for var, stmt in first.items():
            if var not in reads.found and var not in exempt:
                text = f"Unused variable '{var.name_hint}' in function '{function.name}'"
                yield Diagnostic("warning", "UnusedVariableCheck", text, stmt.span)


def _several_results(function: Function, context: PassContext) -> set[Var]:
    """The tuple variables of operations with several results, and the variables of their elements."""
    assignments = collect(function.body, AssignStmt)
    tuples = {stmt.var for stmt in assignments if _has_several(stmt, context)}
    taken = {s.var for s in assignments if isinstance(s.value, TupleGetItemExpr) and s.value.tuple in tuples}
    return tuples | taken


def _has_several(stmt: AssignStmt, context: PassContext) -> bool:
    call = stmt.value
    if not isinstance(call, Call) or isinstance(call.op, GlobalVar) or not context.ops.has(call.op.name):
        return False
    return context.ops.get(call.op.name).output_arity > 1


class _Reads(Visitor):
    """Every variable that an expression or a type names."""

    WALKS_TYPES: ClassVar[bool] = True

    def __init__(self) -> None:
        self.found: set[Var] = set()

    def visit_var(self, var: Var) -> None:
        self.found.add(var)

    def visit_mem_ref(self, ref: MemRef) -> None:
        """An allocation is read by the tile that is in it."""
        self.visit_node(ref)

    def visit_window_buffer(self, buffer: WindowBuffer) -> None:
        """So is the allocation of a window."""
        self.visit_node(buffer)
