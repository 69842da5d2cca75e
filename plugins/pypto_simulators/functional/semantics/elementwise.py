# SPDX-License-Identifier: Apache-2.0
"""Arithmetic element by element: of one, two or three operands, of which any but the first may be a scalar.

Source of the signs: `fmod` takes the sign of the dividend, `rem` that of the divisor; integer division truncates.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import Function, binary, operand, pointwise, tiles, twins, unary
from pypto_simulators.functional.values import Value, region


def divide(left: Array, right: Array) -> Array:
    """A quotient; of integers towards zero, and 0 where the divisor is 0."""
    if left.dtype.kind == "f":
        return left / right
    quotient = left // right
    inexact = (left % right != 0) & ((left < 0) != (right < 0)) & (right != 0)
    return quotient + inexact.astype(quotient.dtype)


def leaky(values: Array, slope: Array) -> Array:
    """The value, or slope times the value where it is negative."""
    return np.where(values < 0, values * slope, values)


def relu(values: Array) -> Array:
    """The value, or 0 where it is negative."""
    return np.maximum(values, np.zeros((), values.dtype))


def reciprocal(values: Array) -> Array:
    """1 / the value."""
    return divide(np.ones((), values.dtype), values)


def inverse_root(values: Array) -> Array:
    """1 / the square root."""
    return np.reciprocal(np.sqrt(values))


def part(function: Function) -> Semantics:
    """Where both are valid the function, where one is that one."""

    def semantics(op: Operation) -> Value:
        dtype = op.result_type.dtype
        left, right = operand(op, 0, dtype), operand(op, 1, dtype)
        both = tuple(map(min, op.block(0).valid, op.block(1).valid))
        made: Any = op.made(np.zeros(left.shape, left.dtype))
        for block, data in ((op.block(0), left), (op.block(1), right)):
            made.data[region(block.valid)] = data[region(block.valid)].astype(made.data.dtype)
        joint = region(both)
        made.data[joint] = function(left[joint], right[joint]).astype(made.data.dtype)
        return made

    return semantics


def _add_three(first: Array, second: Array, third: Array) -> Array:
    return first + second + third


def _subtract_and_add(first: Array, second: Array, third: Array) -> Array:
    return first - second + third


_ARITHMETIC: Final[dict[str, Function]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmod": np.fmod,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "shr": np.right_shift,
}
_TILES_ONLY: Final[dict[str, Function]] = {
    "rem": np.mod,
    "rems": np.mod,
    "maximums": np.maximum,
    "minimums": np.minimum,
    "lrelu": leaky,
    "prelu": leaky,
}
_UNARY: Final[dict[str, Function]] = {
    "abs": np.abs,
    "exp": np.exp,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "not": np.invert,
    "log": np.log,
    "recip": reciprocal,
    "rsqrt": inverse_root,
}
_PARTS: Final[dict[str, Function]] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}

TABLE: Final[dict[str, Semantics]] = {
    **twins({name: binary(function) for name, function in _ARITHMETIC.items()}),
    **twins({f"{name}s": binary(f) for name, f in _ARITHMETIC.items() if name not in ("maximum", "minimum")}),
    **tiles({name: binary(function) for name, function in _TILES_ONLY.items()}),
    **twins({name: unary(function) for name, function in _UNARY.items()}),
    **twins({f"part_{name}": part(function) for name, function in _PARTS.items()}),
    **tiles({name: pointwise(_add_three, 3) for name in ("addc", "addsc")}),
    **tiles({name: pointwise(_subtract_and_add, 3) for name in ("subc", "subsc")}),
    **tiles({"relu": unary(relu)}),
}
