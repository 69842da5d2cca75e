# SPDX-License-Identifier: Apache-2.0
"""OutParamNotShadowed: an output parameter is not rebound to memory that a function creates itself."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import AssignStmt, Call, ParamDirection, Program, collect
from pypto_build.passes import PassContext

CREATING = ("tensor.create", "tensor.full")


def verify_out_param_not_shadowed(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every Out or InOut parameter that is assigned a new tensor, so that the caller never sees the result."""
    del context
    for function in program.functions.values():
        written = zip(function.params, function.param_directions, strict=True)
        outputs = {param: direction for param, direction in written if direction is not ParamDirection.In}
        for stmt in collect(function.body, AssignStmt) if outputs else ():
            if stmt.var in outputs and isinstance(stmt.value, Call) and stmt.value.op.name in CREATING:
                text = (
                    f"'{stmt.var.name_hint}' is an {outputs[stmt.var].name} parameter and cannot be reassigned via "
                    f"{stmt.value.op.name}. Use the parameter directly as the output target instead."
                )
                yield Diagnostic("error", "OutParamNotShadowed", text, stmt.span)
