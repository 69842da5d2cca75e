# SPDX-License-Identifier: Apache-2.0
"""Where each operation of a kernel is written: the family that knows it, the table of plain ones, or its definition."""

from __future__ import annotations

from typing import Final

from pypto_build.ir import Call, Var
from pypto_targets.pto import (
    arrays,
    compute,
    datamove,
    gathers,
    matmul,
    memory,
    memory_gathers,
    pipes,
    prefetch,
    remote,
    signals,
    synchronization,
    transfers,
    values,
)
from pypto_targets.pto.instructions import INSTRUCTIONS
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.limits import check
from pypto_targets.pto.operations import Handler, of_definition, simple

_FAMILIES: Final = (
    arrays,
    compute,
    datamove,
    gathers,
    matmul,
    memory,
    memory_gathers,
    pipes,
    prefetch,
    remote,
    signals,
    synchronization,
    transfers,
    values,
)
HANDLERS: Final[dict[str, Handler]] = {
    name: handler for family in _FAMILIES for name, handler in family.HANDLERS.items()
}


def emit_call(kernel: Kernel, call: Call, var: Var | None) -> None:
    """One operation; `var` is what its result is bound to."""
    kernel.text.span = call.span if call.span.is_valid() else kernel.text.span
    name = call.op.name
    check(kernel, call, var)
    if name in HANDLERS:
        HANDLERS[name](kernel, call, var)
    elif name in INSTRUCTIONS:
        simple(kernel, call, var, mnemonic=INSTRUCTIONS[name])
    else:
        of_definition(kernel, call, var)
