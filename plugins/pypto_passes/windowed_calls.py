# SPDX-License-Identifier: Apache-2.0
"""Passing kernels the windows that they touch, so that the runtime sees which calls depend on each other.

A call gets slices instead of whole tensors, and its results are assembled back into those.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.returned_params import ReturnedParams
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    MakeTuple,
    Program,
    Rewriter,
    Stmt,
    Submit,
    TupleGetItemExpr,
    TupleType,
    Type,
    Var,
    Visitor,
    dims,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_passes.call_results import callees_by_function
from pypto_passes.kernel_windows import kernel_windows
from pypto_passes.window_sites import Site, WindowSites
from pypto_passes.windowed_kernels import SUFFIX, window_type, windowed_kernel

_CALLERS = (FunctionType.Orchestration, FunctionType.Opaque)


def with_windowed_calls(program: Program, ops: OpRegistry) -> Program:
    """The program with windows for the kernels that ask for them; the same if no call can pass any."""
    windows = {f.name: found for f in program.functions.values() if (found := kernel_windows(f, ops)) is not None}
    if not windows:
        return program
    callees = callees_by_function(program, ops)
    functions: list[Function] = []
    used: dict[str, ReturnedParams] = {}
    for function in program.functions.values():
        chosen: Mapping[Call | Submit, Site] = {}
        if function.func_type in _CALLERS:
            chosen = WindowSites(function, callees[function.name], windows, ops).chosen
        used.update({call.op.name: site.returned for call, site in chosen.items()})
        functions.append(_Windowed(chosen, ops).rewritten(function) if chosen else function)
    copies = [
        windowed_kernel(program.functions[GlobalVar(name)], windows[name], returned, ops)
        for name, returned in used.items()
    ]
    return program.with_functions([*functions, *copies]) if copies else program


class _WholeTuples(Visitor):
    """The Vars that are used as a whole, not element by element."""

    def __init__(self, function: Function) -> None:
        self.found: set[Var] = set()
        self.visit(function.body)

    def visit_var(self, var: Var) -> None:
        self.found.add(var)

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> None:
        if not isinstance(expr.tuple, Var):
            self.visit(expr.tuple)


class _Windowed(Rewriter):
    def __init__(self, sites: Mapping[Call | Submit, Site], ops: OpRegistry) -> None:
        super().__init__()
        self._sites = sites
        self._ops = ops
        self._elements: dict[Var, list[Var]] = {}  # of results that are tuples
        self._whole: set[Var] = set()

    def rewritten(self, function: Function) -> Function:
        """The function with windows at its chosen calls."""
        self._whole = _WholeTuples(function).found
        return rebuilt(function, {"body": self.visit_body(function.body)})

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> Expr:
        elements = self._elements.get(expr.tuple) if isinstance(expr.tuple, Var) else None
        return elements[expr.index] if elements is not None else self.visit_node(expr)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        site = self._sites.get(stmt.value) if isinstance(stmt.value, Call | Submit) else None
        if site is None or not isinstance(stmt.value, Call | Submit):
            return self.visit_node(stmt)
        made: list[Stmt] = []
        parents = {index: self.visit(stmt.value.args[index]) for index in site.windows.boxes}
        call = self._windowed(stmt.value, site, parents=parents, made=made)
        if not site.windows.outputs:
            return (*made, rebuilt(stmt, {"value": call}))
        if isinstance(call.type, TupleType):
            self._unpacked(stmt, call, site, parents=parents, made=made)
        else:
            var = _bound(made, f"{stmt.var.name_hint}{SUFFIX}", call)
            value = self._assembled(parents, site, site.returned[0], source=var)
            made.append(rebuilt(stmt, {"value": value}))
        return tuple(made)

    def _windowed(self, call: Call | Submit, site: Site, *, parents: Mapping[int, Expr], made: list[Stmt]) -> Expr:
        """The call of the copy, with slices in front of it: those of inputs first."""
        args = [self.visit(arg) for arg in call.args]
        outputs = site.windows.outputs
        for index in sorted(site.windows.boxes, key=lambda index: (index in outputs, index)):
            shape = MakeTuple(dims(site.windows.boxes[index].shape))
            window = self._ops.create_call("tensor.slice", (parents[index], shape, self.visit(site.offsets[index])))
            hint = call.args[index].name_hint  # type: ignore[attr-defined]  # a Var by the choice of the site
            args[index] = _bound(made, f"{hint}__window", rebuilt(window, {"span": call.span}))
        op = GlobalVar(call.op.name + SUFFIX)
        return rebuilt(call, {"op": op, "args": tuple(args), "type": _result_type(call, site)})

    def _unpacked(
        self, stmt: AssignStmt, call: Expr, site: Site, *, parents: Mapping[int, Expr], made: list[Stmt]
    ) -> None:
        """The results of a call one by one, windows assembled; as a tuple again where it is used as a whole."""
        whole, name = _bound(made, f"{stmt.var.name_hint}{SUFFIX}", call), stmt.var.name_hint
        elements: list[Var] = []
        count = len(call.type.types)  # type: ignore[attr-defined]  # a TupleType
        for position in range(count):
            element = _bound(made, f"{name}{SUFFIX}_{position}", TupleGetItemExpr(whole, position, stmt.span))
            index = site.returned[position] if position < len(site.returned) else -1
            if index in site.windows.outputs:
                value = self._assembled(parents, site, index, source=element)
                element = _bound(made, f"{name}__assembled_{position}", value)
            elements.append(element)
        self._elements[stmt.var] = elements
        if stmt.var in self._whole:
            made.append(rebuilt(stmt, {"value": MakeTuple(tuple(elements), stmt.span)}))

    def _assembled(self, parents: Mapping[int, Expr], site: Site, index: int, *, source: Var) -> Call:
        args = (parents[index], source, self.visit(site.offsets[index]))
        return self._ops.create_call("tensor.assemble", args, {}, source.span)


def _bound(made: list[Stmt], name: str, value: Expr) -> Var:
    var = Var(name, value.type, value.span)
    made.append(AssignStmt(var, value, value.span))
    return var


def _result_type(call: Call | Submit, site: Site) -> Type:
    """The type of the results of the copy; a launch has its task behind them."""
    single = not isinstance(call.type, TupleType)
    given = call.type.types if isinstance(call.type, TupleType) else (call.type,)
    boxes = site.windows.boxes
    positions = (*site.returned, *(-1 for _ in range(len(given) - len(site.returned))))
    types = tuple(
        window_type(call.args[index].type, boxes[index]) if index in boxes else kind
        for index, kind in zip(positions, given, strict=True)
    )
    return types[0] if single else TupleType(types)
