# SPDX-License-Identifier: Apache-2.0
"""Building tables of semantics: twins of tensors and tiles, operands in the type that arithmetic is done in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pypto_build.ir import DataType
from pypto_simulators.functional.numbers import Array, convert, working_type
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.values import Block, Value

Function = Callable[..., Any]  # of arrays, element by element


def tiles(functions: Mapping[str, Semantics]) -> dict[str, Semantics]:
    """Semantics of tile operations, by name without `tile.`."""
    return {f"tile.{name}": semantics for name, semantics in functions.items()}


def tensors(functions: Mapping[str, Semantics]) -> dict[str, Semantics]:
    """Semantics of tensor operations, by name without `tensor.`."""
    return {f"tensor.{name}": semantics for name, semantics in functions.items()}


def twins(functions: Mapping[str, Semantics]) -> dict[str, Semantics]:
    """Semantics that tensor and tile operations of a name share."""
    return {**tiles(functions), **tensors(functions)}


def operand(op: Operation, index: int, dtype: DataType) -> Array:
    """An argument, tensor, tile or scalar, in the type that arithmetic on `dtype` is done in."""
    value: Value = op.args[index]
    if isinstance(value, Block):
        return value.known().astype(working_type(dtype), copy=False)
    return scalar_operand(value, dtype)


def scalar_operand(value: object, dtype: DataType) -> Array:
    """A scalar beside elements of a type: it is converted to that type first."""
    return convert(np.asarray(value), dtype).astype(working_type(dtype), copy=False)


def pointwise(function: Function, count: int) -> Semantics:
    """An operation on `count` operands that works element by element in the type of its result."""

    def semantics(op: Operation) -> Value:
        dtype = op.result_type.dtype
        return op.made(function(*(operand(op, i, dtype) for i in range(count))))

    return semantics


def unary(function: Function) -> Semantics:
    """An operation on one operand; integers are worked on as FP32 where the result is a float."""
    return pointwise(function, 1)


def binary(function: Function) -> Semantics:
    """An operation on two operands that broadcast."""
    return pointwise(function, 2)
