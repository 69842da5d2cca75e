# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeTileSlice: a window of a tile that an instruction cannot read in place is extracted into its own buffer.

Windows in Mat go straight into the operands of products. Windows in Vec stay views unless their address is not known
to be aligned, or they do not lie without gaps where that is needed: where the instruction would first copy the window
onto itself, where it is seen in another shape, and where a loop or branch lets a whole tile take its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.tile_spaces import constrained_inputs, definition_of
from pypto_build.errors import Span
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IterArg,
    MemorySpace,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    map_tuple,
    rebuilt,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.accumulator_windows import check_accumulator_windows
from pypto_passes.scope_captures import counted_uses
from pypto_passes.statement_emitter import Rewritten, StatementEmitter
from pypto_passes.tile_storage import is_core_function
from pypto_passes.tile_windows import Window, as_index, extraction, tile_windows
from pypto_passes.unread_tiles import without_unread

P = IRProperty
_KEPT = frozenset({P.SSAForm, P.SplitIncoreOrch, P.IncoreTileOps, P.TileOps2D, P.NormalizedStmtStructure})
_FACTORS = ((MemorySpace.Left,), (MemorySpace.Right,))
COPYING = "tile.col_expand"
"""How the names of the instructions begin that copy a window before they read it."""
LOOKS = frozenset({"tile.reshape", "tile.reinterpret_view", "tile.transpose_view"})
"""Operations that see the same bytes in another shape."""


@dataclass(frozen=True, slots=True)
class CanonicalizeTileSlice(FunctionPass):
    """Extract the windows of tiles that the instructions which read them cannot read in place."""

    name: ClassVar[str] = "CanonicalizeTileSlice"
    requires: ClassVar[frozenset[IRProperty]] = _KEPT
    produces: ClassVar[frozenset[IRProperty]] = _KEPT
    after: ClassVar[tuple[str, ...]] = ("FlattenTileNdTo2D", "AutoTileMatmulL0")
    before: ClassVar[tuple[str, ...]] = ("InferTileMemorySpace", "InitMemRef")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel without such windows; the same object when it has none.

        Raises:
            UserError: a product is added to a window of an accumulator that the hardware cannot address.
        """
        del callees
        windows = tile_windows(function) if is_core_function(function) else {}
        if not windows:
            return function
        check_accumulator_windows(function, windows, context.ops)
        new: Function = _Canonicalizer(windows, context).visit(function)
        if new is function:
            return function
        uses = counted_uses(function)
        return without_unread(new, [var for var in windows if uses[var]])


class _Canonicalizer(StatementEmitter):
    def __init__(self, windows: dict[Var, Window], context: PassContext) -> None:
        super().__init__()
        self._ops = context.ops
        # a window in Mat of which a part is valid goes on as it is
        self._windows = {var: one for var, one in windows.items() if one.plain or one.space is MemorySpace.Vec}

    # -- statements --------------------------------------------------------------------------------------------------

    def rewrite_assign(self, stmt: AssignStmt) -> Rewritten:
        new = self._value(stmt.value, stmt.span)
        return stmt if new is stmt.value else self.assigned(stmt, new)

    def rewrite_eval(self, stmt: EvalStmt) -> Rewritten:
        new = self._value(stmt.expr, stmt.span)
        return stmt if new is stmt.expr else rebuilt(stmt, {"expr": new})

    def visit_yield_stmt(self, stmt: YieldStmt) -> Rewritten:
        return self.with_emitted(stmt, self._yielded)

    def _yielded(self, stmt: YieldStmt) -> Stmt:
        value = map_tuple(stmt.value, lambda one: self._leaving(one, stmt.span))
        return stmt if value is stmt.value else rebuilt(stmt, {"value": value})

    def visit_for_stmt(self, stmt: ForStmt) -> Rewritten:
        return self.with_emitted(stmt, self.visit_node)

    def visit_while_stmt(self, stmt: WhileStmt) -> Rewritten:
        return self.with_emitted(stmt, self.visit_node)

    def visit_definition(self, var: Var) -> Var:
        if not isinstance(var, IterArg):
            return super().visit_definition(var)
        init = self._leaving(var.init_value, var.span)
        return self.rebound(var, {} if init is var.init_value else {"init_value": init})

    # -- values ------------------------------------------------------------------------------------------------------

    def _leaving(self, value: Expr, span: Span) -> Expr:
        """A value that goes on under another name, where nobody knows that it is a window."""
        window = self._windows.get(value) if isinstance(value, Var) else None
        if window is None or window.space is not MemorySpace.Vec or (window.aligned and window.dense):
            return self.visit(value)
        return self._extracted(value, MemorySpace.Vec, span)

    def _value(self, value: Expr, span: Span) -> Expr:
        window = self._windows.get(value) if isinstance(value, Var) else None
        if window is not None and window.space is MemorySpace.Vec and not window.aligned:
            return self._extract(window, MemorySpace.Vec, span) if window.plain else self._own(value, window, span)
        new = self.visit(value)
        if not isinstance(value, Call) or not isinstance(new, Call) or isinstance(value.op, GlobalVar):
            return new
        match value.op.name:
            case "tile.slice":
                return new
            case "tile.extract":
                return self._folded(value, new)
            case _:
                return self._with_operands(value, new, span)

    def _folded(self, call: Call, new: Call) -> Expr:
        """An extract out of a window reads the tile itself, further in."""
        source = call.args[0]
        window = self._windows.get(source) if isinstance(source, Var) else None
        if window is None or not window.plain or window.space not in (MemorySpace.Mat, MemorySpace.Vec):
            return new
        row, column = self._place(window)
        args = (self.visit(window.base), plus(new.args[1], row), plus(new.args[2], column), *new.args[3:])
        return self._ops.create_call(call.op.name, args, call.kwargs, call.span, new.attrs)

    def _with_operands(self, call: Call, new: Call, span: Span) -> Expr:
        """A call with the windows that it cannot read in place extracted."""
        factors = {
            position: allowed[0]
            for position, _, allowed in constrained_inputs(call, definition_of(call, self._ops))
            if allowed in _FACTORS
        }
        extracted: dict[tuple[Expr, MemorySpace], Expr] = {}
        args = list(new.args)
        for position, arg in enumerate(call.args):
            target = self._target(arg, call.op.name, factor=factors.get(position))
            if target is not None:
                if (arg, target) not in extracted:
                    extracted[arg, target] = self._extracted(arg, target, span)
                args[position] = extracted[arg, target]
        if not extracted:
            return new
        return self._ops.create_call(call.op.name, args, call.kwargs, call.span, new.attrs)

    def _target(self, arg: Expr, name: str, *, factor: MemorySpace | None) -> MemorySpace | None:
        """Where a window must be extracted to, None for what is no window or can be read in place."""
        window = self._windows.get(arg) if isinstance(arg, Var) else None
        if window is None:
            return None
        if window.space is MemorySpace.Mat:
            return factor
        if window.space is not MemorySpace.Vec or _is_read_in_place(window, name):
            return None
        return MemorySpace.Vec

    def _extracted(self, value: Expr, target: MemorySpace, span: Span) -> Expr:
        assert isinstance(value, Var)
        window, hint = self._windows[value], f"{value.name_hint}_ext"
        call = self._extract(window, target, span) if window.plain else self._own(value, window, span)
        return self.emit(call, hint, span)

    def _own(self, value: Expr, window: Window, span: Span) -> Call:
        """A buffer for a window of which a part is valid: all of it is copied, and the same part is valid there."""
        assert isinstance(value, Var)
        copy = self.emit(self._extract(window, MemorySpace.Vec, span), f"{value.name_hint}_all", span)
        valid = [as_index(self.visit(extent)) for extent in window.kind.effective_tile_view().valid_shape]
        return self._ops.create_call("tile.set_validshape", (copy, *valid), {}, span)

    def _extract(self, window: Window, target: MemorySpace, span: Span) -> Call:
        return extraction(self._ops, window, target, visit=self.visit, span=span)

    def _place(self, window: Window) -> tuple[Expr, Expr]:
        """Row and column as an extract takes them, which knows no narrower integers."""
        return as_index(self.visit(window.row)), as_index(self.visit(window.column))


def _is_read_in_place(window: Window, name: str) -> bool:
    """Whether an instruction finds the window where it lies."""
    if name in LOOKS:
        return window.aligned and window.dense
    return window.aligned and (window.copies_onto_itself or not name.startswith(COPYING))
