# SPDX-License-Identifier: Apache-2.0
"""LowerCompositeOps: operations that the hardware does not have become those that it has.

One table says which function expands which operation. The variable that the operation was assigned to is assigned the
last value of the expansion, so later uses stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from pypto_build.analysis.names import AutoName, NameCounter
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    Level,
    ReturnStmt,
    Rewriter,
    Role,
    Stmt,
    Var,
    YieldStmt,
    collect,
    defined_vars,
    rebuilt,
)
from pypto_build.passes import Callees, FunctionPass, PassContext
from pypto_passes.composite_body import Body
from pypto_passes.mesh_reductions import expand_reduce_scatter
from pypto_passes.rank_exchanges import (
    expand_all_to_all,
    expand_all_to_all_v,
    expand_allgather,
    expand_barrier,
    expand_broadcast,
)
from pypto_passes.ring_reductions import expand_allreduce
from pypto_passes.sine_expansion import expand_cosine, expand_sine

Expansion = Callable[[Body, Call], Expr]

EXPANSIONS: Final[Mapping[str, Expansion]] = {
    "pld.tensor.all_to_all": expand_all_to_all,
    "pld.tensor.all_to_all_v": expand_all_to_all_v,
    "pld.tensor.allgather": expand_allgather,
    "pld.tensor.allreduce": expand_allreduce,
    "pld.tensor.barrier": expand_barrier,
    "pld.tensor.broadcast": expand_broadcast,
    "pld.tensor.reduce_scatter": expand_reduce_scatter,
    "tile.cos": expand_cosine,
    "tile.sin": expand_sine,
}


@dataclass(frozen=True, slots=True)
class LowerCompositeOps(FunctionPass):
    """Expand sines, cosines and collective operations of kernels into primitive operations.

    Collective operations of a host orchestrator stay: the pass that dispatches them to every rank lowers those.
    """

    name: ClassVar[str] = "LowerCompositeOps"
    after: ClassVar[tuple[str, ...]] = ("ConvertTensorToTileOps", "OptimizeOrchTensors")
    before: ClassVar[tuple[str, ...]] = ("FlattenTileNdTo2D", "InferTileMemorySpace")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with primitive operations only; the same object when it has no others.

        Raises:
            UserError: a collective operation on a window that it cannot work on, or without its signal.
        """
        del callees, context
        expansions = _expansions(function)
        if not any(call.op.name in expansions for call in collect(function.body, Call)):
            return function
        return _Expander(expansions, _names(function)).visit(function)


def _expansions(function: Function) -> Mapping[str, Expansion]:
    on_host = function.level is Level.HOST and function.role is Role.Orchestrator
    return {name: expand for name, expand in EXPANSIONS.items() if not (on_host and name.startswith("pld."))}


def _names(function: Function) -> NameCounter:
    names = NameCounter()
    for var in defined_vars([function]):
        names.seen(var.name_hint)
    return names


class _Expander(Rewriter):
    """Puts the statements of an expansion in front of the statement that holds the operation."""

    REWRITES_TYPES = False

    def __init__(self, expansions: Mapping[str, Expansion], names: NameCounter) -> None:
        super().__init__()
        self.expansions = expansions
        self.names = names
        self.body: Body | None = None  # of the statement that is visited; what a loop or branch asks for stays

    def visit_call(self, call: Call) -> Expr:
        made = self._expanded(call)
        return self.body.bound("value", made) if self.body is not None and made is not call else made

    def _expanded(self, call: Call) -> Expr:
        new: Call = self.visit_node(call)
        expand = self.expansions.get(call.op.name)
        if expand is None or self.body is None:
            return new
        operands = tuple(self.body.bound("operand", arg) for arg in new.args)
        return expand(self.body, rebuilt(new, {"args": operands}))

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        base = AutoName.parse(stmt.var.name_hint).base
        return self._around(stmt, base, lambda: self._assigned(stmt))

    def _assigned(self, stmt: AssignStmt) -> Stmt:
        value = self._expanded(stmt.value) if isinstance(stmt.value, Call) else self.visit(stmt.value)
        return stmt if value is stmt.value else rebuilt(stmt, {"value": value})

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        return self._around(stmt, "value", lambda: self.visit_node(stmt))

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        return self._around(stmt, "result", lambda: self.visit_node(stmt))

    def visit_yield_stmt(self, stmt: YieldStmt) -> Stmt | tuple[Stmt, ...]:
        return self._around(stmt, "result", lambda: self.visit_node(stmt))

    def _around(self, stmt: Stmt, base: str, visit: Callable[[], Stmt]) -> Stmt | tuple[Stmt, ...]:
        self.body = Body(self.names, base, stmt.span)
        new = visit()
        before, self.body = self.body.stmts, None
        if not before:
            return new
        is_value = isinstance(new, EvalStmt) and isinstance(new.expr, Var)  # of which there is no statement
        return tuple(before) if is_value else (*before, new)
