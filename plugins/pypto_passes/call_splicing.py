# SPDX-License-Identifier: Apache-2.0
"""Functions of one kind go, and copies of their bodies stand where they were called."""

from __future__ import annotations

from collections.abc import Mapping

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
from pypto_build.ops import OpRegistry
from pypto_passes.inlined_body import InlineTemplate


def spliced(program: Program, kind: FunctionType, splicer: type[CallSplicer], ops: OpRegistry) -> Program:
    """The program without functions of a kind; the same object when it has none.

    Raises:
        UserError: such functions call each other around, return before their end, or are launched as tasks.
    """
    gone = {function.name: function for function in program.functions.values() if function.func_type is kind}
    if not gone:
        return program
    templates: dict[str, InlineTemplate] = {}

    def expanded(function: Function) -> Function:
        calls = any(name in templates for name in called_names(function))
        return splicer(function, templates).visit(function) if calls else function

    for name in _callees_first(gone):
        templates[name] = InlineTemplate(expanded(gone[name]), ops)
    return program.with_functions([expanded(f) for f in program.functions.values() if f.name not in gone])


def _callees_first(functions: Mapping[str, Function]) -> list[str]:
    """The functions so that each comes after those that it calls; UserError when they call each other around."""
    order: list[str] = []
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            cycle = " -> ".join((*path[path.index(name) :], name))
            text = f"Cycle detected among {functions[name].func_type.name} functions: {cycle}"
            raise UserError("INLINE001", text, functions[name].span, help="such a function cannot contain itself")
        if name in done:
            return
        for callee in called_names(functions[name]):
            if callee in functions:
                visit(callee, (*path, name))
        done.add(name)
        order.append(name)

    for name in functions:
        visit(name, ())
    return order


class CallSplicer(Rewriter):
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
            return (*body, *self.bound(stmt, values[0]))
        if stmt.var in self.whole:
            return (*body, self._assign(stmt, MakeTuple(values, stmt.span)))
        self.elements[stmt.var] = tuple(self._kept(value, body) for value in values)
        return tuple(body)

    def bound(self, stmt: AssignStmt, value: Expr) -> tuple[Stmt, ...]:
        """The statements after which the variable of a call is the result of the body."""
        return () if value is stmt.var else (self._assign(stmt, value),)

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
            text = f"{self.templates[submit.op.name].kind} '{submit.op.name}' cannot be launched as a task"
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
        """The statement with another value."""
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
