# SPDX-License-Identifier: Apache-2.0
"""Operations on scalars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_build.ir import DataType
from pypto_simulators.functional.errors import WRONG_VALUE, fail
from pypto_simulators.functional.numbers import as_number
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.module import Operation, Value
from pypto_simulators.pto_text.scalars import BINARY, CASTS, COMPARISONS, UNARY, binary, cast, compare
from pypto_simulators.pto_text.types import Scalar, Vector


def _dtype(activation: Activation, value: Value) -> DataType:
    kind = value.type
    if not isinstance(kind, Scalar):
        raise fail(WRONG_VALUE, f"{value.name} is no number, but {kind}", activation.span)
    return kind.dtype


def _constant(activation: Activation, operation: Operation) -> None:
    for result in operation.results:
        value = operation.attributes["value"]
        if isinstance(result.type, Vector):
            activation.give(operation, [value] * result.type.count)
        else:
            activation.give(operation, as_number(value, _dtype(activation, result)))


def _binary(activation: Activation, operation: Operation) -> None:
    left, right = activation.values(operation.operands)
    dtype = _dtype(activation, operation.operands[0])
    try:
        activation.give(operation, binary(operation.name, left, right, dtype=dtype))
    except (ZeroDivisionError, ValueError) as problem:
        message = f"cannot compute {operation.name} of {left} and {right}: {problem}"
        raise fail(WRONG_VALUE, message, operation.span) from problem


def _unary(activation: Activation, operation: Operation) -> None:
    value = activation.value(operation.operands[0])
    activation.give(operation, as_number(UNARY[operation.name](value), _dtype(activation, operation.operands[0])))


def _comparison(activation: Activation, operation: Operation) -> None:
    left, right = activation.values(operation.operands)
    dtype = _dtype(activation, operation.operands[0])
    activation.give(operation, compare(str(operation.attributes["predicate"]), left, right, dtype=dtype))


def _cast(activation: Activation, operation: Operation) -> None:
    source = operation.operands[0]
    for result in operation.results:
        value = activation.value(source)
        target = _dtype(activation, result)
        activation.give(operation, cast(operation.name, value, source=_dtype(activation, source), target=target))


def _selection(activation: Activation, operation: Operation) -> None:
    condition, first, second = activation.values(operation.operands)
    activation.give(operation, first if condition else second)


EXECUTORS: Final[Mapping[str, Executor]] = {
    "arith.constant": _constant,
    "arith.select": _selection,
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(COMPARISONS, _comparison),
    **dict.fromkeys(CASTS, _cast),
}
