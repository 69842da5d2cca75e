# SPDX-License-Identifier: Apache-2.0
"""Evaluating expressions: a table of node class -> function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pypto_build.errors import UserError
from pypto_build.ir import (
    BINARY_CLASSES,
    UNARY_CLASSES,
    And,
    BinaryExpr,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    GlobalVar,
    IterArg,
    MakeTuple,
    MemRef,
    Or,
    Submit,
    TupleGetItemExpr,
    UnaryExpr,
    Var,
    WindowBuffer,
)
from pypto_simulators.functional.errors import NO_SEMANTICS, NO_VALUE, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.functional.numbers import as_number
from pypto_simulators.functional.operation import Operation
from pypto_simulators.functional.scalars import BINARY, UNARY
from pypto_simulators.functional.scheduler import Pending
from pypto_simulators.functional.values import Value

if TYPE_CHECKING:
    from pypto_simulators.functional.frame import Frame

_WORD: Final = (DataType.INDEX, DataType.INT64)


def evaluate(frame: Frame, expr: Expr) -> Value:
    """The value of an expression.

    Raises:
        UserError: it reads a variable without a value, divides by zero, or calls something that cannot be simulated.
    """
    return _EVALUATORS[type(expr)](frame, expr)


def _variable(frame: Frame, var: Var) -> Value:
    try:
        return frame.values[var]
    except KeyError:
        raise fail(NO_VALUE, f"{var.name_hint} is read before it has a value", var.span) from None


def _constant(_: Frame, constant: ConstInt | ConstFloat | ConstBool) -> Value:
    return constant.value


def _float_constant(_: Frame, constant: ConstFloat) -> Value:
    return as_number(constant.value, constant.dtype)


def _binary(frame: Frame, expr: BinaryExpr) -> Value:
    left = evaluate(frame, expr.left)
    kind = type(expr)
    if (kind is And and not left) or (kind is Or and left):
        return bool(left)
    right = evaluate(frame, expr.right)
    try:
        value = BINARY[kind](left, right)
    except (ZeroDivisionError, ValueError, TypeError) as problem:
        raise fail(WRONG_VALUE, f"cannot compute {left} {kind.__name__} {right}: {problem}", expr.span) from problem
    return _held(value, expr.dtype)


def _unary(frame: Frame, expr: UnaryExpr) -> Value:
    return _held(UNARY[type(expr)](evaluate(frame, expr.operand)), expr.dtype)


def _held(value: Any, dtype: DataType) -> Value:
    if type(value) is int and dtype in _WORD and -(1 << 63) <= value < 1 << 63:
        return value
    return as_number(value, dtype)


def _tuple(frame: Frame, expr: MakeTuple) -> Value:
    return tuple(evaluate(frame, element) for element in expr.elements)


def _element(frame: Frame, expr: TupleGetItemExpr) -> Value:
    whole = evaluate(frame, expr.tuple)
    if isinstance(whole, Pending):
        return whole.element(expr.index)
    if not isinstance(whole, tuple):
        return whole if expr.index == 0 else _no_element(expr)
    return whole[expr.index] if expr.index < len(whole) else _no_element(expr)  # type: ignore[return-value]  # raises


def _no_element(expr: TupleGetItemExpr) -> UserError:
    raise fail(WRONG_VALUE, f"there is no element {expr.index} of this tuple", expr.span)


def _call(frame: Frame, call: Call) -> Value:
    if isinstance(call.op, GlobalVar):
        return frame.machine.call(frame, call)
    return computed(Operation(frame, call, [evaluate(frame, arg) for arg in call.args]))


def computed(operation: Operation) -> Value:
    """What an operation yields, counted under its name.

    Raises:
        UserError: it has no semantics, or its arguments do not fit each other.
    """
    call, machine = operation.call, operation.frame.machine
    semantics = machine.semantics.get(call.op.name)
    if semantics is None:
        raise _no_semantics(call.op.name, call)
    machine.operations[operation.name] += 1
    try:
        with np.errstate(all="ignore"):
            return semantics(operation)
    except UserError as problem:
        if not problem.span.is_valid():
            problem.span = call.span
        raise
    except ValueError as problem:  # what NumPy says of shapes that do not fit
        raise fail(WRONG_SHAPE, f"{operation.name} cannot be computed: {problem}", call.span) from problem


def _no_semantics(name: str, call: Call) -> UserError:
    distributed = name.startswith(("pld.", "builtin.", "dist."))
    why = "works across devices, and the functional simulator runs one" if distributed else "has no semantics here"
    return fail(NO_SEMANTICS, f"{name} cannot be simulated: it {why}", call.span)


def _submit(frame: Frame, submit: Submit) -> Value:
    return frame.machine.submit(frame, submit)


_EVALUATORS: Final[dict[type, Callable[[Any, Any], Value]]] = {
    Var: _variable,
    IterArg: _variable,
    MemRef: _variable,
    WindowBuffer: _variable,
    ConstInt: _constant,
    ConstBool: _constant,
    ConstFloat: _float_constant,
    MakeTuple: _tuple,
    TupleGetItemExpr: _element,
    Call: _call,
    Submit: _submit,
    **dict.fromkeys(BINARY_CLASSES, _binary),
    **dict.fromkeys(UNARY_CLASSES, _unary),
}
