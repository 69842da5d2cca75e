# SPDX-License-Identifier: Apache-2.0
"""Tile operations on two or three tiles, element by element."""

from __future__ import annotations

from pypto_build.ir import DataType, Expr, TileType, as_int
from pypto_build.ops.arithmetic import smaller
from pypto_build.ops.deduce import (
    broadcast_shapes,
    check_dtype,
    check_same_dtype,
    common_dtype,
    format_shape,
)
from pypto_build.ops.deduce_tile import checked_valid, own_layout, tile_type
from pypto_build.ops.definition import AccessEvidence, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_at_most, provably_equal, same_dimensions
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import VEC, family, in_vector, tiles

DIVIDED = (DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32)


def combined(operands: Operands, left: TileType, right: TileType, *, dtype: DataType, union: bool = False) -> TileType:
    """The result of two tiles that broadcast; valid where both are, or with `union` where one of them is."""
    shape = broadcast_shapes(operands, left.shape, right.shape)
    regions = [checked_valid(operands, tile) for tile in (left, right)]
    valid = tuple(
        _valid_extent(shape, -i, (left, right), regions=regions, union=union) for i in range(len(shape), 0, -1)
    )
    source = next((tile for tile in (left, right) if same_dimensions(tile.shape, shape)), None)
    return tile_type(shape, dtype, valid, like=own_layout(source) if source is not None else None)


def _valid_extent(
    shape: Region, axis: int, operands: tuple[TileType, TileType], *, regions: list[Region], union: bool
) -> Expr:
    """The valid extent of a result axis; an operand that is repeated along the axis has no say."""
    extent = shape[axis]
    says = [
        region[axis]
        for tile, region in zip(operands, regions, strict=True)
        if len(tile.shape) >= -axis and not (as_int(tile.shape[axis]) == 1 and as_int(extent) != 1)
    ]
    if len(says) < 2 or provably_equal(says[0], says[1]):
        return says[0] if says else extent
    return _larger_or_smaller(says[0], says[1], extent=extent, union=union)


def _larger_or_smaller(first: Expr, second: Expr, *, extent: Expr, union: bool) -> Expr:
    """The union or intersection of two extents, of which neither exceeds that of the tile."""
    for one, other in ((first, second), (second, first)):
        if provably_equal(one, extent):
            return one if union else other
    if union:
        return second if provably_at_most(first, second) else first
    return smaller(first, second)


def elementwise(operands: Operands) -> TileType:
    """Two tiles that broadcast against each other, at their common type."""
    left, right = operands.tile(0), operands.tile(1)
    return combined(operands, left, right, dtype=common_dtype(operands, left.dtype, right.dtype))


def partwise(operands: Operands) -> TileType:
    """The same, but where only one operand is valid its element is the result."""
    left, right = operands.tile(0), operands.tile(1)
    dtype = common_dtype(operands, left.dtype, right.dtype)
    return combined(operands, left, right, dtype=dtype, union=True)


def integer_elementwise(operands: Operands) -> TileType:
    """Two integer tiles, at their common type."""
    _check_integers(operands)
    return elementwise(operands)


def shifted(operands: Operands) -> TileType:
    """Two integer tiles; the result has the type of the first."""
    _check_integers(operands)
    left, right = operands.tile(0), operands.tile(1)
    return combined(operands, left, right, dtype=left.dtype)


def _check_integers(operands: Operands) -> None:
    for i in range(2):
        dtype = operands.tile(i).dtype
        operands.check(dtype.is_int(), f"requires integer tiles, but got {dtype}")


def divided(operands: Operands) -> TileType:
    """Two tiles of one shape, type and valid region."""
    left, right = operands.tile(0), operands.tile(1)
    check_same_dtype(operands, left.dtype, right.dtype, "both tiles")
    check_dtype(operands, left.dtype, DIVIDED, "tile")
    if operands.value("high_precision", False):
        supported = left.dtype in (DataType.FP16, DataType.FP32)
        operands.check(supported, f"supports high_precision only for FP16 or FP32, but got {left.dtype}")
    shapes = f"{format_shape(left.shape)} and {format_shape(right.shape)}"
    operands.check(same_dimensions(left.shape, right.shape), f"requires the same physical shape, but got {shapes}")
    regions = [checked_valid(operands, tile) for tile in (left, right)]
    shown = " and ".join(map(format_shape, regions))
    operands.check(same_dimensions(*regions), f"requires the same valid_shape, but got {shown}")
    return combined(operands, left, right, dtype=left.dtype)


def with_scratch(operands: Operands) -> TileType:
    """Two tiles and a scratch tile."""
    operands.tile(2)
    return elementwise(operands)


def integer_with_scratch(operands: Operands) -> TileType:
    """Two integer tiles and a scratch tile."""
    operands.tile(2)
    return integer_elementwise(operands)


def three_tiles(operands: Operands) -> TileType:
    """Three tiles that broadcast against each other."""
    first, third = elementwise(operands), operands.tile(2)
    return combined(operands, first, third, dtype=common_dtype(operands, first.dtype, third.dtype))


_PAIR = OpDef(
    name="",
    category="TileOp",
    args=tiles("lhs", "rhs"),
    deduce=elementwise,
    memory=in_vector(VEC, VEC),
    access=AccessEvidence.FUNCTIONAL,
)

OPS = (
    *family(
        _PAIR,
        ("tile.add", "lhs + rhs"),
        ("tile.sub", "lhs - rhs"),
        ("tile.mul", "lhs * rhs"),
        ("tile.maximum", "the larger of lhs and rhs"),
        ("tile.minimum", "the smaller of lhs and rhs"),
    ),
    OpDef(
        name="tile.div",
        category="TileOp",
        args=tiles("lhs", "rhs"),
        kwargs=(KwargDef("high_precision", bool, default=False),),
        deduce=divided,
        memory=in_vector(VEC, VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="lhs / rhs",
    ),
    OpDef(
        name="tile.fmod",
        category="TileOp",
        args=tiles("lhs", "rhs"),
        deduce=elementwise,
        memory=in_vector(VEC, VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="the remainder of lhs / rhs, with the sign of lhs",
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("lhs", "rhs"),
            deduce=integer_elementwise,
            memory=in_vector(VEC, VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.and", "lhs & rhs"),
        ("tile.or", "lhs | rhs"),
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("lhs", "rhs"),
            deduce=shifted,
            memory=in_vector(VEC, VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.shl", "lhs << rhs"),
        ("tile.shr", "lhs >> rhs"),
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("src0", "src1"),
            deduce=partwise,
            memory=in_vector(VEC, VEC),
        ),
        ("tile.part_add", "src0 + src1 where both are valid, else the one that is"),
        ("tile.part_mul", "src0 * src1 where both are valid, else the one that is"),
        ("tile.part_max", "the larger where both are valid, else the one that is"),
        ("tile.part_min", "the smaller where both are valid, else the one that is"),
    ),
    OpDef(
        name="tile.rem",
        category="TileOp",
        args=tiles("lhs", "rhs", "tmp"),
        deduce=with_scratch,
        memory=in_vector(VEC, VEC, VEC),
        description="the remainder of lhs / rhs, with the sign of rhs",
    ),
    OpDef(
        name="tile.xor",
        category="TileOp",
        args=tiles("lhs", "rhs", "tmp"),
        deduce=integer_with_scratch,
        memory=in_vector(VEC, VEC, VEC),
        description="lhs ^ rhs",
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("lhs", "rhs", "rhs2"),
            deduce=three_tiles,
            memory=in_vector(VEC, VEC, VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.addc", "lhs + rhs + rhs2"),
        ("tile.subc", "lhs - rhs + rhs2"),
    ),
)
