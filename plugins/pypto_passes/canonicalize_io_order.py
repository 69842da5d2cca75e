# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeIOOrder: inside a pipeline, scalars first, then loads, then per stage its computation and its stores.

Loads that stand together let the load engine run ahead of the computation; a store right after its stage's computation
frees the buffer before the next stage. The order is a stable topological sort, so no data flow changes. On the way out
the loop becomes an ordinary one. Requirements CIO-1 to CIO-55.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.pipeline_membership import (
    DOUBLE_BUFFER_C,
    LOOP_ATTRS,
    OVERLAP_STORES,
    Membership,
    is_accumulation,
    membership,
    with_membership,
)
from pypto_build.analysis.statement_dependencies import DependencyGraph, dependency_graph, discipline_violations
from pypto_build.errors import Diagnostic, InternalError
from pypto_build.ir import (
    AssignStmt,
    BreakStmt,
    Call,
    ContinueStmt,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    FrozenMap,
    Function,
    MemorySpace,
    ParamDirection,
    Program,
    ReturnStmt,
    Rewriter,
    ScalarType,
    SeqStmts,
    Stmt,
    TileType,
    Var,
    YieldStmt,
    collect,
    rebuilt,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.lower_pipeline_loops import KEPT

P = IRProperty
SCALAR, LOAD, COMPUTE, STORE = range(4)
_LOADS = ("tile.load", "tile.read")
_STORES = ("tile.store", "tile.write")
_TERMINATORS = (YieldStmt, ReturnStmt, BreakStmt, ContinueStmt)


@dataclass(frozen=True, slots=True)
class CanonicalizeIOOrder(FunctionPass):
    """Order the bodies of pipeline loops and make the loops ordinary ones."""

    name: ClassVar[str] = "CanonicalizeIOOrder"
    requires: ClassVar[frozenset[IRProperty]] = KEPT
    produces: ClassVar[frozenset[IRProperty]] = KEPT | {P.PipelineResolved}
    after: ClassVar[tuple[str, ...]] = ("LowerPipelineLoops",)
    before: ClassVar[tuple[str, ...]] = ("InitMemRef",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with ordered pipelines.

        The same object when it has none, or when it reads a variable after a call that may have written it: then
        definitions and uses do not tell the whole order, and the function is left alone (CIO-30, CIO-31).
        """
        del context
        if not any(loop.kind is ForKind.Pipeline for loop in collect(function, ForStmt)):
            return function

        def directions(name: str) -> tuple[ParamDirection, ...] | None:
            return callees[name].before.param_directions if name in callees else None

        if discipline_violations(function.body, directions):
            return function
        return _Orderer(_defining_calls(function)).visit(function)


def _defining_calls(function: Function) -> Mapping[Var, Call]:
    return {s.var: s.value for s in collect(function, AssignStmt) if isinstance(s.value, Call)}


class _Orderer(Rewriter):
    """Orders every sequence below a pipeline loop, inner ones first."""

    REWRITES_TYPES = False

    def __init__(self, calls: Mapping[Var, Call]) -> None:
        super().__init__()
        self.calls = calls
        self.pipelines: list[ForStmt] = []

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        if stmt.kind is not ForKind.Pipeline:
            return self.visit_node(stmt)
        self.pipelines.append(stmt)
        inner: ForStmt = self.visit_node(stmt)
        self.pipelines.pop()
        attrs = FrozenMap({k: v for k, v in inner.attrs.items() if k not in LOOP_ATTRS})
        body = _Turns().visit_body(inner.body) if inner.attrs.get(DOUBLE_BUFFER_C) else inner.body
        return rebuilt(inner, {"kind": ForKind.Sequential, "attrs": attrs, "body": body})

    def visit_seq_stmts(self, seq: SeqStmts) -> Stmt:
        new = super().visit_seq_stmts(seq)
        if not self.pipelines or not isinstance(new, SeqStmts) or len(new.stmts) < 2:
            return new
        ordered = self._ordered(new)
        return new if ordered is new.stmts else SeqStmts(ordered, new.span, new.leading_comments)

    def _ordered(self, seq: SeqStmts) -> tuple[Stmt, ...]:
        stmts, tail = seq.stmts, ()
        if isinstance(stmts[-1], _TERMINATORS):
            stmts, tail = stmts[:-1], stmts[-1:]
        kinds = [category(stmt) for stmt in stmts]
        graph = dependency_graph(SeqStmts(stmts))
        keys = [self._key(stmt, kind, index) for index, (stmt, kind) in enumerate(zip(stmts, kinds, strict=True))]
        order = topological_order(graph, keys)
        if order == list(range(len(stmts))):
            return seq.stmts
        return tuple(stmts[index] for index in order) + tail

    def _key(self, stmt: Stmt, kind: int, index: int) -> tuple[object, ...]:
        if kind in (SCALAR, LOAD):
            return (kind, (), 0, index)
        attrs = self.pipelines[-1].attrs
        sub = 1 if kind == STORE and attrs.get(OVERLAP_STORES) is not False else 0
        stage = self._stage(stmt, kind)
        if attrs.get(DOUBLE_BUFFER_C):
            pair = tuple((group, number // 2) for group, number in stage)
            return (2, pair, 1 if _drains(stmt) else 0, stage, index)
        return (2, stage, sub, index)

    def _stage(self, stmt: Stmt, kind: int) -> Membership:
        """The stage of a statement; a store's is that of the tile that it consumes (CIO-18)."""
        call = call_of(stmt)
        if call is None:
            return ()
        if kind == STORE:
            for arg in call.args:
                producer = self.calls.get(arg) if isinstance(arg, Var) else None
                found = membership(producer.attrs) if producer is not None else ()
                if found and isinstance(arg.type, TileType):
                    return _outermost_first(found)
        return _outermost_first(membership(call.attrs)) if isinstance(stmt, AssignStmt) else ()


class _Turns(Rewriter):
    """Accumulators of all stages take turns on two slots, once the order is made of the stages (CIO-48)."""

    REWRITES_TYPES = False

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        call = stmt.value
        if not isinstance(call, Call) or not is_accumulation(call):
            return stmt
        pairs = membership(call.attrs)
        turned = tuple((group, stage % 2) for group, stage in pairs)
        return stmt if turned == pairs else rebuilt(stmt, {"value": with_membership(call, turned)})


def _outermost_first(pairs: Membership) -> Membership:
    return tuple(reversed(pairs))


def topological_order(graph: DependencyGraph, keys: list[tuple[object, ...]]) -> list[int]:
    """The positions so that predecessors come first and, among those ready, the smallest key.

    Raises:
        InternalError: the graph has a cycle.
    """
    waiting = [len(before) for before in graph.predecessors]
    successors = graph.successors()
    ready = [(keys[i], i) for i, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, position = heapq.heappop(ready)
        order.append(position)
        for later in successors[position]:
            waiting[later] -= 1
            if waiting[later] == 0:
                heapq.heappush(ready, (keys[later], later))
    if len(order) != len(waiting):
        raise InternalError("the statements of a region depend on each other in a circle")
    return order


def call_of(stmt: Stmt) -> Call | None:
    """The call that a statement is, as an assignment or for its effect."""
    value: Expr | None = None
    if isinstance(stmt, AssignStmt):
        value = stmt.value
    elif isinstance(stmt, EvalStmt):
        value = stmt.expr
    return value if isinstance(value, Call) else None


def category(stmt: Stmt) -> int:
    """SCALAR, LOAD, COMPUTE or STORE. Source: CIO-9 to CIO-15."""
    call = call_of(stmt)
    if call is not None:
        if call.op.name in _STORES:
            return STORE
        if isinstance(stmt, AssignStmt) and (call.op.name in _LOADS or _is_l1_to_l0(call)):
            return LOAD
    if isinstance(stmt, AssignStmt) and isinstance(stmt.var.type, ScalarType):
        return SCALAR
    return COMPUTE


def _is_l1_to_l0(call: Call) -> bool:
    if call.op.name != "tile.extract" or not isinstance(call.type, TileType):
        return False
    source = call.args[0].type
    from_mat = isinstance(source, TileType) and source.memory_space is MemorySpace.Mat
    return from_mat and call.type.memory_space in (MemorySpace.Left, MemorySpace.Right)


def _drains(stmt: Stmt) -> bool:
    call = call_of(stmt)
    return call is not None and (call.op.name in _STORES or call.op.name == "tile.assemble")


def verify_pipeline_resolved(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No pipeline loop is left."""
    del context
    for function in program.functions.values():
        for loop in collect(function, ForStmt):
            if loop.kind is ForKind.Pipeline:
                text = f"a pipeline loop over '{loop.loop_var.name_hint}' is left in function '{function.name}'"
                yield Diagnostic("error", "PipelineResolved", text, loop.span)
