# SPDX-License-Identifier: Apache-2.0
"""AtomicAddDtypeValid: the chip can add elements of this type to global memory atomically.

Which types no chip can add is decided where the operation is built; only BF16 depends on the chip.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import AtomicType, Call, DataType, Program, TensorType, collect
from pypto_build.passes import HARDWARE, PassContext

DESTINATION = {
    "tile.store": 2,
    "tensor.assemble": 0,
    "pld.tensor.put": 0,
    "pld.tile.put": 0,
    "pld.tensor.remote_store": 1,
    "pld.tile.remote_store": 1,
}
"""The operand that an operation writes."""


def verify_atomic_add_dtype_valid(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every atomic addition of BF16 on a chip without it."""
    chip = context.hardware
    if chip.bf16_atomic_add:
        return
    able = " and ".join(
        f"Ascend{h.name.removeprefix('ascend').upper()}" for h in HARDWARE.values() if h.bf16_atomic_add
    )
    for function in program.functions.values():
        for call in collect(function.body, Call):
            if _adds_atomically(call) and _destination(call) is DataType.BF16:
                text = f"{call.op.name} adds bf16 atomically, which {chip.arch} cannot ({able} can)"
                help_ = "accumulate in FP32 and cast to BF16 afterwards"
                yield Diagnostic("error", "AtomicAddDtypeValid", text, call.span, help=help_)


def _adds_atomically(call: Call) -> bool:
    return call.op.name in DESTINATION and call.kwargs.get("atomic") in (AtomicType.Add, AtomicType.Add.value)


def _destination(call: Call) -> DataType | None:
    index = DESTINATION[call.op.name]
    kind = call.args[index].type if index < len(call.args) else None
    return kind.dtype if isinstance(kind, TensorType) else None
