# SPDX-License-Identifier: Apache-2.0
"""InsertMxScaleAddr: right before a scaled matrix product its scales are bound to the operands that they scale.

Binding changes the address of the scales' buffer, which other tiles may share, so nothing bound earlier can be relied
on: every product binds anew, and a second run of this pass binds once more.
Source: the public description of InsertMxScaleAddr.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    MemorySpace,
    TileType,
    Var,
    rebuilt,
)
from pypto_build.ops.build.tile.matmul import tget_scale_addr
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.statement_emitter import Rewritten, StatementEmitter

P = IRProperty
_KEPT = frozenset({P.SSAForm, P.IncoreTileOps, P.SplitIncoreOrch, P.NormalizedStmtStructure, P.TileMemoryInferred})
PAIRS: Final = {
    "tile.matmul_mx": ((0, 1), (2, 3)),
    "tile.matmul_mx_bias": ((0, 1), (2, 3)),
    "tile.matmul_mx_acc": ((1, 2), (3, 4)),
}
"""The positions of each operand and of its scales."""
_SCALES: Final = {MemorySpace.Left: MemorySpace.LeftScale, MemorySpace.Right: MemorySpace.RightScale}


@dataclass(frozen=True, slots=True)
class InsertMxScaleAddr(FunctionPass):
    """Bind the scales of scaled matrix products to their operands."""

    name: ClassVar[str] = "InsertMxScaleAddr"
    requires: ClassVar[frozenset[IRProperty]] = _KEPT
    produces: ClassVar[frozenset[IRProperty]] = _KEPT
    after: ClassVar[tuple[str, ...]] = ("InferTileMemorySpace",)
    before: ClassVar[tuple[str, ...]] = ("ResolveBackendOpLayouts", "ExpandMixedKernel")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The kernel with its scales bound; the same object when it has no such product.

        Raises:
            UserError: an operand is not in the memory that goes with its scales.
        """
        del callees, context
        return _Binder().visit(function) if function.func_type is FunctionType.InCore else function


class _Binder(StatementEmitter):
    def rewrite_assign(self, stmt: AssignStmt) -> Rewritten:
        value = self._bound(stmt.value)
        return stmt if value is stmt.value else rebuilt(stmt, {"value": value})

    def rewrite_eval(self, stmt: EvalStmt) -> Rewritten:
        value = self._bound(stmt.expr)
        return stmt if value is stmt.expr else rebuilt(stmt, {"expr": value})

    def _bound(self, value: Expr) -> Expr:
        if not isinstance(value, Call) or value.op.name not in PAIRS:
            return value
        args = list(value.args)
        for data, scale in PAIRS[value.op.name]:
            _check(value, args[data], args[scale])
            scales = args[scale]
            hint = scales.name_hint if isinstance(scales, Var) else "scale"
            made = tget_scale_addr(scales, args[data], span=value.span)
            args[scale] = self.emit(made, f"{hint}_bound", value.span)
        return rebuilt(value, {"args": tuple(args)})


def _check(call: Call, data: Expr, scale: Expr) -> None:
    spaces = [kind.memory_space if isinstance(kind := one.type, TileType) else None for one in (data, scale)]
    if spaces[0] is None or _SCALES.get(spaces[0]) is not spaces[1]:
        text = f"{call.op.name} has an operand in {_named(spaces[0])} and its scales in {_named(spaces[1])}"
        raise UserError("MX001", text, call.span, help="move a left operand to Left and its scales to LeftScale")


def _named(space: MemorySpace | None) -> str:
    return "no memory" if space is None else space.name
