# SPDX-License-Identifier: Apache-2.0
"""InlineFunctions: the body of an inline function replaces each call of it, then the function goes.

Calls are replaced where they are a whole statement: `y = f(x)`, `f(x)` and `return f(x)`. What a call gives back as a
tuple is handed to the reads of its elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.call_graph import called_names
from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    MakeTuple,
    Program,
    ReturnStmt,
    Rewriter,
    Stmt,
    Submit,
    TupleGetItemExpr,
    UsedVars,
    Var,
    collect,
    rebuilt,
)
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.inlined_body import InlineTemplate


@dataclass(frozen=True, slots=True)
class InlineFunctions(ProgramPass):
    """Put the bodies of inline functions in place of their calls."""

    name: ClassVar[str] = "InlineFunctions"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.InlineFunctionsEliminated})
    before: ClassVar[tuple[str, ...]] = ("UnrollLoops", "CtrlFlowTransform", "ConvertToSSA")

    def run(self, program: Program, context: PassContext) -> Program:
        """The program without inline functions; the same object when it has none."""
        inline = {f.name: f for f in program.functions.values() if f.func_type is FunctionType.Inline}
        if not inline:
            return program
        templates: dict[str, InlineTemplate] = {}
        for name in _callees_first(inline):
            templates[name] = InlineTemplate(_expanded(inline[name], templates), context.ops)
        kept = [f for f in program.functions.values() if f.name not in inline]
        return program.with_functions([_expanded(function, templates) for function in kept])


def _callees_first(inline: Mapping[str, Function]) -> list[str]:
    """The inline functions so that each comes after those that it calls; UserError when they call each other around."""
    order: list[str] = []
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            cycle = " -> ".join((*path[path.index(name) :], name))
            text = f"Cycle detected among Inline functions: {cycle}"
            raise UserError("INLINE001", text, inline[name].span, help="an inline function cannot contain itself")
        if name in done:
            return
        for callee in called_names(inline[name]):
            if callee in inline:
                visit(callee, (*path, name))
        done.add(name)
        order.append(name)

    for name in inline:
        visit(name, ())
    return order


def _expanded(function: Function, templates: Mapping[str, InlineTemplate]) -> Function:
    return _Splicer(function, templates).visit(function) if templates else function


class _Splicer(Rewriter):
    """Replaces the calls in one function; each copy has its own number in the names of its variables."""

    def __init__(self, function: Function, templates: Mapping[str, InlineTemplate]) -> None:
        super().__init__()
        self.templates = templates
        self.assigned = {stmt.var for stmt in collect(function.body, AssignStmt)}
        self.whole = _used_whole(function)
        self.elements: dict[Var, tuple[Expr, ...]] = {}
        self.copies = 0

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> Expr:
        known = self.elements.get(expr.tuple) if isinstance(expr.tuple, Var) else None
        return self.visit_node(expr) if known is None else known[expr.index]

    def visit_assign_stmt(self, stmt: AssignStmt) -> object:
        template = self._template(stmt.value)
        if template is None:
            return self.visit_node(stmt)
        body, values = self._copy(template, stmt.value)
        if len(values) == 1:
            return tuple(body) if values[0] is stmt.var else (*body, self._assign(stmt, values[0]))
        if stmt.var in self.whole:
            return (*body, self._assign(stmt, MakeTuple(values, stmt.span)))
        kept = [self._kept(value, body) for value in values]
        self.elements[stmt.var] = tuple(kept)
        return tuple(body)

    def visit_eval_stmt(self, stmt: EvalStmt) -> object:
        template = self._template(stmt.expr)
        return self.visit_node(stmt) if template is None else tuple(self._copy(template, stmt.expr)[0])

    def visit_return_stmt(self, stmt: ReturnStmt) -> object:
        template = self._template(stmt.value[0]) if len(stmt.value) == 1 else None
        if template is None:
            return self.visit_node(stmt)
        body, values = self._copy(template, stmt.value[0])
        return (*body, rebuilt(stmt, {"value": values}))

    def visit_submit(self, submit: Submit) -> Expr:
        if isinstance(submit.op, GlobalVar) and submit.op.name in self.templates:
            text = f"inline function '{submit.op.name}' cannot be launched as a task"
            raise UserError("INLINE002", text, submit.span, help="call it, or make it a kernel")
        return self.visit_node(submit)

    def _template(self, value: Expr) -> InlineTemplate | None:
        if not isinstance(value, Call) or not isinstance(value.op, GlobalVar):
            return None
        return self.templates.get(value.op.name)

    def _copy(self, template: InlineTemplate, call: Expr) -> tuple[list[Stmt], tuple[Expr, ...]]:
        assert isinstance(call, Call)
        number, self.copies = self.copies, self.copies + 1
        return template.copy([self.visit(arg) for arg in call.args], number, span=call.span)

    def _assign(self, stmt: AssignStmt, value: Expr) -> Stmt:
        return AssignStmt(self.visit_definition(stmt.var), value, stmt.span, stmt.leading_comments)

    def _kept(self, value: Expr, body: list[Stmt]) -> Expr:
        """A result that the caller assigns elsewhere is copied: its elements are read one after the other."""
        if not isinstance(value, Var) or value not in self.assigned:
            return value
        copy = Var(f"{value.name_hint}_inline{self.copies - 1}", value.type, value.span)
        body.append(AssignStmt(copy, value, value.span))
        return copy


def _used_whole(function: Function) -> frozenset[Var]:
    uses = _WholeUses()
    uses.visit(function.body)
    return frozenset(uses.found)


class _WholeUses(UsedVars):
    """The variables that are read otherwise than element by element."""

    def visit_tuple_get_item_expr(self, expr: TupleGetItemExpr) -> None:
        if not isinstance(expr.tuple, Var):
            self.visit(expr.tuple)
