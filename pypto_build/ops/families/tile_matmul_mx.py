# SPDX-License-Identifier: Apache-2.0
"""Matrix products with a shared scale for each group of 32 elements along K (MX formats).

Extents are checked where they are constants; a symbolic one is taken on trust.
"""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, Expr, MemorySpace, TileType, as_int
from pypto_build.ops.arithmetic import ONE, divided_up
from pypto_build.ops.deduce import format_dim, format_shape
from pypto_build.ops.deduce_tile import checked_valid, tile_type
from pypto_build.ops.definition import OpDef
from pypto_build.ops.families.tile_matmul import accumulated_type, product_type
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import (
    ACC,
    BIAS,
    LEFT,
    LEFT_SCALE,
    RIGHT,
    RIGHT_SCALE,
    SAME_SPACE,
    in_accumulator,
    tiles,
)

GROUP = 32
_DATA, _SCALE = DataType.FP8E4M3FN, DataType.FP8E8M0
_SIDES = {MemorySpace.LeftScale: MemorySpace.Left, MemorySpace.RightScale: MemorySpace.Right}


def _matrix(operands: Operands, index: int, what: str) -> tuple[TileType, Region]:
    tile = operands.tile(index)
    operands.check(len(tile.shape) == 2, f"requires {what} to be a 2D tile, but got {format_shape(tile.shape)}")
    return tile, checked_valid(operands, tile, what)


def _check_data(operands: Operands, tile: TileType, what: str) -> None:
    hint = " (there is no native FP4 product: convert with pl.cast first)" if tile.dtype is DataType.FP4 else ""
    operands.check(tile.dtype is _DATA, f"requires {what} dtype FP8E4M3FN, but got {tile.dtype}{hint}")


def _check_scale(operands: Operands, tile: TileType, what: str) -> None:
    operands.check(tile.dtype is _SCALE, f"requires {what} dtype FP8E8M0, but got {tile.dtype}")


def _check_extent(operands: Operands, extent: Expr, multiple: int, what: str) -> None:
    value = as_int(extent)
    fits = value is None or (value > 0 and value % multiple == 0)
    operands.check(fits, f"requires physical {what} divisible by {multiple} for fp8e4m3fn, but got {value}")


def _check_equal(operands: Operands, found: Expr, wanted: Expr, what: str) -> None:
    if provably_different(found, wanted):
        raise operands.error(f"requires {what}={format_dim(wanted)}, but got {format_dim(found)}")


def _check_groups(operands: Operands, valid: Expr, extent: Expr) -> None:
    size = as_int(valid)
    operands.check(size is None or size > 0, f"requires a positive valid K, but got {size}")
    _check_equal(operands, divided_up(valid, GROUP), divided_up(extent, GROUP), "a valid K of the scale-group count")


def _product(operands: Operands, first: int) -> TileType:
    names = ("lhs", "lhs_scale", "rhs", "rhs_scale")
    (left, lhs), (left_scale, lhs_scale), (right, rhs), (right_scale, rhs_scale) = (
        _matrix(operands, first + i, what) for i, what in enumerate(names)
    )
    _check_data(operands, left, "lhs")
    _check_data(operands, right, "rhs")
    _check_scale(operands, left_scale, "lhs_scale")
    _check_scale(operands, right_scale, "rhs_scale")
    _check_extent(operands, left.shape[0], 16, "M")
    _check_extent(operands, left.shape[1], 64, "lhs K")
    _check_extent(operands, right.shape[0], 64, "rhs K")
    _check_extent(operands, right.shape[1], 32, "N")
    _check_equal(operands, right.shape[0], left.shape[1], "matching physical inner dimensions: rhs K")
    _check_equal(operands, rhs[0], lhs[1], "matching valid K: rhs K")
    _check_groups(operands, lhs[1], left.shape[1])
    _check_groups(operands, rhs[0], right.shape[0])
    _check_scale_shape(operands, "lhs_scale", (left_scale.shape, lhs_scale), data=(left.shape, lhs), axis=1)
    _check_scale_shape(operands, "rhs_scale", (right_scale.shape, rhs_scale), data=(right.shape, rhs), axis=0)
    return product_type((left.shape[0], right.shape[1]), DataType.FP32, (lhs[0], rhs[1]))


def _check_scale_shape(
    operands: Operands, what: str, scale: tuple[Region, Region], *, data: tuple[Region, Region], axis: int
) -> None:
    """A scale has one element for each group along K, which is axis `axis` of the data, and one per row or column."""
    for kind, found, given in zip(("physical", "valid"), scale, data, strict=True):
        wanted = [divided_up(extent, GROUP) if i == axis else extent for i, extent in enumerate(given)]
        for i, name in enumerate(("rows", "cols")):
            _check_equal(operands, found[i], wanted[i], f"{what} {kind} {name}")


def matmul_mx(operands: Operands) -> TileType:
    """lhs @ rhs, both scaled."""
    return _product(operands, 0)


def matmul_mx_acc(operands: Operands) -> TileType:
    """acc + lhs @ rhs, both scaled."""
    acc, valid = _matrix(operands, 0, "acc")
    product = _product(operands, 1)
    operands.check(acc.dtype is DataType.FP32, f"requires accumulator dtype fp32, but got {acc.dtype}")
    _check_like(operands, "acc", (acc.shape, valid), product)
    return accumulated_type(operands, acc)


def matmul_mx_bias(operands: Operands) -> TileType:
    """lhs @ rhs + a bias row, both scaled."""
    product = _product(operands, 0)
    bias, valid = _matrix(operands, 4, "bias")
    operands.check(bias.dtype is DataType.FP32, f"requires bias dtype fp32, but got {bias.dtype}")
    row = tile_type((ONE, product.shape[1]), DataType.FP32, (ONE, checked_valid(operands, product)[1]))
    _check_like(operands, "bias", (bias.shape, valid), row)
    return product


def _check_like(operands: Operands, what: str, found: tuple[Region, Region], wanted: TileType) -> None:
    for kind, have, need in zip(
        ("physical", "valid"), found, (wanted.shape, checked_valid(operands, wanted)), strict=True
    ):
        for i, name in enumerate(("rows", "cols")):
            _check_equal(operands, have[i], need[i], f"{what} {kind} {name}")


def scale_address(operands: Operands) -> TileType:
    """The scale tile, bound to the data tile that it scales."""
    (scale, scale_valid), (data, data_valid) = _matrix(operands, 0, "dst_scale"), _matrix(operands, 1, "src")
    _check_scale(operands, scale, "dst_scale")
    operands.check(data.dtype is _DATA, f"requires src dtype FP8E4M3FN, but got {data.dtype}")
    resolved = scale.memory_space is not None and data.memory_space is not None
    operands.check(resolved, "requires resolved dst_scale and src memory spaces")
    paired = scale.memory_space is not None and _SIDES.get(scale.memory_space) is data.memory_space
    operands.check(paired, "requires the pair LeftScale↔Left or RightScale↔Right")
    axis = 1 if scale.memory_space is MemorySpace.LeftScale else 0
    _check_scale_shape(operands, "dst_scale", (scale.shape, scale_valid), data=(data.shape, data_valid), axis=axis)
    return TileType(scale.shape, scale.dtype, None, scale.tile_view, scale.memory_space)


OPS = (
    OpDef(
        name="tile.matmul_mx",
        category="TileOp",
        args=tiles("lhs", "lhs_scale", "rhs", "rhs_scale"),
        deduce=matmul_mx,
        memory=in_accumulator(LEFT, LEFT_SCALE, RIGHT, RIGHT_SCALE),
        description="lhs @ rhs, both with a scale for each 32 elements along K",
    ),
    OpDef(
        name="tile.matmul_mx_acc",
        category="TileOp",
        args=tiles("acc", "lhs", "lhs_scale", "rhs", "rhs_scale"),
        deduce=matmul_mx_acc,
        memory=in_accumulator(ACC, LEFT, LEFT_SCALE, RIGHT, RIGHT_SCALE),
        reuses_input=0,
        effects={0: ArgEffect.ReadWrite},
        description="acc + lhs @ rhs, both with a scale for each 32 elements along K",
    ),
    OpDef(
        name="tile.matmul_mx_bias",
        category="TileOp",
        args=tiles("lhs", "lhs_scale", "rhs", "rhs_scale", "bias"),
        deduce=matmul_mx_bias,
        memory=in_accumulator(LEFT, LEFT_SCALE, RIGHT, RIGHT_SCALE, BIAS),
        description="lhs @ rhs + bias, both with a scale for each 32 elements along K",
    ),
    OpDef(
        name="tile.tget_scale_addr",
        category="TileOp",
        args=tiles("dst_scale", "src"),
        deduce=scale_address,
        memory=SAME_SPACE,
        reuses_input=0,
        effects={0: ArgEffect.Write},
        description="a scale tile placed where the hardware expects the scales of src",
    ),
)
