# SPDX-License-Identifier: Apache-2.0
"""UnrollResolved: no loop is left that is to be unrolled."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import ForKind, ForStmt, Program, collect
from pypto_build.passes import PassContext


def verify_unroll_resolved(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every loop of kind Unroll."""
    del context
    for function in program.functions.values():
        for loop in collect(function.body, ForStmt):
            if loop.kind is ForKind.Unroll:
                text = f"an unrolled loop over '{loop.loop_var.name_hint}' is left in function '{function.name}'"
                yield Diagnostic("error", "UnrollResolved", text, loop.span)
