# SPDX-License-Identifier: Apache-2.0
"""Comparing tiles into packed masks, and choosing between values by such a mask.

A mask holds one bit per element, eight to a byte, each row padded to 32 bytes.
"""

from __future__ import annotations

from pypto_build.ir import DataType, ScalarType, TileType
from pypto_build.ops.arithmetic import divided_up, scaled
from pypto_build.ops.deduce import check_dtype, common_dtype, format_dim, format_shape
from pypto_build.ops.deduce_tile import check_rank, checked_valid, fresh_like, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, KwargDef, OpDef
from pypto_build.ops.families.tile_elementwise import combined, elementwise
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_at_most, same_dimensions
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import VEC, in_vector, tiles

_SELECTED = (
    DataType.INT8,
    DataType.UINT8,
    DataType.INT16,
    DataType.UINT16,
    DataType.INT32,
    DataType.UINT32,
    DataType.FP16,
    DataType.FP32,
)
_SIGNED = {DataType.UINT8: DataType.INT8, DataType.UINT16: DataType.INT16, DataType.UINT32: DataType.INT32}
_BITS_PER_PADDED_ROW = 256


def signed_like(dtype: DataType) -> DataType:
    """The type of a scalar that stands beside elements of this type: the signed one of the same width."""
    return _SIGNED.get(dtype, dtype)


def packed_mask(shape: Region, valid: Region) -> TileType:
    """The mask of a tile of this shape."""
    columns = scaled(divided_up(shape[-1], _BITS_PER_PADDED_ROW), _BITS_PER_PADDED_ROW // 8)
    return tile_type((*shape[:-1], columns), DataType.UINT8, (*valid[:-1], divided_up(valid[-1], 8)))


def compared(operands: Operands) -> TileType:
    """Two tiles, compared element by element."""
    result = elementwise(operands)
    return packed_mask(result.shape, checked_valid(operands, result))


def compared_with_scalar(operands: Operands) -> TileType:
    """A tile, compared with a scalar."""
    source = operands.tile(0)
    operands.scalar(1)
    return packed_mask(source.shape, checked_valid(operands, source))


def selected(operands: Operands) -> TileType:
    """lhs where the mask is set, rhs elsewhere."""
    operands.tile(0)
    left, right = operands.tile(1), operands.tile(2)
    operands.tile(3)
    return combined(operands, left, right, dtype=common_dtype(operands, left.dtype, right.dtype))


def selected_scalar(operands: Operands) -> TileType:
    """An element of the tile where the mask is set, the scalar elsewhere."""
    mask, source, scratch = operands.tile(0), operands.tile(1), operands.tile(2)
    check_dtype(operands, source.dtype, _SELECTED, "src")
    check_rank(operands, source, "src")
    operands.check(mask.dtype.is_int(), f"requires an integer mask tile, but got {mask.dtype}")
    check_rank(operands, mask, "mask")
    check_rank(operands, scratch, "tmp")
    _check_scalar(operands, operands.scalar(3), source.dtype)
    _check_mask_size(operands, mask, source)
    return fresh_like(source)


def _check_scalar(operands: Operands, scalar: ScalarType, dtype: DataType) -> None:
    wanted = signed_like(dtype)
    operands.check(
        scalar.dtype is wanted, f"requires scalar dtype {wanted} for src dtype {dtype}, but got {scalar.dtype}"
    )


def _check_mask_size(operands: Operands, mask: TileType, source: TileType) -> None:
    have, need = checked_valid(operands, mask, "mask"), checked_valid(operands, source, "src")
    operands.check(
        any(provably_at_most(rows, have[0]) for rows in (need[0], source.shape[0])),
        f"requires the mask carrier rows ({format_dim(have[0])}) to cover the src rows ({format_dim(need[0])})",
    )
    room = scaled(have[1], mask.dtype.get_byte())
    operands.check(
        any(provably_at_most(divided_up(columns, 8), room) for columns in (need[1], source.shape[1])),
        f"requires each mask carrier row ({format_dim(have[1])} x {mask.dtype.get_byte()} bytes) to hold a bit for "
        f"each of {format_dim(need[1])} src columns",
    )


def parametric_relu(operands: Operands) -> TileType:
    """The element, or slope times the element where it is negative."""
    source, slope, scratch = operands.tile(0), operands.tile(1), operands.tile(2)
    check_dtype(operands, source.dtype, (DataType.FP16, DataType.FP32), "src")
    check_rank(operands, source, "src")
    shapes = f"{format_shape(slope.shape)} and {format_shape(source.shape)}"
    operands.check(
        same_dimensions(slope.shape, source.shape),
        f"requires slope to have the physical shape of src, but got {shapes}",
    )
    operands.check(
        slope.dtype is source.dtype, f"requires slope dtype {source.dtype} as that of src, but got {slope.dtype}"
    )
    regions = checked_valid(operands, slope, "slope"), checked_valid(operands, source, "src")
    shown = " and ".join(map(format_shape, regions))
    operands.check(same_dimensions(*regions), f"requires slope to have the valid_shape of src, but got {shown}")
    check_rank(operands, scratch, "tmp")
    return fresh_like(source)


_COMPARISON = (KwargDef("cmp_type", int, default=0),)

OPS = (
    OpDef(
        name="tile.cmp",
        category="TileOp",
        args=tiles("lhs", "rhs"),
        kwargs=_COMPARISON,
        deduce=compared,
        memory=in_vector(VEC, VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="the packed mask of lhs eq, ne, lt, le, gt or ge rhs (cmp_type 0 to 5)",
    ),
    OpDef(
        name="tile.cmps",
        category="TileOp",
        args=(*tiles("lhs"), ArgDef("rhs", "ScalarType")),
        kwargs=_COMPARISON,
        deduce=compared_with_scalar,
        memory=in_vector(VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="the packed mask of lhs eq, ne, lt, le, gt or ge a scalar (cmp_type 0 to 5)",
    ),
    OpDef(
        name="tile.sel",
        category="TileOp",
        args=tiles("mask", "lhs", "rhs", "tmp"),
        deduce=selected,
        memory=in_vector(VEC, VEC, VEC, VEC),
        forbid_output_alias=(0, 3),
        description="lhs where the mask is set, rhs elsewhere",
    ),
    OpDef(
        name="tile.sels",
        category="TileOp",
        args=(*tiles("mask", "src", "tmp"), ArgDef("scalar", "ScalarType")),
        deduce=selected_scalar,
        memory=in_vector(VEC, VEC, VEC),
        forbid_output_alias=(0,),
        access=AccessEvidence.FUNCTIONAL,
        description="src where the mask is set, the scalar elsewhere",
    ),
    OpDef(
        name="tile.prelu",
        category="TileOp",
        args=tiles("tile", "slope", "tmp"),
        deduce=parametric_relu,
        memory=in_vector(VEC, VEC, VEC),
        not_inplace_safe=True,
        description="the element, or slope times the element where it is negative",
    ),
)
