# SPDX-License-Identifier: Apache-2.0
"""Rewriting a function so that types follow: what is made of a value that got another type is typed anew.

Operations are typed by their definitions; another name, a carry and the result of a loop or branch have the type of
what they are bound to.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    GlobalVar,
    IfStmt,
    IterArg,
    Rewriter,
    Stmt,
    Var,
    WhileStmt,
    rebuilt,
    same_value,
)
from pypto_build.ops import OpRegistry


class Retyped(Rewriter):
    """A Rewriter whose substitution may change types."""

    def __init__(self, ops: OpRegistry, substitution: Mapping[Var, Expr] | None = None) -> None:
        super().__init__(substitution)
        self.ops = ops
        self._bound_to: dict[Var, Expr] = {}  # results of loops and branches

    def visit_call(self, call: Call) -> Expr:
        new = self.visit_node(call)
        if new is call or isinstance(call.op, GlobalVar):
            return new
        return self.ops.create_call(new.op.name, new.args, new.kwargs, new.span, new.attrs)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...] | None:
        value: Expr = self.visit(stmt.value)
        var = self.typed_like(stmt.var, value) if value is not stmt.value else self.visit_definition(stmt.var)
        if var is stmt.var and value is stmt.value:
            return stmt
        return rebuilt(stmt, {"var": var, "value": value})

    def typed_like(self, var: Var, value: Expr) -> Var:
        """A Var where it is bound to a value: a fresh one if the value's type is not its own."""
        return var if same_value(var.type, value.type) else self.rebound(var, {"type": value.type})

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | tuple[Stmt, ...] | None:
        self._bound_to.update(zip(stmt.return_vars, stmt.iter_args, strict=False))
        return self.visit_node(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        self._bound_to.update(zip(stmt.return_vars, stmt.iter_args, strict=False))
        return self.visit_node(stmt)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        self._bound_to.update(zip(stmt.return_vars, yielded_values(stmt.then_body), strict=False))
        return self.visit_node(stmt)

    def visit_definition(self, var: Var) -> Var:
        if isinstance(var, IterArg):
            init: Expr = self.visit(var.init_value)
            return var if init is var.init_value else self.rebound(var, {"init_value": init, "type": init.type})
        source = self._bound_to.get(var)
        return super().visit_definition(var) if source is None else self.typed_like(var, self.visit(source))
