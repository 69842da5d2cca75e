# SPDX-License-Identifier: Apache-2.0
"""DistTensorCtxMaterialized: chips get the communication context of a distributed tensor as a parameter.

Only the host can look it up; on a chip there is nothing that the query could be translated to.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import Call, Program, collect
from pypto_build.passes import PassContext
from pypto_passes.verifiers.host_orchestrations import is_host_orchestration

QUERY = "pld.system.get_comm_ctx"


def verify_contexts(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every query of a context outside host orchestrations."""
    del context
    for function in program.functions.values():
        if is_host_orchestration(function):
            continue
        for call in collect(function.body, Call):
            if call.op.name == QUERY:
                text = f"{QUERY} in '{function.name}', which does not run on the host: the context must be a parameter"
                yield Diagnostic("error", "DistTensorCtxMaterialized", text, call.span)
