# SPDX-License-Identifier: Apache-2.0
"""InlineGraphFunctions: the tasks of a Graph function are submitted where it is called.

A Graph function is a part of an orchestration under a name. A runtime that records such parts may replay them; the one
that the target `orchestration` writes for submits every task of every call, which leaves the same memory. The kernels
of a Graph function have been outlined by then, so its copies share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import AssignStmt, Expr, Function, FunctionType, Program, Stmt
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.call_splicing import CallSplicer, spliced
from pypto_passes.inlined_body import InlineTemplate
from pypto_passes.outlining import launching

P = IRProperty


@dataclass(frozen=True, slots=True)
class InlineGraphFunctions(ProgramPass):
    """Put the bodies of Graph functions in place of their calls."""

    name: ClassVar[str] = "InlineGraphFunctions"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.SplitIncoreOrch})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    after: ClassVar[tuple[str, ...]] = ("OutlineHierarchyScopes", "OutlineIncoreScopes", "OutlineClusterScopes")
    before: ClassVar[tuple[str, ...]] = ("ConvertTensorToTileOps", "OptimizeOrchTensors", "DeriveCallDirections")

    def run(self, program: Program, context: PassContext) -> Program:
        """The program without Graph functions; the same object when it has none.

        An opaque function that calls one launches tasks afterwards, so it becomes an Orchestration.
        """
        return spliced(program, FunctionType.Graph, _Splicer, context.ops)


class _Splicer(CallSplicer):
    """In SSA form a result needs no variable of its own: what the body returns stands for it."""

    def __init__(self, function: Function, templates: Mapping[str, InlineTemplate]) -> None:
        super().__init__(function, templates)
        self.assigned.clear()  # nothing is assigned again

    def visit_function(self, function: Function) -> Function:
        return launching(self.visit_node(function))

    def bound(self, stmt: AssignStmt, value: Expr) -> tuple[Stmt, ...]:
        self.substitution[stmt.var] = value
        return ()
