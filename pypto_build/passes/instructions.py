# SPDX-License-Identifier: Apache-2.0
"""What the vector instructions of the chips can do, as data for their descriptions.

Source: the public table of native conversions of each chip generation, and the public list of operations whose tile
operands and result must lie row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pypto_build.ir import DataType

D = DataType
Casts = frozenset[tuple[DataType, DataType]]


def _casts(table: Mapping[DataType, tuple[DataType, ...]]) -> Casts:
    return frozenset((source, target) for source, targets in table.items() for target in targets)


CASTS_910B = _casts(
    {
        D.FP32: (D.FP16, D.BF16, D.INT16, D.INT32, D.INT64),
        D.FP16: (D.FP32, D.INT32, D.INT16, D.INT8, D.UINT8, D.INT4),
        D.BF16: (D.FP32, D.INT32),
        D.INT16: (D.FP16, D.FP32),
        D.INT32: (D.FP32, D.INT16, D.INT64, D.FP16),
        D.INT64: (D.FP32, D.INT32),
        D.UINT8: (D.FP16,),
        D.INT8: (D.FP16,),
        D.INT4: (D.FP16,),
    }
)

CASTS_950 = _casts(
    {
        D.FP32: (D.FP16, D.BF16, D.INT16, D.INT32, D.INT64, D.FP8E4M3FN, D.FP8E5M2, D.HF8),
        D.FP16: (D.FP32, D.INT32, D.INT16, D.INT8, D.UINT8, D.HF8),
        D.BF16: (D.FP32, D.INT32, D.FP16, D.FP4),
        D.INT16: (D.FP16, D.FP32, D.UINT8, D.UINT32, D.INT32),
        D.INT32: (D.FP32, D.INT16, D.INT64, D.UINT16, D.UINT8),
        D.INT64: (D.FP32, D.INT32),
        D.UINT8: (D.FP16, D.UINT16),
        D.INT8: (D.FP16, D.INT16, D.INT32),
        D.UINT32: (D.UINT8, D.UINT16, D.INT16),
        D.FP8E4M3FN: (D.FP32,),
        D.FP8E5M2: (D.FP32,),
        D.HF8: (D.FP32,),
        D.FP4: (D.BF16,),
    }
)

_ONE = ("abs", "exp", "sqrt", "not", "relu", "cast")
_ONE_AND_SCALAR = ("adds", "subs", "muls", "divs", "fmods", "maximums", "lrelu", "cmps")
_TWO = ("add", "sub", "mul", "fmod", "and", "or", "shl", "shr", "maximum", "minimum", "rsqrt", "sort32", "mscatter")
_TWO_PARTS = ("part_add", "part_mul", "part_max", "part_min")
_FIRST_AND_THIRD = ("addsc", "subsc")
_THREE = ("rem", "xor")

ROW_MAJOR: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        **{f"tile.{name}": (0,) for name in (*_ONE, *_ONE_AND_SCALAR)},
        **{f"tile.{name}": (0, 1) for name in (*_TWO, *_TWO_PARTS)},
        **{f"tile.{name}": (0, 2) for name in _FIRST_AND_THIRD},
        **{f"tile.{name}": (0, 1, 2) for name in _THREE},
        "tile.row_expand_add": (0,),  # the vector may be a column
    }
)
"""Which arguments of an operation must lie row by row if they are tiles; its result must too."""
