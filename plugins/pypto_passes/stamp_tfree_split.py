# SPDX-License-Identifier: Apache-2.0
"""StampTfreeSplit: a release says itself how the tile was divided and which pipe it came through.

Both are known where the tile was popped. Copies of loops may part a release from its pop later; what is written on the
release stays. Source: the public description of StampTfreeSplit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, Expr, Function, FunctionType, Rewriter, Stmt, Var, frozen_map, rebuilt
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext

P = IRProperty
_POPS: Final = {"system.tfree_to_aic": "tile.tpop_from_aic", "system.tfree_to_aiv": "tile.tpop_from_aiv"}
_KERNELS = (FunctionType.AIC, FunctionType.AIV)


@dataclass(frozen=True, slots=True)
class StampTfreeSplit(FunctionPass):
    """Write the split and the pipe of popped tiles on their releases."""

    name: ClassVar[str] = "StampTfreeSplit"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    after: ClassVar[tuple[str, ...]] = ("ExpandMixedKernel", "SplitVectorKernel")
    before: ClassVar[tuple[str, ...]] = ("SkewCrossCorePipeline", "LowerPipelineLoops")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The kernel with its releases stamped; the same object when there is nothing to add.

        Raises:
            UserError: a release of something that was not popped from that core, or of another pipe's tile.
        """
        del callees, context
        return _Stamper().visit(function) if function.func_type in _KERNELS else function


class _Stamper(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self._popped: dict[Var, Call] = {}

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        value = stmt.value
        if isinstance(value, Call) and value.op.name in _POPS.values():
            self._popped[stmt.var] = value
        elif isinstance(value, Var) and value in self._popped:
            self._popped[stmt.var] = self._popped[value]
        return stmt

    def visit_call(self, call: Call) -> Expr:
        if call.op.name not in _POPS:
            return call
        pop = self._origin(call)
        known = {name: pop.kwargs[name] for name in ("split", "id") if name in pop.kwargs and name not in call.kwargs}
        return rebuilt(call, {"kwargs": frozen_map({**call.kwargs, **known})}) if known else call

    def _origin(self, call: Call) -> Call:
        wanted, tile = _POPS[call.op.name], call.args[0]
        pop = self._popped.get(tile) if isinstance(tile, Var) else None
        if pop is None or pop.op.name != wanted:
            found = pop.op.name if pop is not None else "something that was not popped"
            text = f"{call.op.name} requires its tile argument to come from {wanted}, got {found}"
            raise UserError("CORE005", text, call.span)
        own, origin = call.kwargs.get("id"), pop.kwargs.get("id", 0)
        if own is not None and own != origin:
            text = f"{call.op.name} pipe id {own} does not match originating {wanted} pipe id {origin}"
            raise UserError("CORE005", text, call.span)
        return pop
