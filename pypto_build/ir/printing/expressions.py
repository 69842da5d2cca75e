# SPDX-License-Identifier: Apache-2.0
"""Expressions other than calls, with as few parentheses as Python's grammar asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pypto_build.errors import InternalError
from pypto_build.ir import expr as e
from pypto_build.ir.dtype import DataType
from pypto_build.ir.expr import Expr
from pypto_build.ir.printing.context import Context
from pypto_build.ir.printing.literals import dtype_text, float_text
from pypto_build.ir.printing.parts import Part, Parts, bracketed, called

OR, AND, NOT, COMPARISON, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 14)

# class -> operator, its level, and the least level of the operands that need no parentheses
INFIX: dict[type[Expr], tuple[str, int, int, int]] = {
    e.Or: (" or ", OR, OR, AND),
    e.And: (" and ", AND, AND, NOT),
    e.Eq: (" == ", COMPARISON, BIT_OR, BIT_OR),
    e.Ne: (" != ", COMPARISON, BIT_OR, BIT_OR),
    e.Lt: (" < ", COMPARISON, BIT_OR, BIT_OR),
    e.Le: (" <= ", COMPARISON, BIT_OR, BIT_OR),
    e.Gt: (" > ", COMPARISON, BIT_OR, BIT_OR),
    e.Ge: (" >= ", COMPARISON, BIT_OR, BIT_OR),
    e.BitOr: (" | ", BIT_OR, BIT_OR, BIT_XOR),
    e.BitXor: (" ^ ", BIT_XOR, BIT_XOR, BIT_AND),
    e.BitAnd: (" & ", BIT_AND, BIT_AND, SHIFT),
    e.BitShiftLeft: (" << ", SHIFT, SHIFT, SUM),
    e.BitShiftRight: (" >> ", SHIFT, SHIFT, SUM),
    e.Add: (" + ", SUM, SUM, PRODUCT),
    e.Sub: (" - ", SUM, SUM, PRODUCT),
    e.Mul: (" * ", PRODUCT, PRODUCT, SIGN),
    e.FloorDiv: (" // ", PRODUCT, PRODUCT, SIGN),
    e.FloorMod: (" % ", PRODUCT, PRODUCT, SIGN),
    e.FloatDiv: (" / ", PRODUCT, PRODUCT, SIGN),
    e.Pow: (" ** ", POWER, ATOM, SIGN),
}
PREFIX: dict[type[Expr], tuple[str, int]] = {e.Not: ("not ", NOT), e.Neg: ("-", SIGN), e.BitNot: ("~", SIGN)}
FUNCTIONS: dict[type[Expr], str] = {e.Min: "min", e.Max: "max", e.Xor: "xor", e.Abs: "abs"}


def expression(ctx: Context, value: Expr, least: int = 0, *, typed: bool = False) -> Part:
    """An expression where operators below the level `least` need parentheses; `typed` writes constants with types."""
    kind = type(value)
    if kind in INFIX or kind in PREFIX:
        text = _infix(ctx, value) if kind in INFIX else _prefix(ctx, value)
        level = INFIX[kind][1] if kind in INFIX else PREFIX[kind][1]
        return _in_parentheses(text) if level < least else text
    rule = ctx.rules.expressions.get(kind)
    if rule is None:
        raise InternalError(f"no text for an expression of class {kind.__name__}", value.span)
    text = _typed_constant(ctx, value) if typed and isinstance(value, e.Constant) else rule(ctx, value)
    negative = isinstance(text, str) and text.startswith("-")
    return f"({text})" if negative and least > SIGN else text


def typed_expression(ctx: Context, value: Expr) -> Part:
    """An expression where a bare number would be taken for a plain value: a constant states its type."""
    return expression(ctx, value, typed=True)


def dimension(ctx: Context, value: Expr) -> Part:
    """An extent, stride or offset inside a type: an integer of any type stands bare."""
    return str(value.value) if isinstance(value, e.ConstInt) else expression(ctx, value)


def dimensions(ctx: Context, values: Iterable[Expr]) -> Part:
    """`[64, N]`"""
    return bracketed(dimension(ctx, value) for value in values)


def _in_parentheses(text: Part) -> Parts:
    yield "("
    yield text
    yield ")"


def _infix(ctx: Context, value: Any) -> Parts:
    symbol, _, least_left, least_right = INFIX[type(value)]
    typed = ctx.constants.holds(value)
    yield expression(ctx, value.left, least_left, typed=typed)
    yield symbol
    yield expression(ctx, value.right, least_right, typed=typed)


def _prefix(ctx: Context, value: Any) -> Parts:
    symbol, level = PREFIX[type(value)]
    yield symbol
    yield expression(ctx, value.operand, level, typed=ctx.constants.holds(value))


def _function(ctx: Context, value: Any) -> Parts:
    typed = ctx.constants.holds(value)
    operands = (value.operand,) if isinstance(value, e.UnaryExpr) else (value.left, value.right)
    return called(f"{ctx.pl}.{FUNCTIONS[type(value)]}", (expression(ctx, one, typed=typed) for one in operands))


def _cast(ctx: Context, value: e.Cast) -> Parts:
    return called(f"{ctx.pl}.cast", (expression(ctx, value.operand), dtype_text(value.dtype, ctx.pl)))


def _tuple(ctx: Context, value: e.MakeTuple) -> Parts:
    return bracketed(expression(ctx, element) for element in value.elements)


def _element(ctx: Context, value: e.TupleGetItemExpr) -> Parts:
    yield expression(ctx, value.tuple, ATOM)
    yield f"[{value.index}]"


def _const_int(ctx: Context, value: e.ConstInt) -> str:
    return str(value.value) if value.dtype is DataType.INDEX else _typed_constant(ctx, value)


def _const_float(ctx: Context, value: e.ConstFloat) -> str:
    bare = value.dtype is DataType.FP32 and value.value == value.value
    return float_text(value.value) if bare else _typed_constant(ctx, value)


def _const_bool(_ctx: Context, value: e.ConstBool) -> str:
    return str(value.value)


def _typed_constant(ctx: Context, value: Any) -> str:
    text = float_text(value.value) if isinstance(value, e.ConstFloat) else str(value.value)
    return f"{ctx.pl}.const({text}, {dtype_text(value.dtype, ctx.pl)})"


def _var(ctx: Context, value: e.Var) -> str:
    return ctx.names.of(value)


RULES: dict[type[Expr], Callable[[Context, Any], Part]] = {
    e.Var: _var,
    e.IterArg: _var,
    e.WindowBuffer: _var,
    e.ConstInt: _const_int,
    e.ConstFloat: _const_float,
    e.ConstBool: _const_bool,
    e.MakeTuple: _tuple,
    e.TupleGetItemExpr: _element,
    e.Cast: _cast,
    **dict.fromkeys(FUNCTIONS, _function),
}
