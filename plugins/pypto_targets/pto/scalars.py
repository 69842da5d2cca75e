# SPDX-License-Identifier: Apache-2.0
"""Scalar expressions in the `arith` and `math` dialects.

Integer division truncates towards zero, as the hardware does; comparisons of integers are signed. Source: the public
lowering of scalar expressions.
"""

from __future__ import annotations

from collections.abc import Callable

from pypto_build import ir
from pypto_build.errors import InternalError
from pypto_build.ir import BinaryExpr, Cast, DataType, Expr, UnaryExpr, dtype_of
from pypto_targets.pto.text import KernelText, Value
from pypto_targets.pto.types import element

Lookup = Callable[[Expr], Value]

_INTEGER: dict[type[BinaryExpr], str] = {
    ir.Add: "addi",
    ir.Sub: "subi",
    ir.Mul: "muli",
    ir.FloorDiv: "divsi",
    ir.FloorMod: "remsi",
    ir.FloatDiv: "divsi",
    ir.Min: "minsi",
    ir.Max: "maxsi",
    ir.And: "andi",
    ir.Or: "ori",
    ir.Xor: "xori",
    ir.BitAnd: "andi",
    ir.BitOr: "ori",
    ir.BitXor: "xori",
    ir.BitShiftLeft: "shli",
    ir.BitShiftRight: "shrsi",
}
_UNSIGNED: dict[type[BinaryExpr], str] = {
    ir.FloorDiv: "divui",
    ir.FloorMod: "remui",
    ir.FloatDiv: "divui",
    ir.Min: "minui",
    ir.Max: "maxui",
    ir.BitShiftRight: "shrui",
}
_FLOAT: dict[type[BinaryExpr], str] = {
    ir.Add: "addf",
    ir.Sub: "subf",
    ir.Mul: "mulf",
    ir.FloatDiv: "divf",
    ir.FloorDiv: "divf",
    ir.FloorMod: "remf",
    ir.Min: "minimumf",
    ir.Max: "maximumf",
}
_COMPARISONS: dict[type[BinaryExpr], tuple[str, str]] = {
    ir.Eq: ("eq", "oeq"),
    ir.Ne: ("ne", "one"),
    ir.Lt: ("slt", "olt"),
    ir.Le: ("sle", "ole"),
    ir.Gt: ("sgt", "ogt"),
    ir.Ge: ("sge", "oge"),
}


def binary(text: KernelText, expr: BinaryExpr, lookup: Lookup) -> Value:
    """A binary expression."""
    left, right = lookup(expr.left), lookup(expr.right)
    dtype = dtype_of(expr.left)
    if left.type != right.type:  # INDEX and INT64 mix freely in the IR
        right = convert(text, right, dtype_of(expr.right), dtype)
    kind = type(expr)
    if kind in _COMPARISONS:
        integer, real = _COMPARISONS[kind]
        operation = f"arith.cmpf {real}" if dtype.is_float() else f"arith.cmpi {integer}"
        return text.define(f"{operation}, {left.name}, {right.name} : {left.type}", "i1")
    if dtype.is_float():
        name = _FLOAT.get(kind)
    else:
        name = (_UNSIGNED.get(kind) if dtype.is_unsigned_int() else None) or _INTEGER.get(kind)
    if name is None:
        raise InternalError(f"no scalar operation for {kind.__name__} on {dtype}", expr.span)
    return _plain(text, f"arith.{name}", left, right)


def _plain(text: KernelText, operation: str, left: Value, right: Value) -> Value:
    """An operation on signless integers; unsigned operands are bridged."""
    if not left.type.startswith("ui"):
        return text.define(f"{operation} {left.name}, {right.name} : {left.type}", left.type)
    a, b = _bridge(text, left, left.type[1:]), _bridge(text, right, right.type[1:])
    made = text.define(f"{operation} {a.name}, {b.name} : {a.type}", a.type)
    return _bridge(text, made, left.type)


def _bridge(text: KernelText, value: Value, kind: str) -> Value:
    return text.define(f"builtin.unrealized_conversion_cast {value.name} : {value.type} to {kind}", kind)


def unary(text: KernelText, expr: UnaryExpr, lookup: Lookup) -> Value:
    """A unary expression."""
    operand = lookup(expr.operand)
    dtype = dtype_of(expr.operand)
    match expr:
        case Cast():
            return convert(text, operand, dtype, expr.dtype)
        case ir.Neg():
            if dtype.is_float():
                return text.define(f"arith.negf {operand.name} : {operand.type}", operand.type)
            zero = text.integer(0, operand.type)
            return text.define(f"arith.subi {zero.name}, {operand.name} : {operand.type}", operand.type)
        case ir.Not():
            zero = text.integer(0, operand.type)
            return text.define(f"arith.cmpi eq, {operand.name}, {zero.name} : {operand.type}", "i1")
        case ir.BitNot():
            ones = text.integer(-1, operand.type)
            return text.define(f"arith.xori {operand.name}, {ones.name} : {operand.type}", operand.type)
        case ir.Abs():
            name = "math.absf" if dtype.is_float() else "math.absi"
            return text.define(f"{name} {operand.name} : {operand.type}", operand.type)
        case _:
            raise InternalError(f"no scalar operation for {type(expr).__name__}", expr.span)


def convert(text: KernelText, value: Value, source: DataType, target: DataType) -> Value:
    """A scalar in another element type."""
    kind = element(target)
    if value.type == kind:
        return value
    if value.type.startswith("ui"):
        value = _bridge(text, value, value.type[1:])
    if target is DataType.INDEX and source.is_unsigned_int() and value.type != "i64":
        value = text.define(f"arith.extui {value.name} : {value.type} to i64", "i64")
    signless = kind[1:] if kind.startswith("ui") else kind
    if value.type != signless:
        name = _conversion(source, target)
        value = text.define(f"arith.{name} {value.name} : {value.type} to {signless}", signless)
    return value if kind == signless else _bridge(text, value, kind)


def _conversion(source: DataType, target: DataType) -> str:
    if DataType.INDEX in (source, target):
        return "index_cast"
    if source.is_float():
        if target.is_float():
            return "extf" if target.get_bit() > source.get_bit() else "truncf"
        return "fptoui" if target.is_unsigned_int() else "fptosi"
    unsigned = source.is_unsigned_int() or source is DataType.BOOL
    if target.is_float():
        return "uitofp" if unsigned else "sitofp"
    if target.get_bit() < source.get_bit():
        return "trunci"
    return "extui" if unsigned else "extsi"
