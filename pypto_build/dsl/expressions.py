# SPDX-License-Identifier: Apache-2.0
"""Operators, comparisons and the table of everything that may stand in an expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final, cast

from pypto_build.dsl.calls import read_call
from pypto_build.dsl.constants import (
    NUMBERS,
    is_ir,
    read_attribute,
    read_constant,
    read_dict,
    read_joined_str,
    read_name,
    read_sequence,
    to_expr,
)
from pypto_build.dsl.context import Context, ExpressionHandler
from pypto_build.dsl.diagnostics import ParserSyntaxError, UnsupportedFeatureError
from pypto_build.dsl.folding import FOLDING, fold
from pypto_build.dsl.subscripts import read_subscript
from pypto_build.ir import Expr, ScalarType
from pypto_build.ir.scalar import BINARY_FACTORIES, binary, bit_not, logical_not, neg

_BINARY: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "bit_shift_left",
    ast.RShift: "bit_shift_right",
    ast.BitAnd: "bit_and",
    ast.BitOr: "bit_or",
    ast.BitXor: "bit_xor",
}

_COMPARE: Final[Mapping[type[ast.AST], str]] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}

_UNARY: Final[Mapping[type[ast.AST], Callable[..., Expr]]] = {
    ast.USub: neg,
    ast.Invert: bit_not,
    ast.Not: logical_not,
}


def read_bin_op(context: Context, node: ast.expr) -> object:
    """`a + b`: computed now when both are Python values, IR otherwise."""
    operation = cast("ast.BinOp", node)
    name = _BINARY.get(type(operation.op))
    if name is None:
        kind = type(operation.op).__name__
        context.fail(UnsupportedFeatureError, f"Unsupported binary operator: {kind}", node)
    left, right = context.value(operation.left), context.value(operation.right)
    if not is_ir(left) and not is_ir(right):
        return fold(context, node, op=operation.op, operands=(left, right))
    return scalar(context, node, name=name, operands=(left, right), nodes=(operation.left, operation.right))


def scalar(
    context: Context, node: ast.expr, *, name: str, operands: tuple[object, object], nodes: tuple[ast.expr, ast.expr]
) -> Expr:
    """A scalar operation on two values; a literal is a constant of the default type, whatever stands beside it."""
    left, right = (to_expr(context, value, where) for value, where in zip(operands, nodes, strict=True))
    for operand, where in zip((left, right), nodes, strict=True):
        if not isinstance(operand.type, ScalarType):
            _refuse_operand(context, where, name=name, operand=operand)
    try:
        return binary(name, left, right, context.span(node))
    except TypeError as error:
        context.fail(ParserSyntaxError, str(error), node)


def _refuse_operand(context: Context, where: ast.expr, *, name: str, operand: Expr) -> None:
    context.fail(
        ParserSyntaxError,
        f"Operand of '{name}' must be ScalarExpr or Var with ScalarType, got {operand.type}",
        where,
        hint="Use pl.add(), pl.mul(), pl.cmp(), ... for tensors and tiles",
    )


def read_unary_op(context: Context, node: ast.expr) -> object:
    """`-a`, `~a`, `not a`."""
    operation = cast("ast.UnaryOp", node)
    operand = context.value(operation.operand)
    if isinstance(operand, NUMBERS) and type(operation.op) in FOLDING:
        return fold(context, node, op=operation.op, operands=(operand,))
    build = _UNARY.get(type(operation.op))
    if build is None:
        kind = type(operation.op).__name__
        context.fail(UnsupportedFeatureError, f"Unsupported unary operator: {kind}", node)
    value = to_expr(context, operand, operation.operand)
    try:
        return build(value, context.span(node))
    except TypeError as error:
        context.fail(ParserSyntaxError, str(error), node)


def read_compare(context: Context, node: ast.expr) -> object:
    """One comparison; of Python values that are no numbers (enums, strings) it is answered now."""
    comparison = cast("ast.Compare", node)
    if len(comparison.ops) != 1:
        context.fail(
            ParserSyntaxError,
            "Only simple comparisons supported",
            node,
            hint="Write a < b and b < c instead of a < b < c",
        )
    left, right = context.value(comparison.left), context.value(comparison.comparators[0])
    name = _COMPARE.get(type(comparison.ops[0]))
    if not is_ir(left) and not is_ir(right) and not (isinstance(left, NUMBERS) and isinstance(right, NUMBERS)):
        return _compare_now(context, comparison, left, right=right)
    if name is None:
        kind = type(comparison.ops[0]).__name__
        context.fail(UnsupportedFeatureError, f"Unsupported comparison: {kind}", node)
    nodes = (comparison.left, comparison.comparators[0])
    return scalar(context, node, name=name, operands=(left, right), nodes=nodes)


def _compare_now(context: Context, node: ast.Compare, left: object, *, right: object) -> bool:
    kind = type(node.ops[0])
    if kind in (ast.Eq, ast.Is):
        return left is right or left == right
    if kind in (ast.NotEq, ast.IsNot):
        return not (left is right or left == right)
    if kind in (ast.In, ast.NotIn) and isinstance(right, list | tuple | dict):
        return (left in right) == (kind is ast.In)
    context.fail(UnsupportedFeatureError, f"Unsupported comparison: {kind.__name__}", node)


def read_bool_op(context: Context, node: ast.expr) -> object:
    """`a and b and c`: folded from the left, both sides evaluated."""
    operation = cast("ast.BoolOp", node)
    name = "and_" if isinstance(operation.op, ast.And) else "or_"
    result = context.expr(operation.values[0])
    for operand in operation.values[1:]:
        build, cls = BINARY_FACTORIES[name]
        result = build(cls, name, result, context.expr(operand), context.span(node))
    return result


EXPRESSIONS: Final[Mapping[type[ast.AST], ExpressionHandler]] = {
    ast.Constant: read_constant,
    ast.Name: read_name,
    ast.Attribute: read_attribute,
    ast.Tuple: read_sequence,
    ast.List: read_sequence,
    ast.Dict: read_dict,
    ast.JoinedStr: read_joined_str,
    ast.BinOp: read_bin_op,
    ast.UnaryOp: read_unary_op,
    ast.Compare: read_compare,
    ast.BoolOp: read_bool_op,
    ast.Call: read_call,
    ast.Subscript: read_subscript,
}
