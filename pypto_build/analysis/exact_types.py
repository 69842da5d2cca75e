# SPDX-License-Identifier: Apache-2.0
"""Which element types hold every number of another, so that a conversion there and back changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.ir import DataType


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What a floating-point type can say: significand bits with the hidden one, largest number, smallest step."""

    digits: int
    largest: float
    step: float


_FLOATS = {
    DataType.FP32: _Numbers(24, 2.0**128 - 2.0**104, 2.0**-149),
    DataType.BF16: _Numbers(8, 2.0**128 - 2.0**120, 2.0**-133),
    DataType.FP16: _Numbers(11, 65504.0, 2.0**-24),
    DataType.FP8E4M3FN: _Numbers(4, 448.0, 2.0**-9),
    DataType.FP8E5M2: _Numbers(3, 57344.0, 2.0**-16),
    DataType.HF8: _Numbers(4, 32768.0, 2.0**-22),
    DataType.FP4: _Numbers(2, 6.0, 0.5),
}


def holds_all(wide: DataType, narrow: DataType) -> bool:
    """Whether every number of `narrow` is a number of `wide`; False for types without numbers here."""
    if wide.is_int():
        low, high = _bounds(wide)
        return narrow.is_int() and low <= _bounds(narrow)[0] and _bounds(narrow)[1] <= high
    numbers, other = _FLOATS.get(wide), _FLOATS.get(narrow)
    if numbers is None:
        return False
    if narrow.is_int():
        low, high = _bounds(narrow)
        return max(-low, high) <= min(2**numbers.digits, numbers.largest)
    if other is None:
        return False
    return numbers.digits >= other.digits and numbers.largest >= other.largest and numbers.step <= other.step


def _bounds(dtype: DataType) -> tuple[int, int]:
    bits = dtype.get_bit()
    return (0, 2**bits - 1) if dtype.is_unsigned_int() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
