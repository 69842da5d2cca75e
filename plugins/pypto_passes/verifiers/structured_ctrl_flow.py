# SPDX-License-Identifier: Apache-2.0
"""StructuredCtrlFlow: kernels have no break and no continue left."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import BreakStmt, ContinueStmt, FunctionType, Program, collect
from pypto_build.passes import PassContext

BREAK_LEFT, CONTINUE_LEFT = 0, 1
KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


def verify_structured_ctrl_flow(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every break and continue that is left in a kernel; orchestration is C++ and may keep them."""
    del context
    for function in program.functions.values():
        if function.func_type not in KERNELS:
            continue
        for stmt in collect(function.body, BreakStmt, ContinueStmt):
            word, code = ("BreakStmt", BREAK_LEFT) if isinstance(stmt, BreakStmt) else ("ContinueStmt", CONTINUE_LEFT)
            text = f"{word} is left in kernel '{function.name}': only structured control flow can be generated"
            yield Diagnostic("error", "StructuredCtrlFlow", text, stmt.span, error_code=code)
