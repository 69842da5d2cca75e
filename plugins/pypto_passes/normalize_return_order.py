# SPDX-License-Identifier: Apache-2.0
"""NormalizeReturnOrder: a kernel returns its outputs in the order in which it declares them, and names them.

First every tensor that a function hands back and that is one of its parameters becomes that parameter's own Var; then
the results of kernels are put into the order of their Out and InOut parameters, and callers follow. Requirements NRO-1
to NRO-62.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.return_lineage import ReturnLineage, forwarded_tuple, traced_returns
from pypto_build.analysis.returned_params import NO_PARAM, ReturnedParams
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    ParamDirection,
    Program,
    ReturnStmt,
    Rewriter,
    Stmt,
    Submit,
    TensorType,
    TupleGetItemExpr,
    TupleType,
    Var,
    collect,
    rebuilt,
    same_value,
    statements,
)
from pypto_build.passes import Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.return_order_callers import Permutation, with_reordered_calls

P = IRProperty
KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
NAMED = (*KERNELS, FunctionType.Group, FunctionType.Spmd, FunctionType.Graph)


@dataclass(frozen=True, slots=True)
class NormalizeReturnOrder(FunctionPass):
    """Name returned parameters, order the results of kernels by declaration, and let callers follow."""

    name: ClassVar[str] = "NormalizeReturnOrder"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch, P.IncoreTileOps})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.ReturnParamsExplicit})
    after: ClassVar[tuple[str, ...]] = ("ExpandMixedKernel", "SplitVectorKernel", "StampTfreeSplit")
    before: ClassVar[tuple[str, ...]] = ("SkewCrossCorePipeline", "LowerPipelineLoops", "InitMemRef")

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        """The function; its summary says what it returned before and where each result went.

        summary: (parameter per result before, permutation or ()).
        """

        def before(name: str) -> ReturnedParams | None:
            return _summary(callees, name)[0] if name in callees else None

        lineage = ReturnLineage(function, context.ops, before)
        traced = traced_returns(function, lineage)
        named = _with_named_returns(function, lineage) if function.func_type in NAMED else function
        permutation: Permutation = ()
        if function.func_type in KERNELS:
            permutation = return_permutation(named, traced)
            named = _reordered(named, permutation) if permutation else named
        else:
            moved = {n: _summary(callees, n)[1] for n in callees if _summary(callees, n)[1]}
            named = with_reordered_calls(named, moved) if moved else named
        return FunctionResult((named,), (traced, permutation))


_Summary = tuple[ReturnedParams | None, Permutation]


def _summary(callees: Callees, name: str) -> _Summary:
    return cast(_Summary, callees[name].summary or (None, ()))


# -- returns name their parameters -------------------------------------------------------------------------------------


def _with_named_returns(function: Function, lineage: ReturnLineage) -> Function:
    """Every returned tensor that is a parameter, with the parameter's type, becomes the parameter itself."""
    if not lineage.returns:
        return function
    last = lineage.returns[-1]
    values = _named(function, last.value, lineage)
    if values is None or _same_items(values, last.value):
        return function
    return _ReturnReplacer(last, values).visit(function)


def _same_items(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


def _named(function: Function, values: tuple[Expr, ...], lineage: ReturnLineage) -> tuple[Expr, ...] | None:
    if len(values) == 1 and len(function.return_types) > 1:
        return _expanded(function, values[0], lineage)
    return tuple(_parameter(function, value, lineage) for value in values)


def _expanded(function: Function, value: Expr, lineage: ReturnLineage) -> tuple[Expr, ...] | None:
    """A tuple that is handed on whole where several results are declared: only if every element is a parameter."""
    if not isinstance(value.type, TupleType):
        return None
    found = forwarded_tuple(value, len(function.return_types), lineage)
    if found is None or NO_PARAM in found:
        return None
    params = tuple(function.params[index] for index in found)
    return params if all(isinstance(param.type, TensorType) for param in params) else None


def _parameter(function: Function, value: Expr, lineage: ReturnLineage) -> Expr:
    root = lineage.root(value)
    if root is None:
        return value
    param = function.params[root.param]
    unchanged = root.type is not None and same_value(root.type, param.type)
    return param if unchanged else value


class _ReturnReplacer(Rewriter):
    """Gives one return statement other values, wherever it stands."""

    REWRITES_TYPES = False

    def __init__(self, old: ReturnStmt, values: tuple[Expr, ...]) -> None:
        super().__init__()
        self.old = old
        self.values = values

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        if stmt is not self.old:
            return stmt
        gone = [_tuple_of(value) for value in stmt.value if value not in self.values]
        calls = tuple(EvalStmt(value, value.span) for value in gone if isinstance(value, Call | Submit))
        return (*calls, rebuilt(stmt, {"value": self.values}))  # a call that stood in the return still has its effect


def _tuple_of(value: Expr) -> Expr:
    return value.tuple if isinstance(value, TupleGetItemExpr) else value


# -- results in the order of the parameters ----------------------------------------------------------------------------


def return_permutation(function: Function, traced: ReturnedParams | None) -> Permutation:
    """Where each result goes: `permutation[old] = new`; empty when nothing moves or not everything is known.

    A result that is no output keeps its place. Source: NRO-42 to NRO-48, NRO-50.
    """
    outputs = [i for i, d in enumerate(function.param_directions) if d is not ParamDirection.In]
    last = _last_return(function)
    if traced is None or last is None or len(last.value) != len(traced) or not outputs or len(outputs) > len(traced):
        return ()
    position = {param: place for place, param in enumerate(outputs)}
    permutation = tuple(position.get(param, old) for old, param in enumerate(traced))
    moves = permutation != tuple(range(len(traced)))
    return permutation if moves and sorted(permutation) == list(range(len(traced))) else ()


def _last_return(function: Function) -> ReturnStmt | None:
    """The last return at the top level of the body, unless one deeper inside comes after it."""
    returns = collect(function.body, ReturnStmt)
    return returns[-1] if returns and returns[-1] in statements(function.body) else None


def _reordered(function: Function, permutation: Permutation) -> Function:
    last = _last_return(function)
    assert last is not None  # or nothing would be permuted
    order = sorted(range(len(permutation)), key=lambda old: permutation[old])
    function = _ReturnReplacer(last, tuple(last.value[old] for old in order)).visit(function)
    types = function.return_types
    if len(types) != len(order):
        return function
    return rebuilt(function, {"return_types": tuple(types[old] for old in order)})


# -- the property ------------------------------------------------------------------------------------------------------


def verify_return_params_explicit(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every returned tensor that can be traced to a parameter of its type is that parameter's Var."""
    known: dict[str, ReturnedParams | None] = {}
    functions = {f.name: f for f in program.functions.values()}

    def returns_of(name: str) -> ReturnedParams | None:
        if name not in known:
            known[name] = None  # a call cycle cannot be traced
            callee = functions.get(name)
            if callee is not None:
                known[name] = traced_returns(callee, ReturnLineage(callee, context.ops, returns_of))
        return known[name]

    for function in functions.values():
        if function.func_type in NAMED and "external_source" not in function.attrs:
            yield from _unnamed(function, ReturnLineage(function, context.ops, returns_of))


def _unnamed(function: Function, lineage: ReturnLineage) -> Iterable[Diagnostic]:
    if not lineage.returns:
        if any(isinstance(kind, TensorType) for kind in function.return_types):
            text = f"function '{function.name}' declares tensor results but has no ReturnStmt"
            yield Diagnostic("error", "ReturnParamsExplicit", text, function.span)
        return
    last = lineage.returns[-1]
    for index, value in enumerate(last.value):
        wanted = _parameter(function, value, lineage)
        if wanted is not value and isinstance(wanted, Var):
            text = (
                f"function '{function.name}' returns an alias of parameter '{wanted.name_hint}' at position {index} "
                "instead of the parameter itself"
            )
            yield Diagnostic("error", "ReturnParamsExplicit", text, last.span)
