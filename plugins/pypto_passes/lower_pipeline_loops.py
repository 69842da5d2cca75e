# SPDX-License-Identifier: Apache-2.0
"""LowerPipelineLoops: the body of a pipeline loop is repeated once per stage, so that stages can overlap.

Each copy has variables of its own, and its tiles say which stage they belong to, so that MemoryReuse keeps the buffers
of stages apart. The loop keeps its kind with one stage: CanonicalizeIOOrder orders its body and makes it an ordinary
loop. What the trip count leaves over follows as bare copies, or as a cascade of branches when it is known only at run
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.analysis.pipeline_membership import (
    DOUBLE_BUFFER_C,
    STAGES,
)
from pypto_build.errors import UserError
from pypto_build.ir import (
    Add,
    AssignStmt,
    DataType,
    Eq,
    Expr,
    FloorDiv,
    ForStmt,
    FrozenMap,
    Function,
    IfStmt,
    Mul,
    Rewriter,
    SeqStmts,
    Stmt,
    Sub,
    Var,
    YieldStmt,
    as_int,
    const_index,
    rebuilt,
    sequence,
    statements,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.pipeline_copies import Part, demoted, first_free_group, fresh_results, moved, split_yield, stage_count

P = IRProperty
KEPT = frozenset(
    {
        P.SSAForm,
        P.NormalizedStmtStructure,
        P.SplitIncoreOrch,
        P.IncoreTileOps,
        P.TileOps2D,
        P.TileMemoryInferred,
    }
)
"""What the passes between loop lowering and memory planning need and keep."""


@dataclass(frozen=True, slots=True)
class LowerPipelineLoops(FunctionPass):
    """Repeat the bodies of pipeline loops once per stage."""

    name: ClassVar[str] = "LowerPipelineLoops"
    requires: ClassVar[frozenset[IRProperty]] = KEPT
    produces: ClassVar[frozenset[IRProperty]] = KEPT
    after: ClassVar[tuple[str, ...]] = ("NormalizeReturnOrder", "SkewCrossCorePipeline", "LowerPipelineToSlots")
    before: ClassVar[tuple[str, ...]] = ("CanonicalizeIOOrder", "InitMemRef")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with lowered pipelines; the same object when it has none with more than one stage."""
        del callees, context
        return _Lowering(first_free_group(function)).visit(function)


@dataclass(frozen=True, slots=True)
class _Loop:
    """A pipeline loop whose body is lowered already."""

    stmt: ForStmt
    stages: int
    step: int
    part: Part = field(init=False)

    def __post_init__(self) -> None:
        body, yielded = split_yield(self.stmt.body)
        object.__setattr__(self, "part", Part(self.stmt, statements(body), yielded))


class _Lowering(Rewriter):
    REWRITES_TYPES = True

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | tuple[Stmt, ...]:
        inner: ForStmt = self.visit_node(stmt)
        stages = stage_count(inner)
        if stages is None:
            return inner
        step = as_int(inner.step)
        if step is None or step == 0:
            raise UserError("PIPE001", "pl.pipeline needs a constant step that is not zero", inner.span)
        loop = _Loop(inner, stages, step)
        start, trips = as_int(inner.start), constant_trip_count(inner)
        if start is not None and trips is not None:
            return self._static(loop, start, trips)
        if step < 0:
            raise UserError(
                "PIPE002",
                "pl.pipeline with bounds known only at run time needs a positive step",
                inner.span,
                help="count upwards, or give constant bounds",
            )
        return self._dynamic(loop)

    # -- constant bounds -------------------------------------------------------------------------------------------

    def _static(self, loop: _Loop, start: int, trips: int) -> Stmt | tuple[Stmt, ...]:
        if trips == 0:
            return demoted(loop.stmt)
        main, rest = divmod(trips, loop.stages)
        end = start + main * loop.stages * loop.step
        stmt = loop.stmt
        result: list[Stmt] = []
        values: Sequence[Expr] = [arg.init_value for arg in stmt.iter_args]
        if main:
            returns = stmt.return_vars if not rest else fresh_results(stmt.return_vars, "main")
            result.append(self._main_loop(loop, const_index(end, stmt.span), returns))
            values = returns
        if rest:
            offsets = [const_index(end + k * loop.step, stmt.span) for k in range(rest)]
            tail, values = self._copies(loop, offsets, values)
            result.extend(tail)
            result += [AssignStmt(v, e, stmt.span) for v, e in zip(stmt.return_vars, values, strict=True)]
        return tuple(result)

    # -- bounds known at run time ----------------------------------------------------------------------------------

    def _dynamic(self, loop: _Loop) -> tuple[Stmt, ...]:
        stmt = loop.stmt
        trips = _trip_count(loop)
        main = FloorDiv(trips, const_index(loop.stages), DataType.INDEX, stmt.span)
        stride = Mul(main, const_index(loop.stages * loop.step), DataType.INDEX, stmt.span)
        end = _index_var("unroll_main_end", stmt)
        end_value = Add(stmt.start, stride, DataType.INDEX, stmt.span)
        rest = _index_var("unroll_rem", stmt)
        returns = fresh_results(stmt.return_vars, "main")
        return (
            AssignStmt(end, end_value, stmt.span),
            self._main_loop(loop, end, returns),
            AssignStmt(rest, self._rest(loop, trips, main, end), stmt.span),
            self._cascade(loop, rest, end, returns),
        )

    def _rest(self, loop: _Loop, trips: Expr, main: Expr, end: Var) -> Expr:
        if loop.step == 1:
            return Sub(loop.stmt.stop, end, DataType.INDEX, loop.stmt.span)
        done = Mul(main, const_index(loop.stages), DataType.INDEX, loop.stmt.span)
        return Sub(trips, done, DataType.INDEX, loop.stmt.span)

    def _cascade(self, loop: _Loop, rest: Var, end: Var, values: Sequence[Expr]) -> Stmt:
        """`if rest == 1: one copy, else: if rest == 2: two copies, ...`; nothing left over yields what came in."""
        span = loop.stmt.span
        otherwise: Stmt | None = YieldStmt(tuple(values), span) if values else None
        for count in range(loop.stages - 1, 0, -1):
            offsets = [moved(end, k * loop.step) for k in range(count)]
            copies, yielded = self._copies(loop, offsets, values)
            then = [*copies, YieldStmt(tuple(yielded), span)] if values else copies
            returns = loop.stmt.return_vars if count == 1 else fresh_results(loop.stmt.return_vars, f"rem{count}")
            condition = Eq(rest, const_index(count), DataType.BOOL, span)
            branch = IfStmt(condition, sequence(then, span), otherwise, returns, span)
            otherwise = sequence([branch, YieldStmt(returns, span)], span) if values and count > 1 else branch
        return otherwise if otherwise is not None else SeqStmts(())

    # -- copies ----------------------------------------------------------------------------------------------------

    def _main_loop(self, loop: _Loop, stop: Expr, returns: tuple[Var, ...]) -> Stmt:
        stmt = loop.stmt
        offsets = [moved(stmt.loop_var, k * loop.step) for k in range(loop.stages)]
        copies, yielded = self._copies(loop, offsets, stmt.iter_args)
        if stmt.iter_args:
            copies.append(YieldStmt(tuple(yielded), stmt.span))
        changes = {
            "stop": stop,
            "step": const_index(loop.stages * loop.step, stmt.step.span),
            "body": sequence(copies, stmt.body.span),
            "return_vars": returns,
            "attrs": FrozenMap({**stmt.attrs, STAGES: 1}),
        }
        return rebuilt(stmt, changes)

    def _copies(
        self, loop: _Loop, offsets: Sequence[Expr], values: Sequence[Expr]
    ) -> tuple[list[Stmt], Sequence[Expr]]:
        """One copy of the body per offset, each entered with what the one before yields; they form a group."""
        group, self.groups = self.groups, self.groups + 1
        return loop.part.copies(offsets, values, group, accumulators=bool(loop.stmt.attrs.get(DOUBLE_BUFFER_C)))


def _trip_count(loop: _Loop) -> Expr:
    stmt = loop.stmt
    distance: Expr = Sub(stmt.stop, stmt.start, DataType.INDEX, stmt.span)
    if loop.step == 1:
        return distance
    rounded = Add(distance, const_index(loop.step - 1), DataType.INDEX, stmt.span)
    return FloorDiv(rounded, const_index(loop.step), DataType.INDEX, stmt.span)


def _index_var(name: str, stmt: ForStmt) -> Var:
    return Var(name, const_index(0).type, stmt.span)
