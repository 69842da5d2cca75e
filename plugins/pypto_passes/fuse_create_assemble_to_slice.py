# SPDX-License-Identifier: Apache-2.0
"""FuseCreateAssembleToSlice: a tensor that is created only to be assembled into another is a window of that from the
start, so that kernels write where the data belongs and nothing is copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.return_lineage import ReturnLineage, traced_returns
from pypto_build.analysis.returned_params import ReturnedParams
from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    MakeTuple,
    Rewriter,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    rebuilt,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.create_assemble_pairs import Pairs, create_assemble_pairs

P = IRProperty


@dataclass(frozen=True, slots=True)
class FuseCreateAssembleToSlice(FunctionPass):
    """Take windows of the tensors that orchestration assembles, instead of tensors of their own."""

    name: ClassVar[str] = "FuseCreateAssembleToSlice"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch})
    before: ClassVar[tuple[str, ...]] = ("DeriveCallDirections",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        """The function with windows; its summary is which parameter each result hands back."""

        def of(name: str) -> ReturnedParams | None:
            return cast("ReturnedParams | None", callees[name].summary) if name in callees else None

        if function.func_type is FunctionType.Orchestration:
            function = _fused(function, callees, context.ops)
        return FunctionResult((function,), traced_returns(function, ReturnLineage(function, context.ops, of)))


def _fused(function: Function, callees: Callees, ops: OpRegistry) -> Function:
    pairs = create_assemble_pairs(function, callees, ops)
    if not pairs.windows:
        return function
    return rebuilt(function, {"body": _Fusion(pairs, ops).visit_body(function.body)})


class _Fusion(Rewriter):
    def __init__(self, pairs: Pairs, ops: OpRegistry) -> None:
        super().__init__({var: pairs.resolved(var) for var in pairs.names})
        self._pairs = pairs
        self._ops = ops
        self._kept: list[tuple[bool, ...]] = []  # by the bodies around: which of the yielded values are kept

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | None:
        if stmt.var in self._pairs.names:
            return None
        window = self._pairs.windows.get(stmt.var)
        if window is None:
            return self.visit_node(stmt)
        target, offset = self.visit(window.target), self.visit(window.offset)
        shape = MakeTuple(tuple(map(self.visit, window.shape)))
        value = self._ops.create_call("tensor.slice", (target, shape, offset), {}, stmt.value.span)
        return rebuilt(stmt, {"var": self._typed(stmt.var, value), "value": value})

    def _typed(self, var: Var, value: Expr) -> Var:
        return var if same_value(var.type, value.type) else self.rebound(var, {"type": value.type})

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        return self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        return self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> Stmt:
        kept = tuple(arg not in self._pairs.names for arg in stmt.iter_args)
        if not all(kept):
            parts = {
                name: tuple(var for var, keep in zip(given, kept, strict=True) if keep)
                for name, given in (("iter_args", stmt.iter_args), ("return_vars", stmt.return_vars))
            }
            stmt = rebuilt(stmt, parts)
        self._kept.append(kept)
        new = self.visit_node(stmt)
        self._kept.pop()
        return new

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        self._kept.append((True,) * len(stmt.return_vars))
        new = self.visit_node(stmt)
        self._kept.pop()
        return new

    def visit_yield_stmt(self, stmt: YieldStmt) -> Stmt | None:
        kept = self._kept[-1] if self._kept else ()
        if all(kept):
            return self.visit_node(stmt)
        values = tuple(self.visit(value) for value, keep in zip(stmt.value, kept, strict=True) if keep)
        return rebuilt(stmt, {"value": values}) if values else None
