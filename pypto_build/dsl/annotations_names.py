# SPDX-License-Identifier: Apache-2.0
"""What names and small expressions inside an annotation stand for, and how a mistake in one is reported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from pypto_build.dsl.diagnostics import ParserError, ParserTypeError
from pypto_build.dsl.language.dims import DynVar
from pypto_build.dsl.language.values import Scalar
from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import ConstInt, DataType, Expr, ScalarType, Var, const_index, scalar_type

MISSING = object()
_EnumT = TypeVar("_EnumT", bound=Enum)


def no_scope(_name: str) -> Expr | None:
    """A scope without names."""
    return None


def no_place(_node: ast.AST) -> Span:
    """The place of a node that has none."""
    return UNKNOWN_SPAN


@dataclass(frozen=True, slots=True)
class Names:
    """The surroundings of an annotation.

    closure holds Python values; scope finds kernel variables; evaluate computes an expression of closure names and
    raises a ParserError when it cannot; parse_expression reads kernel expressions, None where there is no kernel.
    """

    closure: Mapping[str, object]
    evaluate: Callable[[ast.expr], object]
    scope: Callable[[str], Expr | None] = no_scope
    parse_expression: Callable[[ast.expr], Expr] | None = None
    span_of: Callable[[ast.AST], Span] = no_place
    free: dict[str, Var] = field(default_factory=dict)  # extents of views that nothing binds, by name

    def error(self, message: str, node: ast.AST | None, hint: str | None = None) -> ParserTypeError:
        """A mistake at a node, to be raised."""
        return ParserTypeError(message, UNKNOWN_SPAN if node is None else self.span_of(node), hint)

    def value(self, node: ast.expr) -> object:
        """The Python value of an expression of closure names; MISSING when it has none."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.closure.get(node.id, MISSING)
        try:
            return self.evaluate(node)
        except ParserError:
            return MISSING

    def index(self, node: ast.expr, what: str, *, free: bool = False) -> Expr | int:
        """An integer: a literal, a closure value, a kernel variable, or a kernel expression.

        With `free` a name that nothing binds is a variable of its own.
        """
        found = self.value(node)
        if found is MISSING:
            return self._kernel_index(node, what, free=free)
        made = as_index(found)
        if made is None:
            raise self.error(f"{what} must be int or pl.dynamic(), got {type(found).__name__}", node)
        return made

    def _kernel_index(self, node: ast.expr, what: str, *, free: bool) -> Expr:
        if isinstance(node, ast.Name):
            found = self.scope(node.id)
            if found is None and free:
                return self.free.setdefault(node.id, Var(node.id, scalar_type(DataType.INDEX)))
            if found is None:
                raise self.error(
                    f"Unknown shape variable '{node.id}'",
                    node,
                    "Define it before the function as an int or with pl.dynamic(), or assign it in the kernel",
                )
            return found
        if any(terminal_name(part.func) == "yield_" for part in ast.walk(node) if isinstance(part, ast.Call)):
            raise self.error(f"{what} cannot contain pl.yield_()", node, "Yield in a statement of its own")
        if self.parse_expression is None:
            raise self.error(f"{what} must be an integer constant or bare variable, got {ast.unparse(node)}", node)
        made = self.parse_expression(node)
        if as_index(made) is None:
            raise self.error(f"{what} must be an index expression, got a value of type {made.type}", node)
        return made

    def member(self, enum: type[_EnumT], node: ast.expr) -> _EnumT | None:
        """The member of an enum that is spelled `pl.X`, `pl.Enum.X` or `X`, or held by a closure name; else None."""
        name = terminal_name(node)
        if name in enum.__members__ and (isinstance(node, ast.Name) or qualifier(node) != ""):
            return enum[name]
        found = self.value(node)
        return found if isinstance(found, enum) else None


def as_index(value: object) -> Expr | int | None:
    """A Python value as an extent or offset; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, DynVar | Scalar):
        value = value.unwrap()
    if not isinstance(value, Expr) or not isinstance(value.type, ScalarType):
        return None
    return value if value.type.dtype.is_int() else None


def as_expr(value: Expr | int, span: Span = UNKNOWN_SPAN) -> Expr:
    """An extent as an expression: integers become INDEX constants."""
    return const_index(value, span) if isinstance(value, int) else value


def known_int(value: Expr | int) -> int | None:
    """The number, where it is one."""
    return value if isinstance(value, int) else value.value if isinstance(value, ConstInt) else None


def terminal_name(node: ast.expr) -> str:
    """`pl.Tensor` and `Tensor` -> `Tensor`; empty for anything that is not a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def qualifier(node: ast.expr) -> str:
    """`pl.Mem.Vec` -> `pl.Mem`; empty for a bare name or anything else."""
    return ast.unparse(node.value) if isinstance(node, ast.Attribute) else ""
