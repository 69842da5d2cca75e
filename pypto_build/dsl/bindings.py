# SPDX-License-Identifier: Apache-2.0
"""Giving names to values: one variable per name, the same one when a name is assigned again."""

from __future__ import annotations

import ast
from typing import cast

from pypto_build.dsl.constants import projected, to_expr
from pypto_build.dsl.context import YIELDING, Context
from pypto_build.dsl.declared import declared_type
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, SSAViolationError, UnsupportedFeatureError
from pypto_build.dsl.scope import Binding
from pypto_build.errors import Span
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Expr,
    MakeTuple,
    ScalarType,
    TupleGetItemExpr,
    TupleType,
    Type,
    UnknownType,
    Var,
    rebuilt,
)

_SSA_HINT = "Use a different variable name for each assignment (SSA form requires unique names)"
_SSA_NOTE = "Each variable can only be assigned once per scope"


def assign_name(
    context: Context, target: ast.Name, value: Expr, *, declared: Type | None = None, place: ast.stmt
) -> Var:
    """`name = value`, with the type of an annotation if there is one."""
    name = target.id
    kind = value.type
    if declared is not None:

        def refuse(message: str) -> None:
            context.fail(ParserTypeError, message, target)

        kind = declared_type(declared, value.type, name=name, refuse=refuse)
        if isinstance(value, Call) and (isinstance(value.type, UnknownType) or kind != value.type):
            value = rebuilt(value, {"type": kind})
        elif isinstance(value, ConstInt) and isinstance(kind, ScalarType) and kind.dtype.is_int():
            value = ConstInt(value.value, kind.dtype, value.span)  # a literal has no type of its own
    span = context.span(place)
    var = variable_for(context, target, kind, span=span)
    context.emit(AssignStmt(var, value, span))
    return var


def variable_for(context: Context, target: ast.Name, kind: Type, *, span: Span) -> Var:
    """The variable that an assignment to a name writes."""
    name, scope = target.id, context.scope
    if scope.strict:
        _check_single_assignment(context, target)
    if name != "_":
        known = scope.lookup(name)
        if known is not None and known.assignable and isinstance(known.value, Var):
            old = known.value
            if old.type == kind:
                scope.define(name, known)
                return old
            unknown = isinstance(old.type, UnknownType) or isinstance(kind, UnknownType)
            if not scope.strict and not unknown and not _may_change_type(context, name):
                _refuse_reassignment(context, target, old.type, new=kind)
    var = Var(name, kind, span)
    scope.define(name, Binding(var, span))
    return var


def _may_change_type(context: Context, name: str) -> bool:
    """Whether later reads of a name can only mean this assignment: in a `@pl.jit` body, a new variable then begins.

    Inside a loop or branch that is so for a name that begins there.
    """
    if context.facts.constants is None:
        return False
    return not context.inside(*YIELDING) or context.scope.only_here(name)


def _check_single_assignment(context: Context, target: ast.Name) -> None:
    known = context.scope.defined_here(target.id)
    if known is None:
        return
    raise SSAViolationError(
        f"Variable '{target.id}' is already defined",
        context.span(target),
        _SSA_HINT,
        note=_SSA_NOTE,
        source_lines=context.source.lines,
        previous_span=known.span,
    )


def _refuse_reassignment(context: Context, target: ast.Name, old: Type, *, new: Type) -> None:
    context.fail(
        ParserTypeError,
        f"Cannot reassign '{target.id}' with a different type: was {old}, got {new}",
        target,
        hint="Give the new value a name of its own",
    )


def bind_alias(context: Context, target: ast.Name, value: Expr, *, place: ast.stmt) -> None:
    """Let a name stand for a value without an assignment; assigning to it later makes a variable."""
    context.scope.define(target.id, Binding(value, context.span(place), assignable=False))


def result_variable(context: Context, name: str, kind: Type, *, span: Span) -> Var:
    """The variable that a loop or branch hands a result out in."""
    known = context.scope.lookup(name)
    if known is not None and not context.scope.strict and known.assignable and name != "_":
        old = known.value
        if isinstance(old, Var) and old.type == kind:
            context.scope.define(name, known)
            return old
    var = Var(name, kind, span)
    context.scope.define(name, Binding(var, span))
    return var


def unpack(context: Context, target: ast.Tuple | ast.List, value: object, *, place: ast.stmt) -> None:
    """`a, b = value`: the tuple in a temporary, then one assignment per element."""
    names = target.elts
    for name in names:
        if not isinstance(name, ast.Name):
            context.fail(
                ParserSyntaxError, f"Tuple unpacking target must be a variable name, got {ast.unparse(name)}", name
            )
    whole = _whole_tuple(context, value, place)
    kind = whole.type
    if not isinstance(kind, TupleType):
        if isinstance(kind, UnknownType):
            kind = None
        else:
            context.fail(ParserTypeError, f"Cannot unpack a value of type {kind}", place)
    if kind is not None and len(kind.types) != len(names):
        context.fail(ParserTypeError, f"Cannot unpack {len(kind.types)} value(s) into {len(names)} variable(s)", place)
    span = context.span(place)
    temporary = Var("_tuple_tmp", whole.type, span)
    context.emit(AssignStmt(temporary, whole, span))
    for number, name in enumerate(names):
        assign_name(context, cast("ast.Name", name), TupleGetItemExpr(temporary, number, span), place=place)


def _whole_tuple(context: Context, value: object, place: ast.stmt) -> Expr:
    if isinstance(value, Expr):
        return value
    if not isinstance(value, list | tuple):
        context.fail(UnsupportedFeatureError, f"Cannot unpack a value of type {type(value).__name__}", place)
    items = cast("list[object]", value)
    call = projected(items)
    if call is not None:
        return call
    node = ast.copy_location(ast.Constant(None), place)
    return MakeTuple(tuple(to_expr(context, item, node) for item in items), context.span(place))
