# SPDX-License-Identifier: Apache-2.0
"""UnusedVariable: a warning about each variable that is assigned and never read.

An instruction writes all of its results, so those that nobody reads, and the tuple that they come in, are no mistake.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.ir import (
    AssignStmt,
    Call,
    Function,
    GlobalVar,
    TupleGetItemExpr,
    Var,
    collect,
)
from pypto_build.passes import Check, Finding, PassContext, Phase
from pypto_passes.dead_scalars import AllUses


def find_unused_variables(function: Function, context: PassContext) -> Iterable[Finding]:
    """Every variable without a use, where it is first assigned; parameters and loop variables are no mistake."""
    exempt = {*function.params, *_several_results(function, context)}
    reads = AllUses()
    reads.visit(function)
    first: dict[Var, AssignStmt] = {}
    for stmt in collect(function.body, AssignStmt):
        first.setdefault(stmt.var, stmt)
    for var, stmt in first.items():
        if var not in reads.found and var not in exempt:
            text = f"Unused variable '{var.name_hint}' in function '{function.name}'"
            yield Finding(text, stmt.span, "use it, or leave the assignment out")


UNUSED_VARIABLE = Check("UnusedVariable", Phase.PRE_PIPELINE, find_unused_variables)


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
