# SPDX-License-Identifier: Apache-2.0
"""Tensor operations on one tensor, element by element: the result is valid exactly where the input is."""

from __future__ import annotations

from pypto_build.ir import DataType, TensorType
from pypto_build.ops.deduce_tensor import checked_valid, fresh_tensor
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands

_PRECISE_DTYPES = (DataType.FP16, DataType.FP32)


def same_dtype(operands: Operands) -> TensorType:
    """An operation that every number has."""
    return _result(operands, operands.tensor(0).dtype)


def to_float(operands: Operands) -> TensorType:
    """An operation of floating-point numbers; integers become FP32."""
    dtype = operands.tensor(0).dtype
    return _result(operands, dtype if dtype.is_float() else DataType.FP32)


def reciprocal(operands: Operands) -> TensorType:
    """1 / x; the precise form exists for two element types only."""
    dtype = operands.tensor(0).dtype
    operands.check(
        dtype in _PRECISE_DTYPES or not operands.value("high_precision", False),
        f"supports high_precision only for FP16 or FP32 inputs, but got {dtype}",
    )
    return to_float(operands)


def logarithm(operands: Operands) -> TensorType:
    """The natural logarithm."""
    dtype = operands.tensor(0).dtype
    operands.check(dtype in _PRECISE_DTYPES, f"requires an FP16 or FP32 tensor dtype, but got {dtype}")
    return _result(operands, dtype)


def trigonometric(operands: Operands) -> TensorType:
    """A function that is approximated in FP32 only."""
    dtype = operands.tensor(0).dtype
    operands.check(dtype is DataType.FP32, f"requires an FP32 tensor, but got {dtype}")
    return _result(operands, dtype)


def converted(operands: Operands) -> TensorType:
    """Another element type; the conversion instruction is not defined from a type to itself."""
    source, target = operands.tensor(0), operands.dtype("target_type")
    operands.check(
        source.dtype is not target, f"got {target} for a tensor of {target}: same-dtype cast is not a valid operation"
    )
    return _result(operands, target)


def _result(operands: Operands, dtype: DataType) -> TensorType:
    source = operands.tensor(0)
    return fresh_tensor(source.shape, dtype, checked_valid(operands, source))


_INPUT = (ArgDef("input", "TensorType"),)
_PRECISION = (KwargDef("high_precision", bool, default=False),)

_TABLE = (
    ("tensor.abs", (), same_dtype, "the absolute value"),
    ("tensor.neg", (), same_dtype, "the negated value"),
    ("tensor.exp", (), to_float, "e to the power of the value"),
    ("tensor.sqrt", (), to_float, "the square root"),
    ("tensor.rsqrt", _PRECISION, to_float, "1 / the square root"),
    ("tensor.recip", _PRECISION, reciprocal, "1 / the value"),
    ("tensor.log", _PRECISION, logarithm, "the natural logarithm"),
    ("tensor.sin", (), trigonometric, "the sine"),
    ("tensor.cos", (), trigonometric, "the cosine"),
    (
        "tensor.cast",
        (KwargDef("target_type", DataType, required=True), KwargDef("mode", int, required=True)),
        converted,
        "converted to another element type; mode: none, rint, round, floor, ceil, trunc, odd as 0 to 6",
    ),
)

OPS = tuple(
    OpDef(name=name, category="TensorOp", args=_INPUT, kwargs=kwargs, deduce=deduce, description=description)
    for name, kwargs, deduce, description in _TABLE
)
