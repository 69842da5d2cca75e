# SPDX-License-Identifier: Apache-2.0
"""Where each element of a tile lies: row by row, column by column, or in boxes.

A box has 16 elements along one axis and `fractal` bytes in all (16 x 16 elements in an accumulator). Boxes follow each
other as `blayout` says, elements in a box as `slayout` says. Source: the offsets of tiles in pto-isa.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from pypto_simulators.functional.numbers import Array, numpy_type
from pypto_simulators.pto_text.types import TileBuffer

_LONG_SIDE: Final = 16
_ACCUMULATOR: Final = 1024
_BY_COLUMNS: Final = "col_major"
_UNBOXED: Final = "none_box"


@cache
def places(kind: TileBuffer) -> Array:
    """For each row and column of a tile the position of its element, counted in elements from the tile's address."""
    rows, columns = np.indices(kind.shape)
    by_columns = kind.blayout == _BY_COLUMNS
    if kind.slayout == _UNBOXED:
        found: Any = columns * kind.shape[0] + rows if by_columns else rows * kind.shape[1] + columns
    else:
        found = _boxed(kind, rows, columns)
    found.flags.writeable = False
    return found


def box(kind: TileBuffer) -> tuple[int, int]:
    """Rows and columns of a box."""
    short = _LONG_SIDE
    if kind.fractal != _ACCUMULATOR:
        short = max(1, kind.fractal // (_LONG_SIDE * numpy_type(kind.dtype).itemsize))
    return (short, _LONG_SIDE) if kind.slayout == _BY_COLUMNS else (_LONG_SIDE, short)


def _boxed(kind: TileBuffer, rows: Any, columns: Any) -> Any:
    height, width = box(kind)
    across, within_row = np.divmod(columns, width)
    down, within_column = np.divmod(rows, height)
    if kind.blayout == _BY_COLUMNS:
        start = across * kind.shape[0] * width + down * height * width
    else:
        start = down * height * kind.shape[1] + across * height * width
    if kind.slayout == _BY_COLUMNS:
        return start + within_row * height + within_column
    return start + within_column * width + within_row
