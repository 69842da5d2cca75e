# SPDX-License-Identifier: Apache-2.0
"""Element types as NumPy types, converting between them as the hardware does, and what never-written memory reads as.

Source: FP8, BF16 and the 4-bit types are those of ml_dtypes (4-bit elements take a byte each outside of memory).
"""

from __future__ import annotations

from typing import Any, Final, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from pypto_build.errors import UserError
from pypto_build.ir import DataType, PadValue

Array = NDArray[Any]

_D = DataType
NUMPY_TYPES: Final[dict[DataType, np.dtype[Any]]] = {
    dtype: np.dtype(kind)
    for dtype, kind in (
        (_D.BOOL, np.bool_),
        (_D.INT4, ml_dtypes.int4),
        (_D.INT8, np.int8),
        (_D.INT16, np.int16),
        (_D.INT32, np.int32),
        (_D.INT64, np.int64),
        (_D.INDEX, np.int64),
        (_D.UINT4, ml_dtypes.uint4),
        (_D.UINT8, np.uint8),
        (_D.UINT16, np.uint16),
        (_D.UINT32, np.uint32),
        (_D.UINT64, np.uint64),
        (_D.FP4, ml_dtypes.float4_e2m1fn),
        (_D.FP8E4M3FN, ml_dtypes.float8_e4m3fn),
        (_D.FP8E5M2, ml_dtypes.float8_e5m2),
        (_D.FP8E8M0, ml_dtypes.float8_e8m0fnu),
        (_D.FP16, np.float16),
        (_D.FP32, np.float32),
        (_D.BF16, ml_dtypes.bfloat16),
        (_D.TASK_ID, np.int64),
    )
}
POISON_BYTE: Final = 0xFF  # NaN in every IEEE-like type, -1 in signed integers
POISON_INT: Final = 0x5A5A5A5A5A5A5A5A  # cut to the width of the type: 0x5A5A is easily recognised
_WIDE_FLOAT: Final = np.dtype(np.float32)


def numpy_type(dtype: DataType) -> np.dtype[Any]:
    """The NumPy type of an element type; UserError where there is none."""
    found = NUMPY_TYPES.get(dtype)
    if found is None:
        raise UserError("SIM020", f"the simulator has no numbers of type {dtype}")
    return found


def working_type(dtype: DataType) -> np.dtype[Any]:
    """The type that arithmetic on an element type is done in: its own, for narrow floats FP32 and for 4 bits INT8."""
    kind = numpy_type(dtype)
    if dtype.is_float():
        return _WIDE_FLOAT
    if dtype in (DataType.INT4, DataType.UINT4):
        return np.dtype(np.int8)
    return kind


def convert(values: Array, dtype: DataType) -> Array:
    """Values in another element type: floats round to nearest even, integers wrap around, float to integer truncates.

    A float that no integer of the type can express becomes the nearest one, NaN becomes 0.
    """
    target = numpy_type(dtype)
    if values.dtype == target:
        return values
    if dtype.is_int():
        return _to_integer(values, dtype, target)
    if values.dtype in _SMALL_INTS:
        values = values.astype(np.int8)
    return values.astype(target)


_SMALL_INTS: Final = (np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4))


def integer_range(dtype: DataType) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    bits = dtype.get_bit()
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if dtype.is_signed_int() else (0, (1 << bits) - 1)


def _to_integer(values: Array, dtype: DataType, target: np.dtype[Any]) -> Array:
    if values.dtype in _SMALL_INTS:
        values = values.astype(np.int8)
    if _is_floating(values.dtype):
        low, high = integer_range(dtype)
        wide = np.nan_to_num(np.trunc(values.astype(np.float64)), nan=0.0, posinf=float(high), neginf=float(low))
        below = np.nextafter(float(high), 0.0) if float(high) > high else float(high)
        values = np.clip(wide, float(low), below)
        return np.where(wide >= high, high, values.astype(_carrier(dtype))).astype(target)
    if dtype in (DataType.INT4, DataType.UINT4):
        return _wrapped_nibbles(values.astype(np.int64), dtype).astype(target)
    return values.astype(target)


def _carrier(dtype: DataType) -> type[Any]:
    return np.uint64 if dtype is DataType.UINT64 else np.int64


def _wrapped_nibbles(values: Array, dtype: DataType) -> Array:
    nibbles = values & 0xF
    return np.where(nibbles > 7, nibbles - 16, nibbles) if dtype is DataType.INT4 else nibbles


def _is_floating(kind: np.dtype[Any]) -> bool:
    return kind.kind == "f" or (kind.kind == "V" and kind not in _SMALL_INTS)


def is_floating(values: Array) -> bool:
    """Whether the elements are floating-point numbers, the narrow types included."""
    return _is_floating(values.dtype)


def as_number(value: object, dtype: DataType) -> int | float | bool:
    """A scalar as it is after it was held in a variable of a type."""
    if dtype is DataType.BOOL:
        return bool(value)
    if dtype.is_float():
        return float(np.float32(value) if dtype is DataType.FP32 else numpy_type(dtype).type(value))  # type: ignore[arg-type]  # any number
    if isinstance(value, float):
        return int(convert(np.asarray(value), dtype))
    number = int(value)  # type: ignore[call-overload]  # an integer of Python or NumPy
    low, high = integer_range(dtype)
    return number if low <= number <= high else wrapped(number, dtype)


def wrapped(number: int, dtype: DataType) -> int:
    """An integer cut to the width of a type."""
    bits = dtype.get_bit()
    number &= (1 << bits) - 1
    return number - (1 << bits) if dtype.is_signed_int() and number >> (bits - 1) else number


def poison(dtype: DataType) -> object:
    """What an element reads as that nobody wrote: NaN, or a pattern of bits that is easily recognised."""
    if dtype.is_float():
        return np.array(np.nan, np.float32).astype(numpy_type(dtype))
    if dtype is DataType.BOOL:
        return False
    return numpy_type(dtype).type(wrapped(POISON_INT, dtype))


def unwritten(shape: tuple[int, ...], dtype: DataType) -> Array:
    """An array that nobody has written to."""
    return np.full(shape, poison(dtype), numpy_type(dtype))


def pad_number(pad: PadValue, dtype: DataType) -> object:
    """The element that a pad value stands for: infinities for floats that have them, else the ends of the range."""
    kind = numpy_type(dtype)
    if pad is PadValue.null:
        return poison(dtype)
    if pad is PadValue.zero:
        return kind.type(0)
    if dtype.is_float():
        return _extreme(kind, largest=pad is PadValue.max)
    low, high = integer_range(dtype)
    return kind.type(high if pad is PadValue.max else low)


def _extreme(kind: np.dtype[Any], *, largest: bool) -> object:
    info = cast("Any", ml_dtypes.finfo(kind))  # a class of ml_dtypes or of NumPy, with the same members
    infinite = np.array(np.inf if largest else -np.inf, np.float32).astype(kind)
    if np.isinf(infinite.astype(np.float32)):
        return infinite
    return info.max if largest else info.min
