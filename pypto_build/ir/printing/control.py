# SPDX-License-Identifier: Apache-2.0
"""Branches and loops."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.ir import stmt as s
from pypto_build.ir.dtype import DataType
from pypto_build.ir.enums import ForKind
from pypto_build.ir.expr import ConstInt, Expr, IterArg
from pypto_build.ir.printing.context import Context, Place, StatementRule
from pypto_build.ir.printing.expressions import expression
from pypto_build.ir.printing.parts import Part, Parts, called, keyword, separated
from pypto_build.ir.printing.statements import block, body_of
from pypto_build.ir.printing.values import attrs_keyword, remaining
from pypto_build.ir.stmt import Stmt

STAGES = "pipeline_stages"
_LOOPS = {
    ForKind.Sequential: "range",
    ForKind.Parallel: "parallel",
    ForKind.Unroll: "unroll",
    ForKind.Pipeline: "pipeline",
}


def _if(ctx: Context, node: s.IfStmt, place: Place, word: str = "if") -> Parts:
    yield f"{place.pad}{word} "
    yield expression(ctx, node.condition)
    yield ":\n"
    yield block(ctx, body_of(node.then_body), place.body(node.return_vars))
    chained = _chained(node)
    if chained is not None:
        yield _if(ctx, chained, place, "elif")
    elif node.else_body is not None:
        yield f"{place.pad}else:\n"
        yield block(ctx, body_of(node.else_body), place.body(node.return_vars))


def _chained(node: s.IfStmt) -> s.IfStmt | None:
    """The branch that is all of another one's `else`: Python has a limit for indentation, and none for `elif`."""
    body = body_of(node.else_body)
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, s.IfStmt) or only.leading_comments or only.return_vars or node.return_vars:
        return None
    return only


def _for(ctx: Context, node: s.ForStmt, place: Place) -> Parts:
    yield f"{place.pad}for {ctx.names.of(node.loop_var)}"
    if node.iter_args:
        yield f", {_carried(ctx, node.iter_args)}"
    yield " in "
    name = "range" if _unrolls_carrying(node) else _LOOPS[node.kind]
    yield called(f"{ctx.pl}.{name}", _loop_arguments(ctx, node))
    yield ":\n"
    yield block(ctx, body_of(node.body), place.body(node.return_vars))


def _loop_arguments(ctx: Context, node: s.ForStmt) -> Iterator[Part]:
    plain_step = _is_index(node.step, 1)
    if not (plain_step and _is_index(node.start, 0)):
        yield expression(ctx, node.start)
    yield expression(ctx, node.stop)
    if not plain_step:
        yield expression(ctx, node.step)
    shown = (STAGES,) if node.kind is ForKind.Pipeline and STAGES in node.attrs else ()
    if shown:
        yield f"stage={node.attrs[STAGES]}"
    yield from _init_values(ctx, node.iter_args)
    if _unrolls_carrying(node):
        yield "unroll=True"
    yield from attrs_keyword(ctx, remaining(node.attrs, shown))


def _unrolls_carrying(node: s.ForStmt) -> bool:
    """Whether a loop to unroll carries values; authors cannot write that, but conversion to SSA form can make it."""
    return node.kind is ForKind.Unroll and bool(node.iter_args)


def _is_index(value: Expr, number: int) -> bool:
    return isinstance(value, ConstInt) and value.value == number and value.dtype is DataType.INDEX


def _carried(ctx: Context, iter_args: tuple[IterArg, ...]) -> str:
    names = ", ".join(ctx.names.of(arg) for arg in iter_args)
    return f"({names},)" if len(iter_args) == 1 else f"({names})"


def _init_values(ctx: Context, iter_args: tuple[IterArg, ...]) -> Iterator[Part]:
    if iter_args:
        yield keyword("init_values", _python_tuple([expression(ctx, arg.init_value) for arg in iter_args]))


def _python_tuple(items: list[Part]) -> Parts:
    yield "("
    yield separated(items)
    yield ",)" if len(items) == 1 else ")"


def _while(ctx: Context, node: s.WhileStmt, place: Place) -> Parts:
    body = place.body(node.return_vars)
    if not node.iter_args:
        yield f"{place.pad}while "
        yield expression(ctx, node.condition)
        yield ":\n"
    else:
        yield f"{place.pad}for {_carried(ctx, node.iter_args)} in "
        yield called(f"{ctx.pl}.while_", _init_values(ctx, node.iter_args))
        yield f":\n{body.pad}{ctx.pl}.cond("
        yield expression(ctx, node.condition)
        yield ")\n"
    stmts = body_of(node.body)
    if stmts or not node.iter_args:
        yield block(ctx, stmts, body)


RULES: dict[type[Stmt], StatementRule] = {s.IfStmt: _if, s.ForStmt: _for, s.WhileStmt: _while}
