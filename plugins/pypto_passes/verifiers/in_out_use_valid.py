# SPDX-License-Identifier: Apache-2.0
"""InOutUseValid: what a call may have overwritten is read through the call's result only.

Groups are left out: their kernels work on the same memory at the same time by design.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.analysis.statement_dependencies import directions_of, discipline_violations
from pypto_build.errors import Diagnostic
from pypto_build.ir import FunctionType, Program
from pypto_build.passes import PassContext


def verify_in_out_use_valid(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every read of a variable after a call that takes it as Out or InOut."""
    del context
    directions = directions_of((f.name, f.param_directions) for f in program.functions.values())
    for function in program.functions.values():
        if function.func_type is not FunctionType.Group:
            yield from discipline_violations(function.body, directions)
