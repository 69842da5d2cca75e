# SPDX-License-Identifier: Apache-2.0
"""UnrollLoops: a loop written with pl.unroll becomes its iterations in a row, with constants for the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.bounds import Bounds
from pypto_build.errors import UserError
from pypto_build.ir import ConstInt, DataType, Expr, ForKind, ForStmt, Function, Rewriter, ScalarType, Stmt, statements
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext

MOST_ITERATIONS = 1024


@dataclass(frozen=True, slots=True)
class UnrollLoops(FunctionPass):
    """Repeat the bodies of unrolled loops once per iteration."""

    name: ClassVar[str] = "UnrollLoops"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.UnrollResolved})
    after: ClassVar[tuple[str, ...]] = ("InlineFunctions",)
    before: ClassVar[tuple[str, ...]] = ("CtrlFlowTransform", "ConvertToSSA")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function without unrolled loops; the same object when it has none."""
        del callees, context
        return _Unroller().visit(function)


class _Unroller(Rewriter):
    """Visits each copy of a body again, because an inner loop may count up to the index of an outer one."""

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | tuple[Stmt, ...]:
        if stmt.kind is not ForKind.Unroll:
            return self.visit_node(stmt)
        if stmt.iter_args:
            raise UserError("UNROLL001", "pl.unroll carries no values from iteration to iteration", stmt.span)
        result: list[Stmt] = []
        for value in iterations(stmt):
            constant = ConstInt(value, _index_type(stmt), stmt.span)
            copy = Rewriter({stmt.loop_var: constant}).visit_body(stmt.body)
            result.extend(statements(self.visit_body(copy)))
        return tuple(result)


def iterations(stmt: ForStmt) -> range:
    """The values of the index; UserError when they are not known or too many."""
    bounds = Bounds()
    values = range(*[_constant(part, name, bounds=bounds) for part, name in _parts(stmt)])
    if len(values) > MOST_ITERATIONS:
        text = f"pl.unroll of {len(values)} iterations exceeds maximum allowed ({MOST_ITERATIONS})"
        raise UserError("UNROLL004", text, stmt.span, help="use pl.range, or unroll an inner loop")
    return values


def _parts(stmt: ForStmt) -> tuple[tuple[Expr, str], ...]:
    return (stmt.start, "start"), (stmt.stop, "stop"), (stmt.step, "step")


def _constant(part: Expr, name: str, *, bounds: Bounds) -> int:
    form = bounds.atoms.form(part)
    if form.terms:
        text = f"pl.unroll needs a constant {name}, but got {part}"
        raise UserError("UNROLL002", text, part.span, help="use pl.range for bounds that are known only at run time")
    if name == "step" and form.constant == 0:
        raise UserError("UNROLL003", "pl.unroll needs a step that is not zero", part.span)
    return form.constant


def _index_type(stmt: ForStmt) -> DataType:
    kind = stmt.loop_var.type
    return kind.dtype if isinstance(kind, ScalarType) else DataType.INDEX
