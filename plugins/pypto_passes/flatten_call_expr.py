# SPDX-License-Identifier: Apache-2.0
"""FlattenCallExpr: a call stands alone on the right of an assignment, never inside another expression.

Nested calls move into temporaries `t__tmp_vN` directly before the statement, inside the same scope; those of a loop's
or branch's yield stay inside the body. Passes that look for operations then find each in a statement of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.names import NameCounter
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    BinaryExpr,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    FrozenMap,
    Function,
    IfStmt,
    Program,
    ReturnStmt,
    Rewriter,
    ScopeStmt,
    ShapedType,
    Stmt,
    Submit,
    UnaryExpr,
    Var,
    Visitor,
    WhileStmt,
    YieldStmt,
    collect,
    defined_vars,
    map_tuple,
    rebuilt,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext

P = IRProperty


@dataclass(frozen=True, slots=True)
class FlattenCallExpr(FunctionPass):
    """Move nested calls into temporaries of their own."""

    name: ClassVar[str] = "FlattenCallExpr"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.NormalizedStmtStructure})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.NoNestedCalls, P.NormalizedStmtStructure})

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function in three-address form; the same object when no call is nested."""
        del callees, context
        names = NameCounter()
        for var in defined_vars([function]):
            names.seen(var.name_hint)
        return _Flattener(names).visit(function)


class _Flattener(Rewriter):
    """Hoists calls out of the expressions of one function."""

    REWRITES_TYPES = False

    def __init__(self, names: NameCounter) -> None:
        super().__init__()
        self.names = names
        self.hoisted: list[Stmt] = []
        self.carried: frozenset[Var] | None = None  # inside a while condition: what changes between evaluations

    def visit_call(self, call: Call) -> Expr:
        return self._hoist(self.visit_node(call))

    def visit_submit(self, submit: Submit) -> Expr:
        return self._hoist(self._launch(submit))

    def _launch(self, submit: Submit) -> Submit:
        """The condition of a launch stays in it: it is read when the task is due, not before."""
        bare = submit if submit.predicate is None else rebuilt(submit, {"predicate": None})
        new: Submit = self.visit_node(bare)
        return submit if new is bare else rebuilt(new, {"predicate": submit.predicate})

    def visit_scope_stmt(self, stmt: ScopeStmt) -> object:
        """What the head of a region computes, such as the width of a launch, is computed before the region."""
        outer, self.hoisted = self.hoisted, []
        return self._with_hoisted(outer, self._region(stmt))

    def _region(self, stmt: ScopeStmt) -> Stmt:
        """A region that becomes a launch has its condition among its attributes."""
        predicate = stmt.attrs.get("predicate")
        if predicate is None:
            return self.visit_node(stmt)
        bare = rebuilt(stmt, {"attrs": FrozenMap({k: v for k, v in stmt.attrs.items() if k != "predicate"})})
        new: ScopeStmt = self.visit_node(bare)
        return stmt if new is bare else rebuilt(new, {"attrs": FrozenMap({**new.attrs, "predicate": predicate})})

    def _hoist(self, call: Call | Submit) -> Expr:
        if self.carried is not None and not _is_invariant(call, self.carried):
            return call
        temporary = Var(self.names.fresh("t", "tmp"), call.type, call.span)
        self.hoisted.append(AssignStmt(temporary, call, call.span))
        return temporary

    def _top(self, value: Expr) -> Expr:
        """A value that may be a call itself: only what is below it is nested."""
        if isinstance(value, Submit):
            return self._launch(value)
        return self.visit_node(value) if isinstance(value, Call) else self.visit(value)

    def _with_hoisted(self, outer: list[Stmt], stmt: Stmt) -> Stmt | tuple[Stmt, ...]:
        hoisted, self.hoisted = self.hoisted, outer
        return (*hoisted, stmt) if hoisted else stmt

    def visit_assign_stmt(self, stmt: AssignStmt) -> object:
        outer, self.hoisted = self.hoisted, []
        value = self._top(stmt.value)
        new = stmt if value is stmt.value else rebuilt(stmt, {"value": value})
        return self._with_hoisted(outer, new)

    def visit_eval_stmt(self, stmt: EvalStmt) -> object:
        outer, self.hoisted = self.hoisted, []
        expr = self._top(stmt.expr)
        new = stmt if expr is stmt.expr else rebuilt(stmt, {"expr": expr})
        return self._with_hoisted(outer, new)

    def visit_return_stmt(self, stmt: ReturnStmt) -> object:
        return self._values(stmt)

    def visit_yield_stmt(self, stmt: YieldStmt) -> object:
        return self._values(stmt)

    def _values(self, stmt: ReturnStmt | YieldStmt) -> object:
        outer, self.hoisted = self.hoisted, []
        value = map_tuple(stmt.value, self.visit)
        new = stmt if value is stmt.value else rebuilt(stmt, {"value": value})
        return self._with_hoisted(outer, new)

    def visit_if_stmt(self, stmt: IfStmt) -> object:
        outer, self.hoisted = self.hoisted, []
        condition = self.visit(stmt.condition)
        hoisted, self.hoisted = self.hoisted, []
        bodies: dict[str, object] = {"condition": condition, "then_body": self.visit_body(stmt.then_body)}
        if stmt.else_body is not None:
            bodies["else_body"] = self.visit_body(stmt.else_body)
        self.hoisted = hoisted
        return self._with_hoisted(outer, _changed(stmt, bodies))

    def visit_for_stmt(self, stmt: ForStmt) -> object:
        outer, self.hoisted = self.hoisted, []
        parts: dict[str, object] = {name: self.visit(getattr(stmt, name)) for name in ("start", "stop", "step")}
        parts["iter_args"] = map_tuple(stmt.iter_args, self.visit_definition)
        hoisted, self.hoisted = self.hoisted, []
        parts["body"] = self.visit_body(stmt.body)
        self.hoisted = hoisted
        return self._with_hoisted(outer, _changed(stmt, parts))

    def visit_while_stmt(self, stmt: WhileStmt) -> object:
        """Of the condition, which is evaluated before each iteration, only what stays the same can be moved out."""
        outer, self.hoisted = self.hoisted, []
        parts: dict[str, object] = {"iter_args": map_tuple(stmt.iter_args, self.visit_definition)}
        self.carried = frozenset(stmt.iter_args)
        parts["condition"] = self.visit(stmt.condition)
        self.carried = None
        hoisted, self.hoisted = self.hoisted, []
        parts["body"] = self.visit_body(stmt.body)
        self.hoisted = hoisted
        return self._with_hoisted(outer, _changed(stmt, parts))


def _is_invariant(call: Call | Submit, carried: frozenset[Var]) -> bool:
    """Whether a call gives the same each time: it reads no memory and nothing that the loop carries."""
    if any(isinstance(arg.type, ShapedType) for arg in call.args):
        return False
    return not any(var in carried for arg in call.args for var in collect(arg, Var))


def _changed(stmt: Stmt, parts: dict[str, object]) -> Stmt:
    changes = {name: value for name, value in parts.items() if value is not getattr(stmt, name)}
    return rebuilt(stmt, changes) if changes else stmt


# -- the property ------------------------------------------------------------------------------------------------------

IN_CALL_ARGS, IN_IF_CONDITION, IN_FOR_RANGE, IN_BINARY, IN_UNARY = 201, 202, 203, 204, 205


def verify_no_nested_calls(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every call inside another call's arguments, a condition, a range or an arithmetic expression."""
    del context
    for function in program.functions.values():
        finder = _NestedCalls(function.name)
        finder.visit(function)
        yield from finder.found


class _NestedCalls(Visitor):
    def __init__(self, function: str) -> None:
        self.function = function
        self.found: list[Diagnostic] = []
        self.place: tuple[int, str] | None = None

    def visit_call(self, call: Call) -> None:
        self._call(call)

    def visit_submit(self, submit: Submit) -> None:
        self._call(submit)

    def _call(self, call: Call | Submit) -> None:
        if self.place is not None:
            code, where = self.place
            text = f"Call to '{call.op.name}' is nested in {where} in function '{self.function}'"
            self.found.append(Diagnostic("error", "NoNestedCall", text, call.span, error_code=code))
        self._inside((IN_CALL_ARGS, "the arguments of another call"), *call.args)

    def visit_scope_stmt(self, stmt: ScopeStmt) -> None:
        """The condition of a launch, an attribute here, is for the scheduler to read."""
        self.visit(stmt.body)

    def visit_binary_expr(self, expr: BinaryExpr) -> None:
        self._inside((IN_BINARY, "a binary expression"), expr.left, expr.right)

    def visit_unary_expr(self, expr: UnaryExpr) -> None:
        self._inside((IN_UNARY, "a unary expression"), expr.operand)

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        self._inside((IN_IF_CONDITION, "an if condition"), stmt.condition)
        self.visit(stmt.then_body)
        if stmt.else_body is not None:
            self.visit(stmt.else_body)

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        self._inside((IN_FOR_RANGE, "a for range"), stmt.start, stmt.stop, stmt.step)
        for arg in stmt.iter_args:
            self.visit(arg.init_value)
        self.visit(stmt.body)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        """A while condition is evaluated anew each time, so its calls stay where they are."""
        for arg in stmt.iter_args:
            self.visit(arg.init_value)
        self.visit(stmt.body)

    def _inside(self, place: tuple[int, str], *parts: Expr) -> None:
        outer, self.place = self.place, place
        for part in parts:
            self.visit(part)
        self.place = outer
