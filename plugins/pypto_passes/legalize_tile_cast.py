# SPDX-License-Identifier: Apache-2.0
"""LegalizeTileCast: a conversion that the chip has no instruction for becomes a chain of those that it has.

A chain goes only through types that hold every number of the target, so inside the target's range it differs from a
direct conversion at most by rounding twice. Of the shortest chains the one is taken that rounds late and stays float.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.exact_types import holds_all
from pypto_build.errors import Span, UserError
from pypto_build.ir import AssignStmt, Call, DataType, EvalStmt, Expr, Function, TileType, rebuilt
from pypto_build.passes import Callees, FunctionPass, HardwareDescription, PassContext
from pypto_passes.statement_emitter import Rewritten, StatementEmitter
from pypto_passes.tile_storage import is_core_function


@dataclass(frozen=True, slots=True)
class LegalizeTileCast(FunctionPass):
    """Expand conversions of tiles into the shortest chains of conversions that the chip has an instruction for."""

    name: ClassVar[str] = "LegalizeTileCast"
    after: ClassVar[tuple[str, ...]] = ("ConvertTensorToTileOps", "LowerCompositeOps", "FlattenTileNdTo2D")
    before: ClassVar[tuple[str, ...]] = ("InferTileMemorySpace", "InitMemRef")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel with native conversions only; on hardware of which none is known, the function as it is.

        Raises:
            UserError: there is no chain from one type to the other.
        """
        del callees
        if not is_core_function(function) or not context.hardware.native_casts:
            return function
        return _Legalizer(context).visit(function)


def cast_chain(source: DataType, target: DataType, hardware: HardwareDescription) -> tuple[DataType, ...]:
    """The types to convert to, one after the other, the target last; empty when there is no chain.

    One search through at most all element types; the types that hold every number of the target are few.
    """
    casts, chains = hardware.native_casts, [()]
    while chains:
        found = [(*chain, target) for chain in chains if (_last(chain, source), target) in casts]
        if found:
            return min(found, key=lambda chain: [_cost(between, source) for between in chain[:-1]])
        chains = [
            (*chain, to)
            for chain in chains
            for of, to in casts
            if of is _last(chain, source) and to not in (source, *chain) and holds_all(to, target)
        ]
    return ()


def _last(chain: tuple[DataType, ...], source: DataType) -> DataType:
    return chain[-1] if chain else source


def _cost(between: DataType, source: DataType) -> tuple[bool, bool, bool, str]:
    """Best is a type that rounds nothing; else a float, which saturates; else one of the source's width."""
    narrower = not holds_all(between, source)
    return narrower, not between.is_float(), between.get_byte() != source.get_byte(), between.attribute


class _Legalizer(StatementEmitter):
    def __init__(self, context: PassContext) -> None:
        super().__init__()
        self._ops = context.ops
        self._hardware = context.hardware

    def rewrite_assign(self, stmt: AssignStmt) -> Rewritten:
        new = self._converted(stmt.value, stmt.var.name_hint, stmt.span)
        return stmt if new is stmt.value else rebuilt(stmt, {"value": new})

    def rewrite_eval(self, stmt: EvalStmt) -> Rewritten:
        new = self._converted(stmt.expr, "cast", stmt.span)
        return stmt if new is stmt.expr else rebuilt(stmt, {"expr": new})

    def _converted(self, value: Expr, hint: str, span: Span) -> Expr:
        if not isinstance(value, Call) or value.op.name != "tile.cast":
            return value
        source, target = value.args[0].type, value.kwargs["target_type"]
        assert isinstance(source, TileType)
        assert isinstance(target, DataType)
        if (source.dtype, target) in self._hardware.native_casts:
            return value
        chain = cast_chain(source.dtype, target, self._hardware)
        if not chain:
            text = f"tile.cast from {source.dtype} to {target} has no native cast path on {self._hardware.name}"
            raise UserError("CAST001", text, value.span, help="convert through a type that holds the values you have")
        made = value.args[0]
        for between in chain[:-1]:
            made = self.emit(self._cast(value, made, between), f"{hint}_{between}", span)
        return rebuilt(value, {"args": (made,)})

    def _cast(self, call: Call, source: Expr, target: DataType) -> Call:
        kwargs = {**call.kwargs, "target_type": target}
        return self._ops.create_call("tile.cast", (source,), kwargs, call.span)
