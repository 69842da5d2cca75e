# SPDX-License-Identifier: Apache-2.0
"""AssignTypeSymmetry: a variable has the type of the value that it is assigned, allocations aside."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import AssignStmt, Program, collect, first_difference
from pypto_build.passes import PassContext


def verify_assign_type_symmetry(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every assignment whose two sides have different types."""
    del context
    for function in program.functions.values():
        for stmt in collect(function.body, AssignStmt):
            difference = first_difference(stmt.var.type, stmt.value.type)
            if difference is not None:
                where = f" at {difference.path}" if difference.path else ""
                text = f"'{stmt.var.name_hint}' and its value have different types{where}: {difference.reason}"
                yield Diagnostic("error", "AssignTypeSymmetry", text, stmt.span)
