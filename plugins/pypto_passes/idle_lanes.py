# SPDX-License-Identifier: Apache-2.0
"""What the second vector core does when the first one does all the work: it sends and takes the same messages, empty.

Tiles become empty ones, of which nothing is valid; loads and what cannot work on empty tiles become plain creations.
Nothing is written to memory that others see: a tensor that would be written is what it was before.
Source: the public description of the dispatch of undivided kernels.
"""

from __future__ import annotations

from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    GlobalVar,
    Rewriter,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    const_index,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.build.tile.memory import create

_CREATED = frozenset({"tile.load", "tile.slice", "tile.transpose", "tile.set_validshape"})
"""Operations that do not work on empty tiles, or would move data for nothing."""


class IdleLane(Rewriter):
    """The statements of a vector kernel as the idle core replays them, with Vars of their own."""

    def __init__(self, ops: OpRegistry) -> None:
        super().__init__()
        self._ops = ops

    def visit_definition(self, var: Var) -> Var:
        inside = super().visit_definition(var)
        fresh = rebuilt(inside, {"type": empty(inside.type)})
        self.substitution[var] = fresh
        return fresh

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | None:
        value: Expr = self.visit(stmt.value)
        target = self._written(value)
        if target is not None:
            return self._named(stmt, target) if isinstance(stmt.var.type, TensorType) else None
        return rebuilt(stmt, {"var": self.visit_definition(stmt.var), "value": _emptied(value)})

    def _named(self, stmt: AssignStmt, target: Expr) -> Stmt:
        """Another name of a tensor that is not written here; later uses see the tensor itself."""
        renamed = rebuilt(stmt, {"var": self.visit_definition(stmt.var), "value": target})
        self.substitution[stmt.var] = target
        return renamed

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | None:
        value: Expr = self.visit(stmt.expr)
        return None if self._written(value) is not None else rebuilt(stmt, {"expr": value})

    def _written(self, value: Expr) -> Expr | None:
        """The tensor that an operation writes; None where it writes none."""
        definition = definition_of(value, self._ops)
        if definition is None or not isinstance(value, Call):
            return None
        written = (arg for index, arg in enumerate(value.args) if definition.may_write(index))
        return next((arg for arg in written if isinstance(arg.type, TensorType)), None)


def empty(kind: Type) -> Type:
    """A tile of which nothing is valid; another type stays as it is."""
    if not isinstance(kind, TileType):
        return kind
    nothing = (const_index(0),) * len(kind.shape)
    return kind.replace(tile_view=kind.effective_tile_view().replace(valid_shape=nothing))


def _emptied(value: Expr) -> Expr:
    """An operation whose result is empty."""
    if not isinstance(value, Call) or isinstance(value.op, GlobalVar) or not isinstance(value.type, TileType):
        return value
    if value.op.name not in _CREATED:
        return rebuilt(value, {"type": empty(value.type)})
    made = create(value.type.shape, value.type.dtype, value.type.memory_space, span=value.span)
    return rebuilt(made, {"type": empty(value.type)})
