# SPDX-License-Identifier: Apache-2.0
"""OrchestrationReferencesResolved: orchestration calls functions that the program has."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import Call, FunctionType, GlobalVar, Program, Submit, collect
from pypto_build.passes import PassContext


def verify_calls(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every call and launch of something that is neither a function of the program nor an operation."""
    known = {function.name for function in program.functions.values()}
    for function in program.functions.values():
        if function.func_type is not FunctionType.Orchestration:
            continue
        for call in (*collect(function.body, Call), *collect(function.body, Submit)):
            name = call.op.name
            if isinstance(call.op, GlobalVar) and name not in known and not _is_operation(name, context):
                text = f"function '{function.name}' calls undefined function '{name}'"
                yield Diagnostic("error", "OrchestrationReferencesResolved", text, call.span)


def _is_operation(name: str, context: PassContext) -> bool:
    return context.ops.has(name) or name.startswith(("tensor.", "tile.", "array.", "system.", "pld."))
