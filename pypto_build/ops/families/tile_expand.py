# SPDX-License-Identifier: Apache-2.0
"""Repeating a vector or a scalar over a tile, alone or combined with the tile."""

from __future__ import annotations

from pypto_build.ir import DataType, Expr, TileLayout, TileType, as_int
from pypto_build.ops.deduce import check_dtype, common_dtype, format_dim, format_shape
from pypto_build.ops.deduce_tile import checked_valid, effective_layout, fresh_like
from pypto_build.ops.definition import AccessEvidence, ArgDef, OpDef
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.proof import provably_different, provably_equal
from pypto_build.ops.tables import VEC, family, in_vector, tiles

_ADDED = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32)
_PACKED_ROW_BYTES = 32


def row_expand(operands: Operands) -> TileType:
    """A tile and a column vector that is repeated along each row."""
    target, vector = operands.tile(0), operands.tile(1)
    checked_valid(operands, target)
    _check_rank(operands, target, vector)
    _check_extents(operands, target.shape[:-1], vector.shape[:-1])
    return fresh_like(target, common_dtype(operands, target.dtype, vector.dtype))


def column_expand(operands: Operands) -> TileType:
    """A tile and a row vector that is repeated along each column."""
    target, vector = operands.tile(0), operands.tile(1)
    checked_valid(operands, target)
    _check_rank(operands, target, vector)
    one = as_int(vector.shape[-2])
    operands.check(one in (None, 1), f"requires a vector of one row, but got {format_shape(vector.shape)}")
    _check_extents(operands, target.shape[-1:], vector.shape[-1:])
    return fresh_like(target, common_dtype(operands, target.dtype, vector.dtype))


def _check_rank(operands: Operands, target: TileType, vector: TileType) -> None:
    shapes = f"{format_shape(target.shape)} and {format_shape(vector.shape)}"
    operands.check(
        len(target.shape) == len(vector.shape) >= 2, f"requires tiles of one rank of at least 2, but got {shapes}"
    )


def _check_extents(operands: Operands, wanted: tuple[Expr, ...], found: tuple[Expr, ...]) -> None:
    fits = not any(map(provably_different, wanted, found))
    operands.check(
        fits, f"requires a vector of the tile's extent {format_shape(wanted)}, but got {format_shape(found)}"
    )


def row_expand_add(operands: Operands) -> TileType:
    """The same for a sum, where the hardware is stricter: one type, matching valid rows, and a vector that is a
    column or has rows of 32 bytes."""
    target, vector = operands.tile(0), operands.tile(1)
    if operands.has(2) and not isinstance(operands.args[2].type, TileType):
        raise operands.error(f"requires tmp to be a TileType, but got {kind_of(operands.args[2].type)}")
    types = f"{target.dtype} and {vector.dtype}"
    operands.check(target.dtype is vector.dtype, f"requires src0 and src1 to have the same dtype, but got {types}")
    check_dtype(operands, target.dtype, _ADDED, "src0")
    _check_rank(operands, target, vector)
    layout = effective_layout(target)[0]
    operands.check(
        layout is TileLayout.row_major, f"requires src0 effective blayout to be row_major, but got {layout.name}"
    )
    have, need = checked_valid(operands, vector, "src1"), checked_valid(operands, target, "src0")
    operands.check(
        all(map(provably_equal, have[:-1], need[:-1])),
        f"requires src1 valid row extent to match src0/dst, but got {format_shape(have)} for {format_shape(need)}",
    )
    _check_carrier(operands, vector, have[-1])
    return fresh_like(target)


def _check_carrier(operands: Operands, vector: TileType, width: Expr) -> None:
    packed = effective_layout(vector)[0] is TileLayout.row_major and len(vector.shape) == 2
    wanted = _PACKED_ROW_BYTES // vector.dtype.get_byte() if packed else 1
    kind = "row_major" if packed else "column"
    operands.check(
        as_int(width) == wanted,
        f"requires a {kind} src1 with a valid last dimension to be {wanted}, but got {format_dim(width)}",
    )


def filled_with_scalar(operands: Operands) -> TileType:
    """A scalar in every valid element of a tile like the target."""
    target = operands.tile(0)
    operands.scalar(1)
    return fresh_like(target)


_ROW = OpDef(
    name="",
    category="TileOp",
    args=tiles("tile", "row_vec"),
    deduce=row_expand,
    memory=in_vector(VEC, VEC),
    forbid_output_alias=(1,),
    access=AccessEvidence.FUNCTIONAL,
)
_COLUMN = OpDef(
    name="",
    category="TileOp",
    args=tiles("target", "col_tile"),
    deduce=column_expand,
    memory=in_vector(VEC, VEC),
    forbid_output_alias=(1,),
    access=AccessEvidence.FUNCTIONAL,
)

OPS = (
    OpDef(
        name="tile.row_expand",
        category="TileOp",
        args=tiles("target", "row_vec"),
        deduce=row_expand,
        memory=in_vector(VEC, VEC),
        forbid_output_alias=(1,),
        description="row_vec repeated along each row of a tile like target",
    ),
    OpDef(
        name="tile.row_expand_add",
        category="TileOp",
        args=tiles("tile", "row_vec", "tmp?"),
        deduce=row_expand_add,
        memory=in_vector(VEC, VEC, VEC),
        forbid_output_alias=(1, 2),
        description="tile + row_vec, repeated along each row",
    ),
    *family(
        _ROW,
        ("tile.row_expand_sub", "tile - row_vec, repeated along each row"),
        ("tile.row_expand_mul", "tile * row_vec, repeated along each row"),
        ("tile.row_expand_div", "tile / row_vec, repeated along each row"),
        ("tile.row_expand_max", "the larger of an element and that of row_vec in its row"),
        ("tile.row_expand_min", "the smaller of an element and that of row_vec in its row"),
        ("tile.row_expand_expdif", "e to the power of tile - row_vec, repeated along each row"),
    ),
    OpDef(
        name="tile.col_expand",
        category="TileOp",
        args=tiles("target", "col_tile"),
        deduce=column_expand,
        memory=in_vector(VEC, VEC),
        forbid_output_alias=(1,),
        description="col_tile repeated along each column of a tile like target",
    ),
    *family(
        _COLUMN,
        ("tile.col_expand_add", "target + col_tile, repeated along each column"),
        ("tile.col_expand_sub", "target - col_tile, repeated along each column"),
        ("tile.col_expand_mul", "target * col_tile, repeated along each column"),
        ("tile.col_expand_div", "target / col_tile, repeated along each column"),
        ("tile.col_expand_max", "the larger of an element and that of col_tile in its column"),
        ("tile.col_expand_min", "the smaller of an element and that of col_tile in its column"),
        ("tile.col_expand_expdif", "e to the power of target - col_tile, repeated along each column"),
    ),
    OpDef(
        name="tile.expands",
        category="TileOp",
        args=(*tiles("target"), ArgDef("scalar", "ScalarType")),
        deduce=filled_with_scalar,
        memory=in_vector(VEC),
        description="a scalar in every element of a tile like target",
    ),
)
