# SPDX-License-Identifier: Apache-2.0
"""ExpandMixedKernel: a kernel becomes a cube (AIC) or a vector (AIV) kernel, by what it computes.

A kernel that uses both cores needs two functions and a pipe between them; it is refused with the places of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import Call, Function, FunctionType, Program, collect, rebuilt
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CoreAffinity
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext

P = IRProperty


@dataclass(frozen=True, slots=True)
class ExpandMixedKernel(FunctionPass):
    """Turn InCore functions into AIC and AIV functions."""

    name: ClassVar[str] = "ExpandMixedKernel"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.IncoreTileOps, P.SplitIncoreOrch, P.TileMemoryInferred}
    )
    produces: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.MixedKernelExpanded, P.HardSyncallOccupancyValid}
    )
    after: ClassVar[tuple[str, ...]] = ("InferTileMemorySpace",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """An InCore function as a function of the core that can run it; other functions as they are.

        Raises:
            UserError: the kernel uses both cores.
        """
        del callees
        if function.func_type is not FunctionType.InCore:
            return function
        sides = _first_calls(function, context.ops)
        cube, vector = sides.get(CoreAffinity.CUBE), sides.get(CoreAffinity.VECTOR)
        crossing = sides.get(CoreAffinity.MIXED)
        if crossing is not None or (cube is not None and vector is not None):
            raise _mixed(function, cube or crossing, vector or crossing)
        kind = FunctionType.AIV if cube is None else FunctionType.AIC
        return rebuilt(function, {"func_type": kind, "level": None, "role": None})


def _first_calls(function: Function, ops: OpRegistry) -> dict[CoreAffinity, Call]:
    found: dict[CoreAffinity, Call] = {}
    for call in collect(function.body, Call):
        found.setdefault(core_affinity(call, ops), call)
    return found


def _mixed(function: Function, cube: Call | None, vector: Call | None) -> UserError:
    notes = tuple(
        (f"{call.op.name} runs on the {side} core", call.span)
        for side, call in (("cube", cube), ("vector", vector))
        if call is not None
    )
    place = vector or cube
    return UserError(
        "CORE001",
        f"kernel '{function.name}' needs the cube core and the vector core",
        function.span if place is None else place.span,
        help="write a kernel for the matrix product and one for the vector work, and call both from the orchestration",
        notes=notes,
    )


def verify_mixed_kernel_expanded(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No InCore function is left, and no kernel has an operation of the other core."""
    wrong = {FunctionType.AIC: CoreAffinity.VECTOR, FunctionType.AIV: CoreAffinity.CUBE}
    for function in program.functions.values():
        if function.func_type is FunctionType.InCore:
            text = f"function '{function.name}' is still InCore"
            yield Diagnostic("error", "MixedKernelExpanded", text, function.span)
        other = wrong.get(function.func_type)
        for call in collect(function.body, Call) if other is not None else ():
            if call.op.name != "tile.alloc" and core_affinity(call, context.ops) is other:
                text = f"{call.op.name} in {function.func_type.name} function '{function.name}' runs on the other core"
                yield Diagnostic("error", "MixedKernelExpanded", text, call.span)
