# SPDX-License-Identifier: Apache-2.0
"""SplitVectorKernel: what both vector cores of a block do with a vector kernel.

A kernel that is divided between them has the body of one lane already, and is marked to run on both. A kernel that is
not divided, but whose pipe counts on both cores, does its work on the first core; the second one takes part in the
messages only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.pipe_workspace import INITIALIZE
from pypto_build.analysis.statement_walk import statement_value
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    Function,
    FunctionType,
    IfStmt,
    Rewriter,
    SplitAivScopeStmt,
    Stmt,
    Var,
    binary,
    collect,
    frozen_map,
    rebuilt,
    sequence,
    statements,
)
from pypto_build.ops.build.tile.core import get_subblock_idx
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.idle_lanes import IdleLane
from pypto_passes.vector_lanes import is_divided

P = IRProperty
DUAL = "dual_aiv_dispatch"
_LANE = "tile.get_subblock_idx"
_SETUP = frozenset({*INITIALIZE, "system.reserve_buffer", "system.import_peer_buffer"})


@dataclass(frozen=True, slots=True)
class SplitVectorKernel(FunctionPass):
    """Dispatch vector kernels to both vector cores."""

    name: ClassVar[str] = "SplitVectorKernel"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.MixedKernelExpanded})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.VectorKernelSplit})
    after: ClassVar[tuple[str, ...]] = ("ExpandMixedKernel", "InjectGMPipeBuffer")
    before: ClassVar[tuple[str, ...]] = ("NormalizeReturnOrder", "InitMemRef")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A vector kernel as both vector cores run it; other functions as they are."""
        del callees
        if function.func_type is not FunctionType.AIV:
            return function
        if is_divided(function):
            return _on_both(function) if _has_lanes(function) else _undivided(function, context)
        if not context.hardware.pipe_through_global_memory or not function.attrs.get(DUAL):
            return function
        return function if _has_lanes(function) else _replayed(function, context)


def _on_both(function: Function) -> Function:
    """A divided kernel on both cores; its regions, each of which says what one core does, need no border any more."""
    inside: Function = _RegionOpener().visit(function)
    if inside.attrs.get(DUAL) is True:
        return inside
    return rebuilt(inside, {"attrs": frozen_map({**inside.attrs, DUAL: True})})


class _RegionOpener(Rewriter):
    def visit_split_aiv_scope_stmt(self, region: SplitAivScopeStmt) -> tuple[Stmt, ...]:
        return statements(self.visit_body(region.body))


def _has_lanes(function: Function) -> bool:
    """Whether the kernel says itself what each core does, or is written elsewhere."""
    calls = collect(function.body, Call)
    lanes = any(call.op.name == _LANE or _is_part(call) for call in calls)
    return lanes or bool(function.attrs.get("split_aiv")) or not statements(function.body)


def _is_part(call: Call) -> bool:
    """Whether a call sends or takes one lane's part of a tile."""
    return call.op.name.startswith(("tile.tpush", "tile.tpop")) and bool(call.kwargs.get("split"))


def _undivided(function: Function, context: PassContext) -> Function:
    """A kernel that should have been divided and was not: the first core does all the work."""
    text = f"pl.split of kernel '{function.name}' has no effect: one vector core does all the work"
    context.sink.report(Diagnostic("warning", "VectorKernelSplit", text, function.span))
    attrs = {name: value for name, value in function.attrs.items() if name != "split"}
    if not context.hardware.pipe_through_global_memory:
        return rebuilt(function, {"attrs": frozen_map(attrs)})
    return _replayed(rebuilt(function, {"attrs": frozen_map({**attrs, DUAL: True})}), context)


def _replayed(function: Function, context: PassContext) -> Function:
    """The pipe is set up on both cores; then the first one works and the second one replays the messages."""
    stmts, span = statements(function.body), function.body.span
    rest = next((at for at, stmt in enumerate(stmts) if not _is_setup(stmt)), len(stmts))
    lane = get_subblock_idx(span=span)
    number = Var("subblock_idx", lane.type, span)
    work = sequence(stmts[rest:], span)
    idle = IdleLane(context.ops).visit_body(work)
    branch = IfStmt(binary("eq", number, 0, span), work, idle, (), span)
    return rebuilt(function, {"body": sequence([AssignStmt(number, lane, span), *stmts[:rest], branch], span)})


def _is_setup(stmt: Stmt) -> bool:
    value = statement_value(stmt)
    return isinstance(value, Call) and value.op.name in _SETUP
