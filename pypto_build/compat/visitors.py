# SPDX-License-Identifier: Apache-2.0
"""`IRVisitor` and `IRMutator`: walks whose methods the public interface names, one per class, all of them callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_build.compat.sequences import entity_classes
from pypto_build.ir import (
    BinaryExpr,
    Expr,
    Function,
    MemRef,
    Node,
    Program,
    Rewriter,
    Stmt,
    Type,
    UnaryExpr,
    Var,
    Visitor,
)
from pypto_build.ir.rewrite import method_name

_KINDS = (Expr, Stmt)


class IRVisitor(Visitor):
    """A walk over a program; override `visit_<class>` and call the inherited method to go deeper."""

    WALKS_TYPES = False

    def visit_expr(self, expr: Expr) -> None:
        """Visit any expression by its class."""
        self.visit(expr)

    def visit_stmt(self, stmt: Stmt) -> None:
        """Visit any statement by its class."""
        self.visit(stmt)

    def visit_function(self, func: Function) -> None:
        """Visit the parameters and the body."""
        for param in tuple(func.params):
            self.visit(param)
        self.visit(func.body)

    def visit_definition(self, var: Var) -> None:
        """A definition is visited like any other occurrence."""
        self.visit(var)

    def visit_var_like(self, op: Var) -> None:
        """What variables of every class have in common: the expressions in their types."""
        _TypeWalk(self).visit_type(op.type)

    def visit_var(self, op: Var) -> None:  # type: ignore[reportIncompatibleMethodOverride]  # the public name
        """Visit a variable."""
        self.visit_var_like(op)

    def visit_iter_arg(self, op: Any) -> None:
        """Visit a carried value and what it starts with."""
        self.visit_var_like(op)
        self.visit_expr(op.init_value)

    def visit_binary_expr(self, op: BinaryExpr) -> None:
        """Visit both operands."""
        self.visit_expr(op.left)
        self.visit_expr(op.right)

    def visit_unary_expr(self, op: UnaryExpr) -> None:
        """Visit the operand."""
        self.visit_expr(op.operand)


class _TypeWalk(Visitor):
    """Hands the expressions inside a type to another visitor."""

    WALKS_TYPES = True

    def __init__(self, visitor: IRVisitor) -> None:
        self._visitor = visitor

    def visit_node(self, node: Node) -> None:
        if not isinstance(node, MemRef):
            self._visitor.visit(node)

    def visit_var(self, var: Var) -> None:
        if not isinstance(var, MemRef):
            self._visitor.visit(var)


class IRMutator(Rewriter):
    """A copy-on-write rewrite; override `visit_<class>` and return the replacement."""

    def __init__(self) -> None:
        super().__init__()

    def visit_expr(self, expr: Expr) -> Any:
        """Replace any expression by its class."""
        return self.visit(expr)

    def visit_stmt(self, stmt: Stmt) -> Any:
        """Replace any statement by its class."""
        return self.visit(stmt)

    def visit_binary_expr(self, op: BinaryExpr) -> Any:
        """Replace the operands."""
        return self.visit_node(op)

    def visit_unary_expr(self, op: UnaryExpr) -> Any:
        """Replace the operand."""
        return self.visit_node(op)


def _delegate(base: str) -> Callable[[Any, Any], Any]:
    return lambda self, node: getattr(self, base)(node)


def _base_of(cls: type, walker: type) -> str:
    for base in cls.__mro__[1:]:
        name = method_name(base)
        if base in _KINDS or base in (Node, Type):
            break
        if name in vars(walker) or hasattr(walker, name):
            return name
    return "visit_node"


def _complete(walker: type) -> None:
    """Give the walker a method for every class of node, so that an override can call the inherited one."""
    for cls in entity_classes():
        name = method_name(cls)
        if issubclass(cls, Node) and not hasattr(walker, name) and not issubclass(cls, Program):
            setattr(walker, name, _delegate(_base_of(cls, walker)))


_complete(IRVisitor)
_complete(IRMutator)
