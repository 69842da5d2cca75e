# SPDX-License-Identifier: Apache-2.0
"""Reductions of a tile along its rows (the last axis) or its columns (the first axis).

Only valid elements are reduced, so the reduced axis of the result is fully valid.
"""

from __future__ import annotations

from pypto_build.ir import DataType, TileLayout, TileType, as_int
from pypto_build.ops.arithmetic import ONE
from pypto_build.ops.deduce import check_dtype, format_shape
from pypto_build.ops.deduce_tile import checked_valid, effective_layout, tile_type
from pypto_build.ops.definition import AccessEvidence, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import difference, provably_different
from pypto_build.ops.tables import VEC, family, in_vector, tiles

_MINIMUM = (DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32)


def _reduced(operands: Operands, axis: int, dtype: DataType | None = None) -> TileType:
    source = operands.tile(0)
    operands.check(len(source.shape) >= 2, f"requires a tile of rank >= 2, but got {format_shape(source.shape)}")
    valid = checked_valid(operands, source)
    at = axis % len(source.shape)
    operands.check(as_int(valid[at]) != 0, f"has nothing to reduce: the valid extent on axis {at} is 0")
    shape = (*source.shape[:at], ONE, *source.shape[at + 1 :])
    region = (*valid[:at], ONE, *valid[at + 1 :])
    return tile_type(shape, dtype or source.dtype, region)


def _check_scratch(operands: Operands, *, exact: bool) -> None:
    source, scratch = operands.tile(0), operands.tile(1)
    operands.check(
        scratch.dtype is source.dtype,
        "requires tmp_tile dtype to match input dtype, "
        f"but got tmp_tile dtype {scratch.dtype} and input dtype {source.dtype}",
    )
    same_rank = len(scratch.shape) == len(source.shape)
    shapes = f"{format_shape(scratch.shape)} for {format_shape(source.shape)}"
    operands.check(same_rank, f"requires tmp_tile and the input to have the same rank, but got {shapes}")
    pairs = tuple(zip(scratch.shape, source.shape, strict=True))
    if exact:
        fits = not any(provably_different(a, b) for a, b in pairs)
        operands.check(fits, f"requires tmp_tile shape to exactly match the input shape, but got {shapes}")
    gaps = [difference(a, b) for a, b in pairs]
    fits = not any(gap is not None and gap < 0 for gap in gaps)
    operands.check(fits, f"requires tmp_tile shape to be at least the input shape, but got {shapes}")


def row_reduction(operands: Operands) -> TileType:
    """One element per row."""
    _check_scratch(operands, exact=False)
    return _reduced(operands, -1)


def row_minimum(operands: Operands) -> TileType:
    """One element per row of a tile that lies row by row, for the types that the hardware compares."""
    source = operands.tile(0)
    check_dtype(operands, source.dtype, _MINIMUM, "input")
    blayout, slayout, _ = effective_layout(source)
    plain = blayout is TileLayout.row_major and slayout is TileLayout.none_box
    operands.check(plain, f"requires an ND input layout (row_major, none_box), but got {blayout.name}, {slayout.name}")
    return row_reduction(operands)


def row_index(operands: Operands) -> TileType:
    """One index per row."""
    _check_scratch(operands, exact=True)
    return _reduced(operands, -1, DataType.INT32)


def column_reduction(operands: Operands) -> TileType:
    """One element per column; a scratch tile, if given, turns the sum into a binary tree."""
    if operands.has(1):
        operands.tile(1)
    return _reduced(operands, 0)


def column_index(operands: Operands) -> TileType:
    """One index per column."""
    operands.tile(1)
    return _reduced(operands, 0, DataType.INT32)


_ROWS = OpDef(
    name="",
    category="TileOp",
    args=tiles("tile", "tmp_tile"),
    deduce=row_reduction,
    memory=in_vector(VEC, VEC),
    not_inplace_safe=True,
)

OPS = (
    *family(
        _ROWS,
        ("tile.row_sum", "the sum of each row"),
        ("tile.row_max", "the largest element of each row"),
        ("tile.row_prod", "the product of each row"),
    ),
    OpDef(
        name="tile.row_min",
        category="TileOp",
        args=tiles("tile", "tmp_tile"),
        deduce=row_minimum,
        memory=in_vector(VEC, VEC),
        not_inplace_safe=True,
        description="the smallest element of each row",
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("tile", "tmp_tile"),
            deduce=row_index,
            memory=in_vector(VEC, VEC),
            not_inplace_safe=True,
        ),
        ("tile.row_argmax", "where the largest element of each row is"),
        ("tile.row_argmin", "where the smallest element of each row is"),
    ),
    OpDef(
        name="tile.col_sum",
        category="TileOp",
        args=tiles("tile", "tmp_tile?"),
        deduce=column_reduction,
        memory=in_vector(VEC, VEC),
        description="the sum of each column; with tmp_tile as a binary tree",
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("tile"),
            deduce=column_reduction,
            memory=in_vector(VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.col_max", "the largest element of each column"),
        ("tile.col_min", "the smallest element of each column"),
        ("tile.col_prod", "the product of each column"),
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("tile", "tmp_tile"),
            deduce=column_index,
            memory=in_vector(VEC, VEC),
            not_inplace_safe=True,
        ),
        ("tile.col_argmax", "where the largest element of each column is"),
        ("tile.col_argmin", "where the smallest element of each column is"),
    ),
)
