# SPDX-License-Identifier: Apache-2.0
"""AccToGmStoreValid: an accumulator is stored to global memory only as a type into which the chip narrows it.

Whether a tile is an accumulator is known once it has a memory space; the same program is right where the tile goes
through the vector unit.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import Call, MemorySpace, Program, TensorType, TileType, collect
from pypto_build.passes import PassContext


def verify_acc_to_gm_store_valid(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every store of an accumulator into a tensor of another type than the chip can make of it."""
    allowed = context.hardware.accumulator_stores
    names = ", ".join(str(dtype) for dtype in allowed)
    for function in program.functions.values():
        for call in collect(function.body, Call):
            if call.op.name != "tile.store" or len(call.args) < 3:
                continue
            tile, tensor = call.args[0].type, call.args[2].type
            if not isinstance(tile, TileType) or not isinstance(tensor, TensorType):
                continue
            if tile.memory_space is MemorySpace.Acc and tensor.dtype not in allowed:
                text = f"tile.store writes an accumulator into a tensor of {tensor.dtype}: it can be stored as {names}"
                help_ = f"pl.cast the result to {tensor.dtype} and store that"
                yield Diagnostic("error", "AccToGmStoreValid", text, call.span, help=help_)
