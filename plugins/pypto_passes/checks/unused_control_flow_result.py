# SPDX-License-Identifier: Apache-2.0
"""UnusedControlFlowResult: a warning about each result of a loop or branch that nobody reads.

It looks only when somebody asks for it: a carry often has a last value that is of no use, and programs that a compiler
made have many.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.ir import ForStmt, Function, IfStmt, WhileStmt, collect
from pypto_build.passes import Check, Finding, PassContext, Phase
from pypto_passes.dead_scalars import AllUses


def find_unused_results(function: Function, context: PassContext) -> Iterable[Finding]:
    """Every result without a use, where its statement begins."""
    del context
    reads = AllUses()
    reads.visit(function)
    for stmt in collect(function.body, ForStmt, WhileStmt, IfStmt):
        for var in stmt.return_vars:
            if var not in reads.found:
                kind = "branch" if isinstance(stmt, IfStmt) else "loop"
                text = f"Unused result '{var.name_hint}' of a {kind} in function '{function.name}'"
                yield Finding(text, stmt.span, "leave it out of the yield")


UNUSED_CONTROL_FLOW_RESULT = Check("UnusedControlFlowResult", Phase.PRE_PIPELINE, find_unused_results, on=False)
