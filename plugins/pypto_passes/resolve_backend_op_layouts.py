# SPDX-License-Identifier: Apache-2.0
"""ResolveBackendOpLayouts: an operation that reads tiles row by row gets them so, and its result is laid out as before.

A column of N elements and a row of N elements are the same bytes, so columns are just seen as rows; one that is a
window of a wider tile, and so has gaps, is extracted first. Any other tile is moved into the other layout, and the
result is moved back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeGuard

from pypto_build.errors import Span
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    MakeTuple,
    TileLayout,
    TileType,
    TileView,
    Type,
    Var,
    as_int,
    rebuilt,
)
from pypto_build.ops.arithmetic import ONE
from pypto_build.ops.proof import same_dimensions
from pypto_build.ops.regions import Region
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.statement_emitter import Rewritten, StatementEmitter
from pypto_passes.tile_windows import Window, extraction, tile_windows

P = IRProperty


@dataclass(frozen=True, slots=True)
class ResolveBackendOpLayouts(FunctionPass):
    """Bring tiles into rows where the chip's instructions need them so, and results back into their own layout."""

    name: ClassVar[str] = "ResolveBackendOpLayouts"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.IncoreTileOps, P.SplitIncoreOrch, P.TileOps2D})
    produces: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.IncoreTileOps, P.SplitIncoreOrch, P.TileOps2D, P.NormalizedStmtStructure}
    )
    after: ClassVar[tuple[str, ...]] = ("FlattenTileNdTo2D", "InferTileMemorySpace")
    before: ClassVar[tuple[str, ...]] = ("ExpandMixedKernel", "InitMemRef")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel whose operations find their tiles as they need them; other functions as they are."""
        del callees
        if function.func_type is not FunctionType.InCore:
            return function
        return _Resolver(context, tile_windows(function)).visit(function)


class _Resolver(StatementEmitter):
    def __init__(self, context: PassContext, windows: Mapping[Var, Window]) -> None:
        super().__init__()
        self._windows = windows
        self._ops = context.ops
        self._row_major = context.hardware.row_major

    def rewrite_assign(self, stmt: AssignStmt) -> Rewritten:
        call, name = self.visit(stmt.value), stmt.var.name_hint
        if not isinstance(call, Call) or not self._needs_rows(call):
            return stmt if call is stmt.value else rebuilt(stmt, {"value": call})
        made = self._in_rows(call, name, stmt.span)
        if _is_by_columns(call.type):
            row = self.emit(made, f"{name}_row_major", stmt.span)
            made = self._as_column(row) if self._are_columns(call) else self._moved(row, like=call.type)
        return self.assigned(stmt, made)

    def rewrite_eval(self, stmt: EvalStmt) -> Rewritten:
        call = self.visit(stmt.expr)
        if not isinstance(call, Call) or not self._needs_rows(call):
            return stmt if call is stmt.expr else rebuilt(stmt, {"expr": call})
        return rebuilt(stmt, {"expr": self._in_rows(call, "layout_fix", stmt.span)})

    # -- what lies how -----------------------------------------------------------------------------------------------

    def _needs_rows(self, call: Call) -> bool:
        return any(_is_by_columns(kind) for kind in self._constrained(call))

    def _are_columns(self, call: Call) -> bool:
        """Whether all tiles that must lie row by row are columns of one length, each element by itself."""
        kinds = self._constrained(call)
        return all(_is_column(kind) and same_dimensions(kind.shape, kinds[0].shape) for kind in kinds)

    def _constrained(self, call: Call) -> list[TileType]:
        """The tiles that must lie row by row: some operands, and the result."""
        positions = self._row_major.get(call.op.name)
        if positions is None:
            return []
        kinds = [call.args[i].type for i in positions if i < len(call.args)]
        return [kind for kind in (*kinds, call.type) if isinstance(kind, TileType)]

    # -- other looks -------------------------------------------------------------------------------------------------

    def _in_rows(self, call: Call, hint: str, span: Span) -> Call:
        """The call on tiles that lie row by row."""
        columns = self._are_columns(call)
        args = list(call.args)
        for position in self._row_major[call.op.name]:
            kind = args[position].type if position < len(args) else None
            if isinstance(kind, TileType) and (columns or _is_by_columns(kind)):
                arg = args[position]
                look = self._as_row(self._without_gaps(arg, span)) if columns else self._moved(arg)
                args[position] = self.emit(look, f"{hint}_row_major_arg{position}", span)
        return self._ops.create_call(call.op.name, args, call.kwargs, call.span, call.attrs)

    def _without_gaps(self, column: Expr, span: Span) -> Expr:
        """A column whose elements follow each other in memory."""
        window = self._windows.get(column) if isinstance(column, Var) else None
        if window is None or window.dense or not window.plain or window.space is None:
            return column
        made = extraction(self._ops, window, window.space, visit=self.visit, span=span)
        return self.emit(made, f"{column}_ext", span)

    def _as_row(self, column: Expr) -> Call:
        return self._reshaped(column, (ONE, _tile(column).shape[0]))

    def _as_column(self, row: Expr) -> Call:
        return self._reshaped(row, (_tile(row).shape[1], ONE))

    def _reshaped(self, tile: Expr, shape: Region) -> Call:
        return self._ops.create_call("tile.reshape", (tile, MakeTuple(shape, tile.span)), {}, tile.span)

    def _moved(self, tile: Expr, *, like: TileType | None = None) -> Call:
        """A copy in the layout of another tile, row by row without one."""
        view = _ROWS if like is None else like.effective_tile_view()
        kwargs: dict[str, object] = {"blayout": view.blayout, "slayout": view.slayout}
        if _tile(tile).memory_space is not None:
            kwargs["target_memory"] = _tile(tile).memory_space
        return self._ops.create_call("tile.move", (tile,), kwargs, tile.span)


_ROWS = TileView(blayout=TileLayout.row_major, slayout=TileLayout.none_box)


def _tile(value: Expr) -> TileType:
    kind = value.type
    assert isinstance(kind, TileType)
    return kind


def _is_by_columns(kind: Type) -> TypeGuard[TileType]:
    return isinstance(kind, TileType) and kind.effective_tile_view().blayout is not TileLayout.row_major


def _is_column(kind: TileType) -> bool:
    view = kind.effective_tile_view()
    return len(kind.shape) == 2 and as_int(kind.shape[1]) == 1 and view.slayout is TileLayout.none_box
