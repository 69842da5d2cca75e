# SPDX-License-Identifier: Apache-2.0
"""Gathering along the last axis of a matrix: in one go by flat indices, or row by row where the hardware cannot.

The flat index of (row, k) is row * columns + index[row, k], computed in INT32. The row numbers are one line of integers
divided by the length of a row, so that every tile on the way consists of whole, row-major rows of 32 bytes; where the
indices of a row are no multiple of that, the row numbers are a column that is added to each row instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Call, DataType, Expr, IterArg, MakeTuple, TileType, Var, as_int, const_index
from pypto_build.ops.arithmetic import divided_up, scaled
from pypto_build.ops.proof import product
from pypto_passes.tensor_conversions.building import Building, Shape, constant, part, refused, shaped_type, zeros

_ROW_BYTES = 32
_INSTEAD = "gather along the last axis of a matrix with constant extents (pl.transpose and pl.reshape first)"


def gathered(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """One element of the input per element of the index, in the same row."""
    source, index = args
    shapes = [shaped_type(value).shape for value in args]
    if any(len(shape) != 2 or product(shape) is None for shape in shapes):
        raise refused(call, "in a kernel takes matrices with constant extents only", instead=_INSTEAD)
    if call.kwargs.get("dim", -1) not in (-1, 1):
        raise refused(call, "in a kernel gathers along the last axis only", instead=_INSTEAD)
    return _flat(to, source, index) if to.around.flat_gather else _by_row(to, source, index)


def compared(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """The columns that compare as asked, and their number per row: beside a scratch byte for each element."""
    source, threshold = to.tile(args[0]), args[1]
    rows, columns = shaped_type(source).shape
    width = scaled(divided_up(columns, _ROW_BYTES), _ROW_BYTES)
    scratch = to.create("gather_mask", (rows, width), DataType.UINT8)
    return to.op("tile.gather_compare", source, threshold, scratch, **call.kwargs)


def _flat(to: Building, source: Expr, index: Expr) -> Var:
    """Index rows may be fewer than source rows: both start at the first."""
    taken, wanted = (shaped_type(value).shape for value in (source, index))
    whole: Expr = to.let("gather_inp", part(to, source, zeros(2), taken))
    if isinstance(source.type, TileType):  # flat indices count elements, so the rows must lie next to each other
        copy = to.create("gather_src_alloc", taken, source.type.dtype)
        whole = to.let("gather_src_copy", to.op("tile.assemble", copy, whole, zeros(2)))
    columns = to.let("gather_idx", part(to, index, zeros(2), wanted))
    narrow = shaped_type(index).dtype
    columns = to.cast("gather_idx_wide", columns, DataType.INT32)
    aligned = _extent(wanted[1]) * DataType.INT32.get_byte() % _ROW_BYTES == 0 and _extent(wanted[0]) > 1
    flatten = _flat_by_place if aligned else flat_by_column
    flat = to.cast("gather_flat", flatten(to, columns, wanted, width=_extent(taken[1])), narrow)
    scratch = to.create("gather_tmp", wanted, DataType.INT32)
    return to.let("gather", to.op("tile.gather", whole, flat, scratch))


def flat_by_column(to: Building, columns: Expr, shape: Shape, *, width: int) -> Expr:
    """INT32 indices into rows of `width` elements as indices into the whole matrix: a column of row starts is added."""
    rows = _extent(shape[0])
    if rows == 1:
        return columns
    numbers = _count_to(to, "row_arange", rows, (shape[0], const_index(1)))
    base = to.let("row_base", to.op("tile.muls", numbers, constant(width, DataType.INT32)))
    return to.let("flat_idx", to.op("tile.row_expand_add", columns, base))


def _flat_by_place(to: Building, columns: Expr, shape: Shape, *, width: int) -> Expr:
    """The same by whole tiles: the row of each place is its number divided by the length of a row."""
    rows, count = map(_extent, shape)
    places = _count_to(to, "linear", rows * count, shape)
    numbers = to.let("row_ids", to.op("tile.divs", places, constant(count, DataType.INT32)))
    base = to.let("row_base", to.op("tile.muls", numbers, constant(width, DataType.INT32)))
    return to.let("flat_idx", to.op("tile.add", columns, base))


def _count_to(to: Building, hint: str, count: int, shape: Shape) -> Var:
    """0 to count - 1 as INT32 in a shape."""
    row = MakeTuple((const_index(1), const_index(count)))
    line = to.let(hint, to.op("tile.ci", constant(0, DataType.INT32), row, dtype=DataType.INT32, descending=False))
    return to.let(f"{hint}_2d", to.op("tile.reshape", line, MakeTuple(shape)))


def _by_row(to: Building, source: Expr, index: Expr) -> Var:
    taken, wanted = (shaped_type(value).shape for value in (source, index))
    start = to.create("gather_acc_init", wanted, shaped_type(source).dtype)

    def row(at: Var, acc: IterArg) -> Expr:
        place = MakeTuple((at, const_index(0)))
        elements = to.let("gather_inp_row", part(to, source, place, _one_row(taken)))
        columns = to.let("gather_idx_row", part(to, index, place, _one_row(wanted)))
        scratch = to.create("gather_row_tmp", _one_row(wanted), DataType.INT32)
        found = to.let("gather_row", to.op("tile.gather", elements, columns, scratch))
        return to.let("gather_asmbl", to.op("tile.assemble", acc, found, place))

    return to.loop("gather", wanted[0], start, row)


def _one_row(shape: Shape) -> Shape:
    return (const_index(1), shape[1])


def _extent(dim: Expr) -> int:
    return as_int(dim) or 0
