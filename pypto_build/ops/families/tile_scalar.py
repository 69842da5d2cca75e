# SPDX-License-Identifier: Apache-2.0
"""Tile operations with a scalar operand; the result keeps the tile's element type, shape and valid region."""

from __future__ import annotations

from pypto_build.ir import DataType, TileType, as_int
from pypto_build.ops.deduce import check_dtype, common_dtype, names_of
from pypto_build.ops.deduce_tile import fresh_like
from pypto_build.ops.definition import AccessEvidence, ArgDef, OpDef
from pypto_build.ops.families.tile_elementwise import combined
from pypto_build.ops.operands import Operands
from pypto_build.ops.tables import ANY, VEC, family, in_vector, tiles

SUBTRACTED = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32, DataType.BF16)

_SCALAR = ArgDef("rhs", "ScalarType")
_TILE_SCALAR = (*tiles("lhs"), _SCALAR)


def tile_scalar(operands: Operands) -> TileType:
    """A tile and a scalar, which is converted to the tile's type when it is used."""
    source = operands.tile(0)
    operands.scalar(1)
    return fresh_like(source)


def subtracted(operands: Operands) -> TileType:
    """A tile minus a scalar: only types that the hardware subtracts."""
    check_dtype(operands, operands.tile(0).dtype, SUBTRACTED, "tile")
    scalar = operands.scalar(1).dtype
    operands.check(scalar in SUBTRACTED, f"requires scalar dtype in {{{names_of(SUBTRACTED)}}}, but got {scalar}")
    return tile_scalar(operands)


def integer_scalar(operands: Operands) -> TileType:
    """An integer tile and an integer scalar of any width."""
    source, scalar = operands.tile(0), operands.scalar(1)
    operands.check(source.dtype.is_int(), f"requires an integer tile dtype, but got {source.dtype}")
    operands.check(scalar.dtype.is_int(), f"requires the shift/bitwise scalar to be an integer, but got {scalar.dtype}")
    return fresh_like(source)


def shifted_by_scalar(operands: Operands) -> TileType:
    """An integer tile and a shift count."""
    count = as_int(operands.args[1])
    operands.check(count is None or count >= 0, f"requires a non-negative shift count, but got {count}")
    return integer_scalar(operands)


def scalar_with_scratch(operands: Operands) -> TileType:
    """A tile, a scalar and a scratch tile."""
    operands.tile(2)
    return tile_scalar(operands)


def integer_scalar_with_scratch(operands: Operands) -> TileType:
    """An integer tile, an integer scalar and a scratch tile."""
    operands.tile(2)
    return integer_scalar(operands)


def tile_scalar_tile(operands: Operands) -> TileType:
    """A tile, a scalar and another tile."""
    operands.scalar(1)
    left, right = operands.tile(0), operands.tile(2)
    return combined(operands, left, right, dtype=common_dtype(operands, left.dtype, right.dtype))


_FUNCTIONAL = OpDef(
    name="",
    category="TileOp",
    args=_TILE_SCALAR,
    deduce=tile_scalar,
    memory=in_vector(VEC),
    access=AccessEvidence.FUNCTIONAL,
)

OPS = (
    *family(
        _FUNCTIONAL,
        ("tile.adds", "lhs + rhs"),
        ("tile.muls", "lhs * rhs"),
        ("tile.divs", "lhs / rhs"),
        ("tile.maximums", "the larger of an element and rhs"),
        ("tile.minimums", "the smaller of an element and rhs"),
    ),
    OpDef(
        name="tile.subs",
        category="TileOp",
        args=_TILE_SCALAR,
        deduce=subtracted,
        memory=in_vector(VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="lhs - rhs",
    ),
    OpDef(
        name="tile.lrelu",
        category="TileOp",
        args=(*tiles("tile"), ArgDef("slope", "ScalarType")),
        deduce=tile_scalar,
        memory=in_vector(VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="the element, or slope times the element where it is negative",
    ),
    OpDef(
        name="tile.fmods",
        category="TileOp",
        args=_TILE_SCALAR,
        deduce=tile_scalar,
        memory=in_vector(VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="the remainder of lhs / rhs, with the sign of lhs",
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=_TILE_SCALAR,
            deduce=integer_scalar,
            memory=in_vector(VEC),
            not_inplace_safe=True,
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.ands", "lhs & rhs"),
        ("tile.ors", "lhs | rhs"),
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=_TILE_SCALAR,
            deduce=shifted_by_scalar,
            memory=in_vector(VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.shls", "lhs << rhs"),
        ("tile.shrs", "lhs >> rhs"),
    ),
    OpDef(
        name="tile.rems",
        category="TileOp",
        args=(*_TILE_SCALAR, *tiles("tmp")),
        deduce=scalar_with_scratch,
        memory=in_vector(VEC, ANY, VEC),
        description="the remainder of lhs / rhs, with the sign of rhs",
    ),
    OpDef(
        name="tile.xors",
        category="TileOp",
        args=(*_TILE_SCALAR, *tiles("tmp")),
        deduce=integer_scalar_with_scratch,
        memory=in_vector(VEC, ANY, VEC),
        not_inplace_safe=True,
        description="lhs ^ rhs",
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=(*_TILE_SCALAR, *tiles("rhs2")),
            deduce=tile_scalar_tile,
            memory=in_vector(VEC, ANY, VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.addsc", "lhs + rhs + rhs2"),
        ("tile.subsc", "lhs - rhs + rhs2"),
    ),
)
