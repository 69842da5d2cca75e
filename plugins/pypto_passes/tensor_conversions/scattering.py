# SPDX-License-Identifier: Apache-2.0
"""Scattering elements or rows into a matrix: what is not written keeps its value.

The hardware scatters through flat indices and leaves undefined what it does not write. So the values are scattered into
zeros, ones are scattered the same way, and where no one arrived the old element is selected. (A product with the mask
would do as well, but BF16 and INT8 tiles cannot be multiplied.)
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Call, DataType, Expr, MakeTuple, as_int, const_index
from pypto_build.ops.proof import product
from pypto_passes.tensor_conversions.building import Building, Shape, constant, refused, shaped_type, tile_type
from pypto_passes.tensor_conversions.gathering import flat_by_column

_LARGEST_NARROW = 2**15 - 1
_INSTEAD = "scatter into a smaller part of the matrix, or in a 4-byte type"
_NOT_EQUAL = 1  # of tile.cmps


def scattered(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Element (row, k) of the source goes to the column index[row, k] of that row."""
    target, index, source = (to.tile(arg) for arg in args)
    shape, into = tile_type(source).shape, tile_type(target).shape
    _check_extents(call, shape, into)
    columns = to.cast("scatter_columns", index, DataType.INT32)
    flat = flat_by_column(to, columns, shape, width=as_int(into[1]) or 0)
    return _blend(to, target, source, _narrowed(to, flat, target))


def row_scattered(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Row k of the source goes to row index[k], the index counted through."""
    target, index, source = (to.tile(arg) for arg in args)
    if len(tile_type(target).shape) != 2:
        raise refused(call, "in a kernel: only 2D input/src is currently supported", instead=_INSTEAD)
    shape, into = tile_type(source).shape, tile_type(target).shape
    _check_extents(call, shape, into)
    count, width = (as_int(dim) or 0 for dim in shape)
    wide = to.cast("scatter_rows", index, DataType.INT32)
    rows = to.let("scatter_rows_2d", to.op("tile.reshape", wide, MakeTuple((const_index(count), const_index(1)))))
    flat = rows if width == 1 else _elements_of_rows(to, rows, shape, width)
    return _blend(to, target, source, _narrowed(to, flat, target))


def _elements_of_rows(to: Building, rows: Expr, shape: Shape, width: int) -> Expr:
    """The flat indices of all elements of some rows, given by number."""
    row, first = MakeTuple((const_index(1), const_index(width))), constant(0, DataType.INT32)
    line = to.let("scatter_arange", to.op("tile.ci", first, row, dtype=DataType.INT32, descending=False))
    template = _filled(to, "scatter_zero", shape, DataType.INT32, 0)
    columns = to.let("scatter_columns", to.op("tile.col_expand", template, line))
    base = to.let("scatter_row_base", to.op("tile.muls", rows, constant(width, DataType.INT32)))
    return to.let("scatter_flat_idx", to.op("tile.row_expand_add", columns, base))


def mask_scattered(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """The columns of the input go to the marked columns of the destination."""
    source, target = (to.tile(arg) for arg in args)
    return to.op("tile.scatter_mask", target, source, **call.kwargs)


def _check_extents(call: Call, source: Shape, target: Shape) -> None:
    if product(source) is None or product(target) is None:
        raise refused(call, "in a kernel takes matrices with constant extents only", instead=_INSTEAD)
    count = product(target) or 0
    if shaped_type(call).dtype.get_byte() < 4 and count > _LARGEST_NARROW:
        text = f"into {count} elements of {shaped_type(call).dtype} exceeds the i16 flat-index limit"
        raise refused(call, text, instead=_INSTEAD)


def _narrowed(to: Building, flat: Expr, target: Expr) -> Expr:
    """Indices beside 2-byte elements have 2 bytes; they are narrowed last, because a short column would be misread."""
    wide = tile_type(target).dtype.get_byte() == 4
    return to.cast("scatter_narrow", flat, DataType.INT32 if wide else DataType.INT16)


def _blend(to: Building, target: Expr, source: Expr, flat: Expr) -> Call:
    shape, dtype = tile_type(target).shape, tile_type(target).dtype
    base = _filled(to, "scatter_base", shape, dtype, 0)
    values = to.let("scatter_values", to.op("tile.scatter", base, source, flat))
    unmarked = _filled(to, "scatter_unmarked", shape, dtype, 0)
    ones = _filled(to, "scatter_ones", tile_type(source).shape, dtype, 1)
    marks = to.let("scatter_marks", to.op("tile.scatter", unmarked, ones, flat))
    mask = to.let("scatter_mask", to.op("tile.cmps", marks, constant(0, dtype), cmp_type=_NOT_EQUAL))
    scratch = to.create("scatter_tmp", (const_index(1), const_index(32)), DataType.UINT8)
    return to.op("tile.sel", mask, values, target, scratch)


def _filled(to: Building, hint: str, shape: Shape, dtype: DataType, value: int) -> Expr:
    return to.let(hint, to.op("tile.full", MakeTuple(shape), constant(value, dtype), dtype=dtype))
