# SPDX-License-Identifier: Apache-2.0
"""The functions of the language that make scalar expressions: `pl.const`, `pl.cast`, `pl.min`, `pl.max`, `pl.abs`.

All but the first also name operations on tensors and tiles; a handler returns None when that is what is meant.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Final

from pypto_build.dsl.arguments import Arguments
from pypto_build.dsl.constants import NUMBERS, to_expr
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.ir import Abs, Cast, ConstBool, ConstFloat, ConstInt, DataType, Expr, ScalarType
from pypto_build.ir.scalar import binary, dtype_of

ScalarCall = Callable[[Context, ast.Call, Arguments], Expr | None]


def _const(context: Context, call: ast.Call, arguments: Arguments) -> Expr | None:
    """`pl.const(value, dtype)`"""
    if len(arguments.positional) != 2 or arguments.named:
        context.fail(ParserSyntaxError, "pl.const() takes exactly a value and a dtype", call)
    value, dtype = arguments.positional
    if value == "nan":
        value = math.nan
    if not isinstance(value, NUMBERS):
        context.fail(ParserTypeError, "pl.const() value must be a numeric literal or constant", call.args[0])
    if not isinstance(dtype, DataType):
        context.fail(ParserTypeError, "pl.const() dtype must be a DataType such as pl.INT64", call.args[1])
    span = context.span(call)
    if dtype is DataType.BOOL:
        return ConstBool(bool(value), span)
    if dtype.is_float():
        return ConstFloat(float(value), dtype, span)
    if isinstance(value, float) and not value.is_integer():
        context.fail(ParserTypeError, f"pl.const() cannot hold {value} as {dtype}", call.args[0])
    return ConstInt(int(value), dtype, span)


def _scalar_operand(context: Context, call: ast.Call, value: object) -> Expr | None:
    """A scalar operand, or None when the operand is a tensor, a tile or no value at all."""
    if isinstance(value, Expr):
        return value if isinstance(value.type, ScalarType) else None
    return to_expr(context, value, call) if isinstance(value, NUMBERS) else None


def _cast(context: Context, call: ast.Call, arguments: Arguments) -> Expr | None:
    """`pl.cast(scalar, dtype)`"""
    given = arguments.positional
    target = given[1] if len(given) > 1 else arguments.named.get("target_type")
    operand = _scalar_operand(context, call, given[0]) if given else None
    if operand is None:
        return None
    if not isinstance(target, DataType):
        context.fail(ParserTypeError, "pl.cast() target_type must be a DataType such as pl.INT32", call)
    return Cast(operand, target, context.span(call))


def _two_operands(name: str) -> ScalarCall:
    def read(context: Context, call: ast.Call, arguments: Arguments) -> Expr | None:
        if len(arguments.positional) != 2 or arguments.named:
            return None
        left, right = (_scalar_operand(context, call, value) for value in arguments.positional)
        if left is None or right is None:
            return None
        try:
            return binary(name, left, right, context.span(call))
        except TypeError as error:
            context.fail(ParserSyntaxError, str(error), call)

    return read


def _abs(context: Context, call: ast.Call, arguments: Arguments) -> Expr | None:
    """`pl.abs(scalar)`"""
    if len(arguments.positional) != 1 or arguments.named:
        return None
    operand = _scalar_operand(context, call, arguments.positional[0])
    return None if operand is None else Abs(operand, dtype_of(operand), context.span(call))


SCALAR_CALLS: Final[Mapping[str, ScalarCall]] = {
    "const": _const,
    "cast": _cast,
    "min": _two_operands("min_"),
    "max": _two_operands("max_"),
    "abs": _abs,
    "xor": _two_operands("xor"),
}
