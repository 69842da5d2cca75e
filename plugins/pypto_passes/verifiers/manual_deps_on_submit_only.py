# SPDX-License-Identifier: Apache-2.0
"""ManualDepsOnSubmitOnly: explicit dependencies of a task stand in the field of its launch, nowhere else."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import Call, GlobalVar, Program, Submit, collect
from pypto_build.passes import PassContext

EDGES = "manual_dep_edges"
ON_CALL, ON_SUBMIT = 0, 1


def verify_manual_deps(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every call of a function, and every launch, that carries dependencies among its attributes."""
    del context
    for function in program.functions.values():
        for call in collect(function.body, Call):
            if EDGES in call.attrs and isinstance(call.op, GlobalVar):
                text = f"the call of '{call.op.name}' in '{function.name}' has '{EDGES}': launch it with pl.submit"
                yield Diagnostic("error", "ManualDepsOnSubmitOnly", text, call.span, error_code=ON_CALL)
        for submit in collect(function.body, Submit):
            if EDGES in submit.attrs:
                text = (
                    f"the launch of '{submit.op.name}' in '{function.name}' has '{EDGES}' among its attributes: "
                    "its dependencies belong in deps_"
                )
                yield Diagnostic("error", "ManualDepsOnSubmitOnly", text, submit.span, error_code=ON_SUBMIT)
