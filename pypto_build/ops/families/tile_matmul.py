# SPDX-License-Identifier: Apache-2.0
"""Matrix products in the accumulator: plain, accumulating, with bias, batched, and of a vector with a matrix.

The accumulator is written at a row pitch that follows the valid rows of lhs, while its readers assume the physical
rows unless the tile is marked compact.
"""

from __future__ import annotations

from pypto_build.ir import ArgEffect, CompactMode, DataType, Expr, MemorySpace, TileType, const_index
from pypto_build.ops.arithmetic import ONE
from pypto_build.ops.deduce import broadcast_shapes, format_dim, format_shape
from pypto_build.ops.deduce_tile import checked_valid, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_above, provably_different, provably_equal
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import ACC, BIAS, LEFT, RIGHT, in_accumulator, tiles

_VECTOR_ROWS = 16
_ACC_PHASES = ("unspecified", "partial", "final")
_VECTOR_PRODUCTS = "supports only INT8 x INT8 -> INT32 and FP16, BF16 or FP32 of one type -> FP32"


def accumulator_dtype(dtype: DataType) -> DataType:
    """The element type that products of this type are summed in."""
    return DataType.FP32 if dtype.is_float() else DataType.INT32


def product_type(shape: Region, dtype: DataType, valid: Region) -> TileType:
    """An accumulator tile that a product was written to."""
    full = provably_equal(valid[-2], shape[-2])
    compact = CompactMode.null if full else CompactMode.normal
    return tile_type(shape, dtype, valid, space=MemorySpace.Acc, compact=compact)


def accumulated_type(operands: Operands, acc: TileType) -> TileType:
    """The type of an accumulator after more was added: its own, in the accumulator."""
    valid = checked_valid(operands, acc, "acc")
    compact = acc.effective_tile_view().compact
    return tile_type(acc.shape, acc.dtype, valid, space=MemorySpace.Acc, compact=compact)


def check_identical(operands: Operands, left: TileType, right: TileType) -> None:
    """Both factors have one element type."""
    types = f"{left.dtype} and {right.dtype}"
    operands.check(left.dtype is right.dtype, f"requires identical lhs and rhs data types, but got {types}")


def _check_matrix(operands: Operands, tile: TileType, what: str) -> None:
    operands.check(len(tile.shape) == 2, f"requires {what} to be a 2D tile, but got {format_shape(tile.shape)}")


def check_same(operands: Operands, left: Expr, right: Expr, what: str) -> None:
    """ValueError "requires <what>, but got ..." when two extents provably differ."""
    if provably_different(left, right):
        raise operands.error(f"requires {what}, but got {format_dim(left)} and {format_dim(right)}")


def check_covers(operands: Operands, outer: Expr, inner: Expr, what: str) -> None:
    """ValueError "requires <what>, but got ..." when an extent is provably smaller than another."""
    if provably_above(inner, outer):
        raise operands.error(f"requires {what}, but got {format_dim(outer)} for {format_dim(inner)}")


def _factors(operands: Operands, first: int) -> tuple[TileType, TileType, Region, Region]:
    left, right = operands.tile(first), operands.tile(first + 1)
    _check_matrix(operands, left, "lhs")
    _check_matrix(operands, right, "rhs")
    check_identical(operands, left, right)
    return left, right, checked_valid(operands, left, "lhs"), checked_valid(operands, right, "rhs")


def matmul(operands: Operands) -> TileType:
    """lhs @ rhs; K is read from the valid columns of lhs."""
    left, right, lhs, rhs = _factors(operands, 0)
    check_same(operands, left.shape[1], right.shape[0], "matching physical inner dimensions")
    check_covers(operands, rhs[0], lhs[1], "rhs valid K to cover lhs valid K")
    return product_type((left.shape[0], right.shape[1]), accumulator_dtype(left.dtype), (lhs[0], rhs[1]))


def matmul_bias(operands: Operands) -> TileType:
    """lhs @ rhs + a bias row."""
    result = matmul(operands)
    check_bias(operands, 2, result)
    return result


def check_bias(operands: Operands, index: int, product: TileType) -> None:
    """The bias is one row of the accumulator's type that covers the valid columns."""
    bias = operands.tile(index)
    operands.check(bias.dtype is product.dtype, f"requires bias dtype {product.dtype}, but got {bias.dtype}")
    _check_matrix(operands, bias, "bias")
    check_same(operands, bias.shape[0], ONE, "bias to have one physical row")
    check_same(operands, bias.shape[1], product.shape[1], "bias physical N to match the output")
    rows, columns = checked_valid(operands, bias, "bias")
    wanted = checked_valid(operands, product)[1]
    check_covers(operands, rows, ONE, "bias valid rows to cover one broadcast row")
    check_covers(operands, columns, wanted, f"bias valid N to cover output valid N={format_dim(wanted)}")


def _check_accumulator_dtype(operands: Operands, acc: TileType, factor: TileType) -> None:
    wanted = accumulator_dtype(factor.dtype)
    operands.check(acc.dtype is wanted, f"requires accumulator dtype {wanted}, but got {acc.dtype}")


def matmul_acc(operands: Operands) -> TileType:
    """acc + lhs @ rhs; where init_cond holds, just the product."""
    acc = operands.tile(0)
    left, right, lhs, rhs = _factors(operands, 1)
    _check_matrix(operands, acc, "acc")
    _check_accumulator_dtype(operands, acc, left)
    check_same(operands, acc.shape[0], left.shape[0], "acc and lhs to have one physical M")
    check_same(operands, acc.shape[1], right.shape[1], "acc and rhs to have one physical N")
    check_same(operands, left.shape[1], right.shape[0], "lhs and rhs to have one physical K")
    rows, columns = checked_valid(operands, acc, "acc")
    check_covers(operands, rows, lhs[0], "acc valid M to cover lhs valid M")
    check_covers(operands, columns, rhs[1], "acc valid N to cover rhs valid N")
    check_covers(operands, rhs[0], lhs[1], "rhs valid K to cover lhs valid K")
    if operands.has(3):
        dtype = operands.scalar(3).dtype
        operands.check(dtype is DataType.BOOL, f"requires init_cond to have dtype BOOL, but got {dtype}")
    return accumulated_type(operands, acc)


def _batch_shape(operands: Operands, first: int) -> tuple[TileType, TileType, Region]:
    left, right = operands.tile(first), operands.tile(first + 1)
    for tile, what in ((left, "lhs"), (right, "rhs")):
        operands.check(len(tile.shape) >= 2, f"requires {what} to have rank >= 2, but got {format_shape(tile.shape)}")
    check_identical(operands, left, right)
    check_same(operands, left.shape[-1], right.shape[-2], "matching inner dimensions")
    batch = broadcast_shapes(operands, left.shape[:-2], right.shape[:-2])
    return left, right, (*batch, left.shape[-2], right.shape[-1])


def batch_matmul(operands: Operands) -> TileType:
    """lhs @ rhs for each matrix of a batch."""
    left, right, shape = _batch_shape(operands, 0)
    rows, columns = checked_valid(operands, left, "lhs")[-2], checked_valid(operands, right, "rhs")[-1]
    return product_type(shape, accumulator_dtype(left.dtype), (*shape[:-2], rows, columns))


def batch_matmul_acc(operands: Operands) -> TileType:
    """acc + lhs @ rhs for each matrix of a batch."""
    acc = operands.tile(0)
    left, _, shape = _batch_shape(operands, 1)
    _check_accumulator_dtype(operands, acc, left)
    shapes = f"{format_shape(acc.shape)} for {format_shape(shape)}"
    operands.check(len(acc.shape) == len(shape), f"requires acc of the rank of the product, but got {shapes}")
    names = [*(f"acc batch dim {i} to match the batch" for i in range(len(shape) - 2)), "one M", "one N"]
    for found, wanted, what in zip(acc.shape, shape, names, strict=True):
        check_same(operands, found, wanted, what)
    return accumulated_type(operands, acc)


def gemv(operands: Operands) -> TileType:
    """A row times a matrix; the accumulator has 16 physical rows, of which one is valid."""
    left, right, _, rhs = _vector_factors(operands, 0)
    shape = (const_index(_VECTOR_ROWS), right.shape[1])
    return tile_type(shape, accumulator_dtype(left.dtype), (ONE, rhs[1]), space=MemorySpace.Acc)


def _vector_factors(operands: Operands, first: int) -> tuple[TileType, TileType, Region, Region]:
    left, right, lhs, rhs = _factors(operands, first)
    supported = left.dtype in (DataType.INT8, DataType.FP16, DataType.BF16, DataType.FP32)
    operands.check(supported, f"{_VECTOR_PRODUCTS}, but got {left.dtype}")
    check_same(operands, left.shape[0], ONE, "lhs physical row extent to be exactly 1")
    check_same(operands, lhs[0], ONE, "lhs logical row extent to be exactly 1")
    check_same(operands, left.shape[1], right.shape[0], "matching physical inner dimensions")
    check_covers(operands, rhs[0], lhs[1], "rhs valid K to cover lhs valid K")
    phase = operands.value("acc_phase", "unspecified")
    operands.check(phase in _ACC_PHASES, f"requires acc_phase to be one of {', '.join(_ACC_PHASES)}, but got {phase}")
    return left, right, lhs, rhs


def gemv_acc(operands: Operands) -> TileType:
    """acc + a row times a matrix."""
    acc = operands.tile(0)
    left, right, _, rhs = _vector_factors(operands, 1)
    _check_matrix(operands, acc, "acc")
    _check_accumulator_dtype(operands, acc, left)
    check_same(operands, acc.shape[0], const_index(_VECTOR_ROWS), "an accumulator of 16 physical rows")
    check_same(operands, acc.shape[1], right.shape[1], "acc and rhs to have one physical N")
    rows, columns = checked_valid(operands, acc, "acc")
    wanted = f"accumulator valid_shape [1, {format_dim(rhs[1])}]"
    check_same(operands, rows, ONE, wanted)
    check_same(operands, columns, rhs[1], wanted)
    return accumulated_type(operands, acc)


def gemv_bias(operands: Operands) -> TileType:
    """A row times a matrix + a bias row."""
    result = gemv(operands)
    check_bias(operands, 2, result)
    return result


_PHASE = (KwargDef("acc_phase", str, default="unspecified"),)
_UPDATED = {0: ArgEffect.ReadWrite}

OPS = (
    OpDef(
        name="tile.matmul",
        category="TileOp",
        args=tiles("lhs", "rhs"),
        deduce=matmul,
        memory=in_accumulator(LEFT, RIGHT),
        access=AccessEvidence.FUNCTIONAL,
        description="lhs @ rhs",
    ),
    OpDef(
        name="tile.matmul_acc",
        category="TileOp",
        args=(*tiles("acc", "lhs", "rhs"), ArgDef("init_cond", "ScalarType", optional=True)),
        deduce=matmul_acc,
        memory=in_accumulator(ACC, LEFT, RIGHT),
        reuses_input=0,
        effects=_UPDATED,
        access=AccessEvidence.FUNCTIONAL,
        description="acc + lhs @ rhs; just lhs @ rhs where init_cond holds",
    ),
    OpDef(
        name="tile.matmul_bias",
        category="TileOp",
        args=tiles("lhs", "rhs", "bias"),
        deduce=matmul_bias,
        memory=in_accumulator(LEFT, RIGHT, BIAS),
        access=AccessEvidence.FUNCTIONAL,
        description="lhs @ rhs + bias, a row",
    ),
    OpDef(
        name="tile.batch_matmul",
        category="TileOp",
        args=tiles("lhs", "rhs"),
        deduce=batch_matmul,
        memory=in_accumulator(LEFT, RIGHT),
        access=AccessEvidence.FUNCTIONAL,
        description="lhs @ rhs for each matrix of a batch",
    ),
    OpDef(
        name="tile.batch_matmul_acc",
        category="TileOp",
        args=tiles("acc", "lhs", "rhs"),
        deduce=batch_matmul_acc,
        memory=in_accumulator(ACC, LEFT, RIGHT),
        reuses_input=0,
        effects=_UPDATED,
        access=AccessEvidence.FUNCTIONAL,
        description="acc + lhs @ rhs for each matrix of a batch",
    ),
    OpDef(
        name="tile.gemv",
        category="TileOp",
        args=tiles("lhs", "rhs"),
        kwargs=_PHASE,
        deduce=gemv,
        memory=in_accumulator(LEFT, RIGHT),
        access=AccessEvidence.FUNCTIONAL,
        description="a row times a matrix",
    ),
    OpDef(
        name="tile.gemv_acc",
        category="TileOp",
        args=tiles("acc", "lhs", "rhs"),
        kwargs=_PHASE,
        deduce=gemv_acc,
        memory=in_accumulator(ACC, LEFT, RIGHT),
        reuses_input=0,
        effects=_UPDATED,
        access=AccessEvidence.FUNCTIONAL,
        description="acc + a row times a matrix",
    ),
    OpDef(
        name="tile.gemv_bias",
        category="TileOp",
        args=tiles("lhs", "rhs", "bias"),
        kwargs=_PHASE,
        deduce=gemv_bias,
        memory=in_accumulator(LEFT, RIGHT, BIAS),
        access=AccessEvidence.FUNCTIONAL,
        description="a row times a matrix + bias, a row",
    ),
)
