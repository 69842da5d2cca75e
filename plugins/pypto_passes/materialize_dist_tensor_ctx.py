# SPDX-License-Identifier: Apache-2.0
"""MaterializeDistTensorCtx: the communication context of a distributed tensor becomes a parameter, fed at every call.

Only the host can look a context up. A chip and its kernels get it beside the tensor, so that its way through the calls
is in the program and no target has to find it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.names import base_name
from pypto_build.analysis.returned_params import ReturnedParams, returned_params
from pypto_build.errors import UserError
from pypto_build.ir import (
    ArgDirection,
    AssignStmt,
    Call,
    CommCtxType,
    DistributedTensorType,
    EvalStmt,
    Expr,
    FrozenMap,
    Function,
    ParamDirection,
    ReturnStmt,
    Rewriter,
    Stmt,
    Submit,
    Var,
    rebuilt,
)
from pypto_build.passes import Callee, Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.context_flow import ContextFlow, free_name
from pypto_passes.derive_call_directions import DIRECTIONS
from pypto_passes.verifiers.dist_tensor_ctx_materialized import QUERY
from pypto_passes.verifiers.host_orchestrations import is_host_orchestration

P = IRProperty


@dataclass(frozen=True, slots=True)
class MaterializeDistTensorCtx(FunctionPass):
    """Pass communication contexts as parameters to everything that does not run on the host."""

    name: ClassVar[str] = "MaterializeDistTensorCtx"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.ReturnParamsExplicit})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.DistTensorCtxMaterialized})
    after: ClassVar[tuple[str, ...]] = ("NormalizeReturnOrder", "DeriveCallDirections", "LowerHostTensorCollectives")

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        """The function with one context behind its parameters for each distributed tensor among them.

        The summary says which parameters the function hands back.

        Raises:
            UserError: the context of a tensor is not known on a chip, or a loop changes it.
        """
        summary = returned_params(function)
        owners = [param for param in function.params if isinstance(param.type, DistributedTensorType)]
        known = [param for param in function.params if isinstance(param.type, CommCtxType)]
        if (
            not owners
            and not any(_added(callee) for callee in callees.values())
            and not is_host_orchestration(function)
        ):
            return FunctionResult((function,), summary)
        contexts = known if len(known) == len(owners) else [_context_of(owner, function) for owner in owners]
        flow = ContextFlow(context.ops, dict(zip(owners, contexts, strict=True)), _returned_by(callees))
        body = _Rewriter(function, callees, flow).visit_body(function.body)
        changes: dict[str, object] = {} if body is function.body else {"body": body}
        if contexts and contexts is not known:
            changes["params"] = (*function.params, *contexts)
            changes["param_directions"] = (*function.param_directions, *(ParamDirection.In for _ in contexts))
        return FunctionResult((rebuilt(function, changes) if changes else function,), summary)


def _context_of(owner: Var, function: Function) -> Var:
    return Var(free_name(f"{base_name(owner.name_hint)}_ctx", function), CommCtxType(), owner.span)


def _added(callee: Callee) -> tuple[Var, ...]:
    """The contexts that a callee got."""
    return callee.after.params[len(callee.before.params) :]


def _returned_by(callees: Callees) -> Mapping[str, ReturnedParams]:
    return {name: cast("ReturnedParams | None", callee.summary) or () for name, callee in callees.items()}


class _Rewriter(Rewriter):
    """Hands contexts on at calls, and puts them where a query stood."""

    REWRITES_TYPES: ClassVar[bool] = False

    def __init__(self, function: Function, callees: Callees, flow: ContextFlow) -> None:
        super().__init__()
        self._function = function
        self._callees = callees
        self._flow = flow
        self._on_host = is_host_orchestration(function)
        self._queries: list[Stmt] = []
        self._taken: set[str] = set()

    # -- statements ------------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        new = self._with_queries(stmt)
        self._flow.assign(stmt.var, stmt.value)
        return new

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        return self._with_queries(stmt)

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        return self._with_queries(stmt)

    def visit_for_stmt(self, stmt: Stmt) -> Stmt:
        return self._compound(stmt)

    def visit_while_stmt(self, stmt: Stmt) -> Stmt:
        return self._compound(stmt)

    def visit_if_stmt(self, stmt: Stmt) -> Stmt:
        return self._compound(stmt)

    def _compound(self, stmt: Stmt) -> Stmt:
        self._flow.enter(stmt)
        new = self.visit_node(stmt)
        self._flow.leave(stmt)
        return new

    def _with_queries(self, stmt: Stmt) -> Stmt | tuple[Stmt, ...]:
        outer, self._queries = self._queries, []
        new = self.visit_node(stmt)
        queries, self._queries = self._queries, outer
        return (*queries, new) if queries else new

    # -- calls -----------------------------------------------------------------------------------------------------

    def visit_call(self, call: Call) -> Expr:
        if call.op.name == QUERY and not self._on_host:
            return self._known(call, call.args[0])
        return self._extended(self.visit_node(call))

    def visit_submit(self, call: Submit) -> Expr:
        return self._extended(self.visit_node(call))

    def _extended(self, call: Call | Submit) -> Expr:
        callee = self._callees.of(call.op)
        if callee is None or not _added(callee):
            return call
        owners = [i for i, param in enumerate(callee.before.params) if isinstance(param.type, DistributedTensorType)]
        contexts = tuple(self._context(call, call.args[index]) for index in owners if index < len(call.args))
        given = cast("tuple[ArgDirection, ...]", call.attrs.get(DIRECTIONS, ()))
        scalars = (ArgDirection.Scalar,) * len(contexts)
        attrs = FrozenMap({**call.attrs, DIRECTIONS: (*given, *scalars)}) if given else call.attrs
        return rebuilt(call, {"args": (*call.args, *contexts), "attrs": attrs})

    def _context(self, call: Call | Submit, tensor: Expr) -> Expr:
        found = self._flow.of(tensor)
        if found is not None or not self._on_host:
            return found if found is not None else self._known(call, tensor)
        base = tensor.name_hint if isinstance(tensor, Var) else "tensor"
        name = free_name(f"{base}_ctx", self._function, self._taken)
        self._taken.add(name)
        var = Var(name, CommCtxType(), call.span)
        query = self._flow.ops.create_call(QUERY, (tensor,), {}, call.span)
        self._queries.append(AssignStmt(var, query, call.span))
        return var

    def _known(self, call: Call | Submit, tensor: Expr) -> Expr:
        found = self._flow.of(tensor)
        if found is None:
            raise UserError(
                "DIST001",
                f"Cannot determine the communication context of '{tensor}' in function '{self._function.name}', "
                "which does not run on the host",
                call.span,
                help="pass the distributed tensor as a parameter, or a view of one",
            )
        return found
