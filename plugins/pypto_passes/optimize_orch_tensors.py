# SPDX-License-Identifier: Apache-2.0
"""OptimizeOrchTensors: orchestration allocates less, and kernels know how the windows that they get lie in memory.

Results that replace an input are written in place; tiles that are put together in a loop are stored piece by piece;
kernels are told the strides of the tensors that their arguments are windows of; and those that ask for it with
`windowize` get the windows that they touch instead of whole tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import FunctionType, Program
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.assembled_loops import with_stored_pieces
from pypto_passes.carried_outputs import with_carried_outputs
from pypto_passes.parent_strides import with_parent_strides
from pypto_passes.windowed_calls import with_windowed_calls

P = IRProperty


@dataclass(frozen=True, slots=True)
class OptimizeOrchTensors(ProgramPass):
    """Allocate and copy fewer tensors between kernels."""

    name: ClassVar[str] = "OptimizeOrchTensors"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch, P.IncoreTileOps})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch, P.IncoreTileOps})
    after: ClassVar[tuple[str, ...]] = ("ConvertTensorToTileOps",)
    before: ClassVar[tuple[str, ...]] = ("FlattenTileNdTo2D", "FuseCreateAssembleToSlice")

    def run(self, program: Program, context: PassContext) -> Program:
        """The program after all of it; each step sees what the one before made."""
        program = with_carried_outputs(program, context.ops)
        program = with_parent_strides(program, context.ops)
        program = program.with_functions(
            with_stored_pieces(function, context.ops) if function.func_type is FunctionType.InCore else function
            for function in program.functions.values()
        )
        return with_windowed_calls(program, context.ops)
