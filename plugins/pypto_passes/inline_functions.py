# SPDX-License-Identifier: Apache-2.0
"""InlineFunctions: the body of an inline function replaces each call of it, then the function goes.

Calls are replaced where they are a whole statement: `y = f(x)`, `f(x)` and `return f(x)`. What a call gives back as a
tuple is handed to the reads of its elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import FunctionType, Program
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.call_splicing import CallSplicer, spliced


@dataclass(frozen=True, slots=True)
class InlineFunctions(ProgramPass):
    """Put the bodies of inline functions in place of their calls."""

    name: ClassVar[str] = "InlineFunctions"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.InlineFunctionsEliminated})
    before: ClassVar[tuple[str, ...]] = ("UnrollLoops", "CtrlFlowTransform", "ConvertToSSA")

    def run(self, program: Program, context: PassContext) -> Program:
        """The program without inline functions; the same object when it has none."""
        return spliced(program, FunctionType.Inline, CallSplicer, context.ops)
