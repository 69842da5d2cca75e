# SPDX-License-Identifier: Apache-2.0
"""DeriveCallDirections: every call of a function says for each argument what the launched task does with it.

A parameter's direction is the callee's contract; an argument's is what the runtime is told. An output that must come
after an earlier write becomes InOut: inside a sequential loop (R-seq), behind another writer of the same buffer in the
scope (R-prior), and when the buffer is an InOut parameter of the enclosing function (R-enclosing).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.buffer_roots import BufferRoots
from pypto_build.analysis.statement_walk import branches
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    ArgDirection,
    ArrayType,
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    FrozenMap,
    Function,
    FunctionType,
    GlobalVar,
    IfStmt,
    ParamDirection,
    Program,
    Rewriter,
    ScopeStmt,
    SeqStmts,
    ShapedType,
    Stmt,
    Submit,
    Var,
    WhileStmt,
    collect,
    rebuilt,
)
from pypto_build.passes import Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.returned_summaries import returned_by, returned_summary

P = IRProperty
DIRECTIONS = "arg_directions"
OVERRIDES = "arg_direction_overrides"
WRAPPERS = (FunctionType.Group, FunctionType.Spmd)
_RANK = {ParamDirection.In: 0, ParamDirection.Out: 1, ParamDirection.InOut: 2}
Directions = dict[str, tuple[ParamDirection, ...]]


@dataclass(frozen=True, slots=True)
class DeriveCallDirections(FunctionPass):
    """Write the direction of every argument at every call of a function."""

    name: ClassVar[str] = "DeriveCallDirections"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SplitIncoreOrch})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.CallDirectionsResolved})

    def run(self, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
        """The function with directions; its summary is which parameter each result hands back."""
        directions = {name: callee.after.param_directions for name, callee in callees.items()}
        function = with_wrapper_directions(function, directions)
        returned = returned_by(callees)
        summary = returned_summary(function, context, returned)
        if any(_needs(call, directions) for call in _calls(function)):
            roots = BufferRoots(function, context.ops, directions=directions, returned=returned)
            function = _Directions(function, directions, roots).visit(function)
        return FunctionResult((function,), summary)


def _calls(function: Function) -> list[Call | Submit]:
    return collect(function.body, Call, Submit)


def _needs(call: Call | Submit, directions: Directions) -> bool:
    return isinstance(call.op, GlobalVar) and call.op.name in directions and not call.attrs.get(DIRECTIONS)


def with_wrapper_directions(function: Function, directions: Directions) -> Function:
    """A Group or Spmd function whose parameters have at least the directions of the calls that they go to."""
    if function.func_type not in WRAPPERS:
        return function
    merged = dict(zip(function.params, function.param_directions, strict=True))
    for call in _calls(function):
        if not isinstance(call.op, GlobalVar):
            continue
        for arg, direction in zip(call.args, directions.get(call.op.name, ()), strict=False):
            if isinstance(arg, Var) and arg in merged and _RANK[direction] > _RANK[merged[arg]]:
                merged[arg] = direction
    new = tuple(merged[param] for param in function.params)
    return function if new == function.param_directions else rebuilt(function, {"param_directions": new})


class _Directions(Rewriter):
    """Walks a body in order, with the buffers that earlier siblings have written."""

    REWRITES_TYPES = False

    def __init__(self, function: Function, directions: Directions, roots: BufferRoots) -> None:
        super().__init__()
        self.directions = directions
        self.roots = roots
        self.enclosing = dict(zip(function.params, function.param_directions, strict=True))
        self.sequential = 0
        self.written: set[Var] = set()
        self._footprints: dict[Stmt, frozenset[Var]] = {}

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        return self._unit(stmt, sequential=stmt.kind is not ForKind.Parallel)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        return self._unit(stmt, sequential=True)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        before = set(self.written)
        then_body = self.visit_body(stmt.then_body)
        self.written = set(before)
        changes: dict[str, object] = {} if then_body is stmt.then_body else {"then_body": then_body}
        if stmt.else_body is not None:
            else_body = self.visit_body(stmt.else_body)
            if else_body is not stmt.else_body:
                changes["else_body"] = else_body
        self.written = before | self._footprint(stmt)
        return rebuilt(stmt, changes) if changes else stmt

    def _unit(self, stmt: ForStmt | WhileStmt, *, sequential: bool) -> Stmt:
        """A loop sees what was written before it, and counts as one writer afterwards."""
        before = set(self.written)
        self.sequential += sequential
        new = self.visit_node(stmt)
        self.sequential -= sequential
        self.written = before | self._footprint(stmt)
        return new

    def visit_call(self, call: Call) -> Expr:
        return self._call(call)

    def visit_submit(self, submit: Submit) -> Expr:
        return self._call(submit)

    def _call(self, call: Call | Submit) -> Expr:
        if not isinstance(call.op, GlobalVar):
            return self.visit_node(call)
        if not _needs(call, self.directions):
            self.written |= self._written_by(call)
            return call
        callee = self.directions[call.op.name]
        overrides = cast("tuple[int, ...]", call.attrs.get(OVERRIDES, ()))
        chosen = tuple(
            ArgDirection.NoDep if index in overrides else self._direction(arg, direction)
            for index, (arg, direction) in enumerate(zip(call.args, callee, strict=False))
        )
        self.written |= self._written_by(call)
        return rebuilt(call, {"attrs": FrozenMap({**call.attrs, DIRECTIONS: chosen})}) if chosen else call

    def _direction(self, arg: Expr, direction: ParamDirection) -> ArgDirection:
        if not isinstance(arg.type, ShapedType) or isinstance(arg.type, ArrayType):
            return ArgDirection.Scalar
        if direction is ParamDirection.In:
            return ArgDirection.Input
        root = self.roots.root(arg)
        promoted = (
            direction is ParamDirection.InOut
            or self.sequential > 0
            or root in self.written
            or root in self.roots.ambiguous
            or (root is not None and self.enclosing.get(root) is ParamDirection.InOut)
        )
        return ArgDirection.InOut if promoted else ArgDirection.OutputExisting

    def _written_by(self, call: Call | Submit) -> frozenset[Var]:
        """The buffers that a call writes."""
        found: set[Var] = set()
        for arg, direction in zip(call.args, self.directions.get(call.op.name, ()), strict=False):
            root = self.roots.root(arg)
            if direction is not ParamDirection.In and root is not None:
                found.add(root)
        return frozenset(found)

    def _footprint(self, stmt: Stmt) -> frozenset[Var]:
        known = self._footprints.get(stmt)
        if known is None:
            known = self._footprints[stmt] = self._writes_below(stmt)
        return known

    def _writes_below(self, stmt: Stmt) -> frozenset[Var]:
        match stmt:
            case SeqStmts():
                return frozenset(var for inner in stmt.stmts for var in self._footprint(inner))
            case IfStmt():
                return frozenset(var for branch in branches(stmt) for var in self._footprint(branch))
            case ForStmt() | WhileStmt() | ScopeStmt():
                return self._footprint(stmt.body)
            case AssignStmt():
                return self._of_value(stmt.value)
            case EvalStmt():
                return self._of_value(stmt.expr)
            case _:
                return frozenset()

    def _of_value(self, value: Expr) -> frozenset[Var]:
        if isinstance(value, Call | Submit) and isinstance(value.op, GlobalVar):
            return self._written_by(value)
        return frozenset()


# -- the property ------------------------------------------------------------------------------------------------------

_ALLOWED = {
    ParamDirection.In: (ArgDirection.Input, ArgDirection.NoDep),
    ParamDirection.Out: (ArgDirection.Output, ArgDirection.OutputExisting, ArgDirection.InOut, ArgDirection.NoDep),
    ParamDirection.InOut: (ArgDirection.InOut, ArgDirection.OutputExisting, ArgDirection.NoDep),
}


def verify_call_directions(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every call has a direction per argument that its callee's parameter allows, and wrappers say what they write."""
    del context
    directions = {f.name: f.param_directions for f in program.functions.values()}
    for function in program.functions.values():
        if with_wrapper_directions(function, directions) is not function:
            text = f"wrapper function '{function.name}' has stale param_directions_: a call in it writes a parameter"
            yield Diagnostic("error", "CallDirectionsResolved", text, function.span)
        for call in _calls(function):
            if isinstance(call.op, GlobalVar) and call.op.name in directions:
                yield from _problems(function, call, directions[call.op.name])


def _problems(function: Function, call: Call | Submit, callee: tuple[ParamDirection, ...]) -> Iterable[Diagnostic]:
    given = cast("tuple[ArgDirection, ...]", call.attrs.get(DIRECTIONS, ()))
    where = f"in function '{function.name}', call to '{call.op.name}'"
    if len(given) != len(call.args):
        text = f"{where}: Call attrs['arg_directions'] size ({len(given)}) != args_ size ({len(call.args)})"
        yield Diagnostic("error", "CallDirectionsResolved", text, call.span)
        return
    for index, (arg, direction, param) in enumerate(zip(call.args, given, callee, strict=False)):
        is_tensor = isinstance(arg.type, ShapedType) and not isinstance(arg.type, ArrayType)
        text = ""
        if is_tensor and direction is ArgDirection.Scalar:
            text = f"{where}: tensor argument at index {index} has ArgDirection::Scalar"
        elif not is_tensor and direction is not ArgDirection.Scalar:
            text = f"{where}: argument at index {index} is no tensor but has ArgDirection::{direction.name}"
        elif is_tensor and direction not in _ALLOWED[param]:
            text = (
                f"{where}: argument at index {index} has ArgDirection::{direction.name} "
                f"but callee param direction is {param.name}"
            )
        if text:
            yield Diagnostic("error", "CallDirectionsResolved", text, call.span)
