# SPDX-License-Identifier: Apache-2.0
"""The seven patterns that mark columns of a row: every second, every fourth, or all.

Pattern names read from right to left, the last digit is column 0: P0101 marks columns 0, 2, 4, ...
"""

from __future__ import annotations

from pypto_build.ir import Expr, as_int, const_index
from pypto_build.ops.arithmetic import divided_up, plus, scaled
from pypto_build.ops.deduce import format_shape
from pypto_build.ops.operands import Operands
from pypto_build.ops.regions import Region

# Pattern number -> one column in how many is marked, and which is the first.
_STRIDES = {1: 2, 2: 2, 3: 4, 4: 4, 5: 4, 6: 4, 7: 1}
_FIRST = {1: 0, 2: 1, 3: 0, 4: 1, 5: 2, 6: 3, 7: 0}


def check_pattern(operands: Operands) -> int:
    """One column in how many is marked by the mask_pattern attribute; ValueError when there is no such pattern."""
    pattern = operands.value("mask_pattern", 0)
    operands.check(pattern in _STRIDES, f"requires mask_pattern in range [1, 7], but got {pattern}")
    return _STRIDES[pattern]


def compacted(operands: Operands, shape: Region, what: str) -> Region:
    """The shape of the marked columns, side by side."""
    stride = check_pattern(operands)
    columns = as_int(shape[-1])
    if columns is None:
        raise operands.error(f"requires a static last dimension of {what}, but got {format_shape(shape)}")
    whole = columns % stride == 0
    operands.check(whole, f"requires the last dimension of {what} to be divisible by {stride}, but got {columns}")
    return (*shape[:-1], const_index(columns // stride))


def marked(operands: Operands, extent: Expr) -> Expr:
    """How many of the first `extent` columns are marked."""
    stride = check_pattern(operands)
    skipped = _FIRST[operands.value("mask_pattern", 0)]
    return divided_up(plus(extent, const_index(-skipped)), stride)


def spread(operands: Operands, shape: Region) -> Region:
    """The shape in which these columns are the marked ones."""
    return (*shape[:-1], scaled(shape[-1], check_pattern(operands)))
