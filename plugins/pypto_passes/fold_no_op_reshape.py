# SPDX-License-Identifier: Apache-2.0
"""FoldNoOpReshape: a reshape that changes neither the tile nor its place is another name for the tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import AssignStmt, Call, Expr, Function, Rewriter, Stmt, TileType, rebuilt, same_value
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.tile_storage import is_core_function

P = IRProperty


@dataclass(frozen=True, slots=True)
class FoldNoOpReshape(FunctionPass):
    """Replace reshapes of a kernel that do nothing with plain aliases, so that no instruction is made for them."""

    name: ClassVar[str] = "FoldNoOpReshape"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SplitIncoreOrch, P.IncoreTileOps, P.HasMemRefs, P.TileOps2D}
    )
    after: ClassVar[tuple[str, ...]] = ("MaterializeSemanticAliases", "MemoryReuse", "AllocateMemoryAddr")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The kernel without reshapes that do nothing; the same object when it has none."""
        del callees, context
        return _Folder().visit(function) if is_core_function(function) else function


class _Folder(Rewriter):
    REWRITES_TYPES = False

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        value = stmt.value
        if not isinstance(value, Call) or value.op.name != "tile.reshape" or not _same_tile(stmt.var, value.args[0]):
            return stmt
        return rebuilt(stmt, {"value": value.args[0]})


def _same_tile(result: Expr, source: Expr) -> bool:
    """Whether two tiles agree in element type, shape, layout and valid part, and are the same bytes."""
    left, right = result.type, source.type
    if not isinstance(left, TileType) or not isinstance(right, TileType):
        return False
    if left.memref is None or right.memref is None or not same_value(left, right):
        return False
    return left.memref.base is right.memref.base and same_value(left.memref, right.memref)
