# SPDX-License-Identifier: Apache-2.0
"""Conversions between element types and their rounding modes (none, rint, round, floor, ceil, trunc, odd as 0 to 6).

A float beyond the range of an integer type becomes the nearest end of it; an integer keeps the low bits that fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from typing import cast as cast_type

import ml_dtypes
import numpy as np

from pypto_build.ir import DataType
from pypto_simulators.functional.numbers import Array, convert, is_floating, numpy_type
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import twins
from pypto_simulators.functional.values import Value

NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD = range(7)


def cast(values: Array, dtype: DataType, mode: int) -> Array:
    """Values in another element type, rounded as the mode says."""
    if dtype.is_float():
        return _to_float(values, dtype, mode)
    if is_floating(values):
        values = _TO_WHOLE[mode](values.astype(np.float64))
    return convert(values, dtype)


def _half_away(values: Array) -> Array:
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


def _to_odd(values: Array) -> Array:
    down = np.floor(values)
    return np.where((values != down) & (down % 2 == 0), down + 1, down)


_TO_WHOLE: Final[dict[int, Callable[[Array], Array]]] = {
    NONE: np.rint,
    RINT: np.rint,
    ROUND: _half_away,
    FLOOR: np.floor,
    CEIL: np.ceil,
    TRUNC: np.trunc,
    ODD: _to_odd,
}


def _to_float(values: Array, dtype: DataType, mode: int) -> Array:
    nearest = convert(values, dtype)
    if mode in (NONE, RINT):
        return nearest
    exact, got = values.astype(np.float64), nearest.astype(np.float64)
    inexact = np.isfinite(exact) & np.isfinite(got) & (got != exact)
    if not inexact.any():
        return nearest
    other = _neighbour(nearest, upward=got < exact)
    return np.where(inexact & _OTHER[mode](exact, nearest, other), other, nearest)


def _neighbour(values: Array, *, upward: Array) -> Array:
    """The next number of the type, towards plus or minus infinity: one step of the bits."""
    kind: Any = np.dtype(f"int{8 * values.dtype.itemsize}")
    bits = values.view(kind)
    negative, zero = np.signbit(values.astype(np.float32)), values.astype(np.float32) == 0
    step = np.where(upward != negative, 1, -1).astype(kind)
    moved = (bits + step).view(values.dtype)
    info = cast_type("Any", ml_dtypes.finfo(values.dtype))
    tiny = np.asarray(info.smallest_subnormal, values.dtype)
    return np.where(zero, np.where(upward, tiny, -tiny), moved)


def _wide(values: Array) -> Array:
    return values.astype(np.float64)


def _is_odd(values: Array) -> Array:
    return (values.view(f"uint{8 * values.dtype.itemsize}") & 1) == 1


# Whether the other neighbour is meant rather than the nearest, given the exact value and both.
_OTHER: Final[dict[int, Callable[[Array, Array, Array], Array]]] = {
    ROUND: lambda exact, near, other: (
        (np.abs(_wide(other) - exact) == np.abs(_wide(near) - exact)) & (np.abs(_wide(other)) > np.abs(_wide(near)))
    ),
    FLOOR: lambda exact, near, _: _wide(near) > exact,
    CEIL: lambda exact, near, _: _wide(near) < exact,
    TRUNC: lambda exact, near, _: np.abs(_wide(near)) > np.abs(exact),
    ODD: lambda _exact, near, _: ~_is_odd(near),
}


def _converted(op: Operation) -> Value:
    dtype = op.dtype("target_type", DataType.FP32)
    mode = op.integer("mode", RINT)
    if mode not in _TO_WHOLE:
        raise op.error(f"has no rounding mode {mode}")
    numpy_type(dtype)
    return op.made(cast(op.block(0).known(), dtype, mode))


TABLE: Final[dict[str, Semantics]] = twins({"cast": _converted})
