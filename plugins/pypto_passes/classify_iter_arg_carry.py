# SPDX-License-Identifier: Apache-2.0
"""ClassifyIterArgCarry: each carry of an orchestration loop is an alias of its first buffer, or a variable of its own.

The runtime tracks dependencies by the identity of a tensor, so a buffer that is updated in place must keep its name; a
carry that takes another buffer needs a variable that the yield assigns. Requirements CIC-1 to CIC-42.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.iter_arg_carry import array_size, constant_trip_count, is_classified, is_rebind, with_plan
from pypto_build.analysis.returned_params import NO_PARAM, ReturnedBy
from pypto_build.errors import Diagnostic, InternalError, UserError
from pypto_build.ir import (
    ArgDirection,
    ArrayType,
    AssignStmt,
    Call,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    Function,
    FunctionType,
    GlobalVar,
    IterArg,
    Program,
    Rewriter,
    RuntimeScopeStmt,
    ScalarType,
    SeqStmts,
    Stmt,
    Submit,
    TupleGetItemExpr,
    TupleType,
    Var,
    YieldStmt,
    collect,
    rebuilt,
    statements,
)
from pypto_build.passes import Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.derive_call_directions import DIRECTIONS
from pypto_passes.returned_summaries import returned_by, returned_summary

P = IRProperty
_GIVEN = (ArgDirection.OutputExisting, ArgDirection.InOut)  # what a single result may share (CIC-11)
_OUTPUTS = (*_GIVEN, ArgDirection.Output)  # what counts for the place in a tuple (CIC-12)
_MAX_TRIPS = 2**31 - 1  # a fence array is declared with an int


@dataclass(frozen=True, slots=True)
class ClassifyIterArgCarry(FunctionPass):
    """Decide for each carry of an orchestration loop how it is lowered."""

    name: ClassVar[str] = "ClassifyIterArgCarry"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.CallDirectionsResolved, P.RuntimeScopesMaterialized})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.RuntimeScopesMaterialized, P.IterArgCarryClassified})
    after: ClassVar[tuple[str, ...]] = ("MaterializeRuntimeScopes",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        """An orchestration function with its loops classified; the summary is which parameter each result is.

        Raises:
            UserError: a parallel loop in a manual scope carries task ids and its trip count is not constant.
        """
        returned = returned_by(callees)
        summary = returned_summary(function, context, returned)
        if function.func_type is FunctionType.Orchestration:
            aliases = alias_forest(function, returned)
            function = _Classifier(aliases).visit(function)
        return FunctionResult((function,), summary)


# -- what names the same buffer ----------------------------------------------------------------------------------------


def alias_forest(function: Function, returned: ReturnedBy) -> AliasForest:
    """Which Var is another name for which: at most one source each, so the edges form a forest (CIC-9 to CIC-20)."""
    calls: dict[Var, Call | Submit] = {}
    parents: dict[Var, Var] = {}
    for stmt in collect(function, AssignStmt, ForStmt):
        if isinstance(stmt, ForStmt):
            parents.update(_loop_edges(stmt))
            continue
        if isinstance(stmt.value, Call | Submit):
            calls[stmt.var] = stmt.value
        source = _source(stmt.value, calls, returned)
        if isinstance(source, Var) and not isinstance(stmt.var, IterArg):
            parents.setdefault(stmt.var, source)
    return AliasForest(parents)


class AliasForest:
    """Chains of names, each with at most one source; where a chain begins is found once (CIC-16)."""

    def __init__(self, parents: Mapping[Var, Var]) -> None:
        self._parents = parents
        self._roots: dict[Var, Var] = {}

    def is_alias(self, var: Expr, of: Var) -> bool:
        """Whether `var` names the buffer of the root `of`; an expression that is no Var never does (CIC-21)."""
        return isinstance(var, Var) and self._root(var) is of

    def _root(self, var: Var) -> Var:
        path: dict[Var, None] = {}
        while var not in self._roots and var in self._parents and var not in path:
            path[var] = None
            var = self._parents[var]
        root = self._roots.get(var, var)
        self._roots.update(dict.fromkeys(path, root))
        return root


def _loop_edges(loop: ForStmt) -> Iterable[tuple[Var, Var]]:
    """What comes out of a nested loop is what went in, except an array, of which every loop has its own (CIC-15)."""
    for arg, var in zip(loop.iter_args, loop.return_vars, strict=False):
        if isinstance(arg.init_value, Var) and not isinstance(arg.type, ArrayType):
            yield var, arg.init_value


def _source(value: Expr, calls: Mapping[Var, Call | Submit], returned: ReturnedBy) -> Expr | None:
    if isinstance(value, TupleGetItemExpr):
        call = calls.get(value.tuple) if isinstance(value.tuple, Var) else value.tuple
        return _result_source(call, value.index, returned) if isinstance(call, Call | Submit) else None
    if isinstance(value, Call) and value.op.name == "tensor.assemble":
        return value.args[0]
    if isinstance(value, Call | Submit) and not isinstance(value.type, TupleType):
        return _result_source(value, 0, returned)
    return None


def _result_source(call: Call | Submit, index: int, returned: ReturnedBy) -> Expr | None:
    """The argument that a result is: the parameter that the callee returns there, else its index-th output."""
    if not isinstance(call.op, GlobalVar):
        return None
    known = returned(call.op.name)
    if known is not None and index < len(known) and known[index] != NO_PARAM:
        return call.args[known[index]] if known[index] < len(call.args) else None
    directions = cast("tuple[ArgDirection, ...]", call.attrs.get(DIRECTIONS, ()))
    if len(directions) != len(call.args):
        return None
    wanted = _OUTPUTS if isinstance(call.type, TupleType) else _GIVEN
    outputs = [arg for arg, direction in zip(call.args, directions, strict=True) if direction in wanted]
    return outputs[index] if index < len(outputs) else None


# -- classification ----------------------------------------------------------------------------------------------------


class _Classifier(Rewriter):
    """Stamps loops, inner ones first, so that an outer one can take over an inner extent."""

    REWRITES_TYPES = False

    def __init__(self, aliases: AliasForest) -> None:
        super().__init__()
        self.aliases = aliases
        self.manual_depth = 0
        self.sizes: dict[Var, int] = {}  # results of inner loops and the extents of their fence arrays

    def visit_runtime_scope_stmt(self, scope: RuntimeScopeStmt) -> Stmt:
        self.manual_depth += scope.manual
        new = self.visit_node(scope)
        self.manual_depth -= scope.manual
        return new

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        inner: ForStmt = self.visit_node(stmt)
        yielded = _yielded(inner.body)
        plan: dict[int, tuple[bool, int]] = {}
        for slot, arg in enumerate(inner.iter_args):
            value = yielded[slot] if slot < len(yielded) else None
            rebind = value is not None and not self._is_trivial(arg, value)
            size = self._size(inner, arg, value) if rebind and value is not None else 0
            plan[slot] = (rebind, size)
            if size and slot < len(inner.return_vars):
                self.sizes[inner.return_vars[slot]] = size
        attrs = with_plan(inner, plan)
        return inner if attrs is inner.attrs else rebuilt(inner, {"attrs": attrs})

    def _is_trivial(self, arg: IterArg, value: Expr) -> bool:
        return not _is_task_id(arg) and self.aliases.is_alias(value, arg)

    def _size(self, loop: ForStmt, arg: IterArg, value: Expr) -> int:
        if not self.manual_depth or not _is_task_id(arg):
            return 0
        if loop.kind is ForKind.Parallel:
            return _fence_extent(loop)
        if loop.kind is ForKind.Sequential and isinstance(value, Var):
            return self.sizes.get(value, 0)
        return 0


def _is_task_id(var: Var) -> bool:
    return isinstance(var.type, ScalarType) and var.type.dtype is DataType.TASK_ID


def _fence_extent(loop: ForStmt) -> int:
    trips = constant_trip_count(loop)
    if trips is None:
        raise UserError(
            "CARRY001",
            "manual_scope: pl.parallel loops carrying a manual_scope dep (via ``deps=[...]``) must have a "
            "statically-known trip count",
            loop.span,
            help="give the loop constant bounds, or make it a pl.range",
        )
    if trips > _MAX_TRIPS:
        raise InternalError(f"a fence array of {trips} task ids cannot be declared", loop.span)
    return trips


def _yielded(body: Stmt) -> tuple[Expr, ...]:
    """What a loop body hands on, runtime scopes and sequences around it looked through (CIC-22)."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        return last.value
    if isinstance(last, RuntimeScopeStmt):
        return _yielded(last.body)
    return _yielded(last) if isinstance(last, SeqStmts) else ()


# -- the property ------------------------------------------------------------------------------------------------------


def verify_iter_arg_carry(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every carry of an orchestration loop is classified, and only a rebinding one has a fence array."""
    del context
    for function in program.functions.values():
        if function.func_type is not FunctionType.Orchestration:
            continue
        for loop in collect(function, ForStmt):
            for slot, arg in enumerate(loop.iter_args):
                text = ""
                if not is_classified(loop, slot):
                    text = f"carry '{arg.name_hint}' of a loop in function '{function.name}' is not classified"
                elif array_size(loop, slot) and not is_rebind(loop, slot):
                    text = f"carry '{arg.name_hint}' in function '{function.name}' is an alias but has a fence array"
                if text:
                    yield Diagnostic("error", "IterArgCarryClassified", text, loop.span)
