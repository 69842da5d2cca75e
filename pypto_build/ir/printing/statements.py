# SPDX-License-Identifier: Apache-2.0
"""Statements without a body, and sequences."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import InternalError
from pypto_build.ir import stmt as s
from pypto_build.ir.expr import Call, Expr, GlobalVar, Var
from pypto_build.ir.printing.calls import operation_call
from pypto_build.ir.printing.context import Context, Place, StatementRule
from pypto_build.ir.printing.expressions import expression
from pypto_build.ir.printing.parts import Part, Parts, called, separated
from pypto_build.ir.printing.scan import TASK_ID_VAR
from pypto_build.ir.printing.types import type_text
from pypto_build.ir.stmt import Stmt
from pypto_build.ir.types import TupleType, Type, UnknownType

TASK_INVALID = "system.task_invalid"


def statement(ctx: Context, node: Stmt, place: Place) -> Parts:
    """A statement with the comments above it; every line ends with a line break."""
    rule = ctx.rules.statements.get(type(node))
    if rule is None:
        raise InternalError(f"no text for a statement of class {type(node).__name__}", node.span)
    yield comments(node.leading_comments, place)
    yield rule(ctx, node, place)


def comments(lines: Sequence[str], place: Place) -> str:
    """Comment lines."""
    return "".join(f"{place.pad}# {line}".rstrip() + "\n" for text in lines for line in text.split("\n"))


def block(ctx: Context, stmts: Sequence[Stmt], place: Place) -> Parts:
    """The statements of a body; `pass` when there are none."""
    if not stmts:
        yield f"{place.pad}pass\n"
    before_last = place.not_last()
    for index, node in enumerate(stmts):
        following = stmts[index + 1] if index + 1 < len(stmts) else None
        if is_task_id_placeholder(node, following):
            yield comments(node.leading_comments, place)
        else:
            yield statement(ctx, node, place if following is None else before_last)


def body_of(node: Stmt | None) -> list[Stmt]:
    """The statements of a body, sequences inside sequences laid out flat."""
    flat: list[Stmt] = []
    waiting = [] if node is None else [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, s.SeqStmts):
            waiting.extend(reversed(current.stmts))
        else:
            flat.append(current)
    return flat


def is_task_id_placeholder(node: Stmt, following: Stmt | None) -> bool:
    """Whether a statement only declares the task id that the scope after it binds with `as`."""
    return (
        isinstance(node, s.AssignStmt)
        and isinstance(node.value, Call)
        and node.value.op.name == TASK_INVALID
        and isinstance(following, s.ScopeStmt)
        and following.attrs.get(TASK_ID_VAR) is node.var
    )


def annotated(ctx: Context, var: Var) -> str:
    """`x: pl.Scalar[pl.INDEX]`, or the name alone in concise text and for a type that no annotation says."""
    name = ctx.names.of(var)
    if ctx.style.concise or isinstance(var.type, UnknownType) or _is_nested(var.type):
        return name
    return f"{name}: {type_text(ctx, var.type)}"


def _is_nested(kind: Type) -> bool:
    """Whether a type is a tuple of tuples: the language has such values, but no annotation for them."""
    return isinstance(kind, TupleType) and any(isinstance(one, TupleType) for one in kind.types)


def _sequence(ctx: Context, node: s.SeqStmts, place: Place) -> Parts:
    return block(ctx, body_of(node), place)


def _assign(ctx: Context, node: s.AssignStmt, place: Place) -> Parts:
    yield f"{place.pad}{annotated(ctx, node.var)} = "
    yield _assigned(ctx, node.value, node.var)
    yield "\n"


def _assigned(ctx: Context, value: Expr, var: Var) -> Part:
    if isinstance(value, Call) and not isinstance(value.op, GlobalVar):
        return operation_call(ctx, value, var)
    return expression(ctx, value)


def _evaluate(ctx: Context, node: s.EvalStmt, place: Place) -> Parts:
    yield place.pad
    yield expression(ctx, node.expr)
    yield "\n"


def _return(ctx: Context, node: s.ReturnStmt | s.YieldStmt, place: Place) -> Parts:
    yield f"{place.pad}return"
    if node.value:
        yield " "
        yield separated(expression(ctx, one) for one in node.value)
    yield "\n"


def _yield(ctx: Context, node: s.YieldStmt, place: Place) -> Parts:
    if place.returns:
        yield _return(ctx, node, place)
        return
    yield place.pad
    if len(place.targets) == 1:
        yield f"{annotated(ctx, place.targets[0])} = "
    elif place.targets:
        yield f"{', '.join(ctx.names.of(var) for var in place.targets)} = "
    yield called(f"{ctx.pl}.yield_", (expression(ctx, one) for one in node.value))
    yield "\n"


def _break(_ctx: Context, _node: s.BreakStmt, place: Place) -> Parts:
    yield f"{place.pad}break\n"


def _continue(_ctx: Context, _node: s.ContinueStmt, place: Place) -> Parts:
    yield f"{place.pad}continue\n"


def _verbatim(_ctx: Context, node: s.InlineStmt, place: Place) -> Parts:
    for line in node.body.split("\n"):
        yield f"{place.pad}{line}\n" if line else "\n"


RULES: dict[type[Stmt], StatementRule] = {
    s.SeqStmts: _sequence,
    s.AssignStmt: _assign,
    s.EvalStmt: _evaluate,
    s.ReturnStmt: _return,
    s.YieldStmt: _yield,
    s.BreakStmt: _break,
    s.ContinueStmt: _continue,
    s.InlineStmt: _verbatim,
}
