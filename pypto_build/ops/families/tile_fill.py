# SPDX-License-Identifier: Apache-2.0
"""Tiles made of nothing but numbers: constants, sequences, triangles, random numbers, and padding of the rest."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, Expr, PadValue, TileType, TileView, as_int
from pypto_build.ops.deduce import check_dtype, format_dim, format_shape
from pypto_build.ops.deduce_tile import checked_valid, own_layout, static_extents, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_above
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import VEC, args, in_vector, tiles

_COUNTED = (DataType.INT16, DataType.INT32, DataType.UINT16, DataType.UINT32)
_TRIANGULAR = (*_COUNTED, DataType.INT8, DataType.UINT8, DataType.FP16, DataType.BF16, DataType.FP32)
_RANDOM = (DataType.INT32, DataType.UINT32)
_ROUNDS = (7, 10)


def full(operands: Operands) -> TileType:
    """One value in every element."""
    operands.scalar(1)
    return tile_type(operands.elements(0), operands.dtype("dtype"))


def sequence(operands: Operands) -> TileType:
    """start, start + 1, ... (or start - 1, ...) in one row."""
    start, shape, dtype = operands.scalar(0), operands.elements(1), operands.dtype("dtype")
    check_dtype(operands, dtype, _COUNTED, "result")
    operands.check(start.dtype is dtype, f"requires start to have the result dtype {dtype}, but got {start.dtype}")
    extents = static_extents(operands, shape, "each extent")
    operands.check(bool(extents) and extents[-1] != 1, "requires an innermost dimension other than 1")
    rows = all(extent == 1 for extent in extents[:-1])
    operands.check(rows, f"fills one row, so the leading dimensions must be 1, but got {format_shape(shape)}")
    return tile_type(shape, dtype)


def triangle(operands: Operands) -> TileType:
    """Ones below a diagonal, or with `upper` above it."""
    diagonal, shape = operands.scalar(0), operands.elements(1)
    operands.check(
        diagonal.dtype is DataType.INT32, f"requires diagonal to be an INT32 scalar, but got {diagonal.dtype}"
    )
    operands.check(len(shape) == 2, f"requires a 2D shape, but got {format_shape(shape)}")
    for extent in static_extents(operands, shape, "each extent"):
        operands.check(extent > 0, f"requires extents, which must be positive, but got {format_shape(shape)}")
    dtype = operands.dtype("dtype", DataType.INT32)
    check_dtype_kwarg(operands, dtype, _TRIANGULAR)
    return tile_type(shape, dtype, _asked_region(operands, 2, shape))


def check_dtype_kwarg(operands: Operands, dtype: DataType, allowed: tuple[DataType, ...]) -> None:
    """ValueError unless the dtype attribute is one of the allowed ones."""
    names = ", ".join(one.attribute for one in allowed)
    operands.check(dtype in allowed, f"requires dtype in {{{names}}}, but got {dtype}")


def _asked_region(operands: Operands, index: int, shape: Region) -> Region:
    if not operands.has(index):
        return shape
    valid = operands.elements(index)
    ranks = f"({len(valid)}) must match the shape rank ({len(shape)})"
    operands.check(len(valid) == len(shape), f"valid_shape rank {ranks}")
    for i, (extent, limit) in enumerate(zip(valid, shape, strict=True)):
        number = as_int(extent)
        fits = (number is None or number > 0) and not provably_above(extent, limit)
        bound = f"0 < valid_shape[{i}] <= {format_dim(limit)}"
        operands.check(fits, f"requires {bound}, but the valid_shape element is {format_dim(extent)}")
    return valid


def random(operands: Operands) -> TileType:
    """Numbers of a counter-based generator (two key words, four counter words)."""
    for i in range(6):
        operands.scalar(i)
    shape, dtype = operands.elements(6), operands.dtype("dtype", DataType.UINT32)
    check_dtype_kwarg(operands, dtype, _RANDOM)
    rounds = operands.value("rounds", 10)
    operands.check(rounds in _ROUNDS, f"requires rounds to be 7 or 10, but got {rounds}")
    static_extents(operands, shape, "each extent")
    return tile_type(shape, dtype, _asked_region(operands, 7, shape))


def padded(operands: Operands) -> TileType:
    """The tile with its invalid elements set: everything is valid."""
    source = operands.tile(0)
    checked_valid(operands, source)
    return _padded(operands, source, source.shape, own_layout(source))


def expanded(operands: Operands) -> TileType:
    """The tile in a larger shape, with all elements outside of its valid part set."""
    source, shape = operands.tile(0), operands.elements(1)
    ranks = f"{format_shape(shape)} and {format_shape(source.shape)}"
    operands.check(len(shape) == len(source.shape), f"requires a shape of the tile's rank, but got {ranks}")
    for i, (extent, least) in enumerate(zip(shape, source.shape, strict=True)):
        _check_growth(operands, i, extent, least=least)
    checked_valid(operands, source)
    return _padded(operands, source, shape, None)


def _check_growth(operands: Operands, axis: int, extent: Expr, *, least: Expr) -> None:
    if provably_above(least, extent):
        sizes = f"{format_dim(extent)} for {format_dim(least)}"
        raise operands.error(f"got dimension {axis}, which must be >= source dimension, but is {sizes}")


def _padded(operands: Operands, source: TileType, shape: Region, layout: TileView | None) -> TileType:
    pad = operands.kwargs.get("pad_value", PadValue.zero)
    return tile_type(shape, source.dtype, like=layout, pad=pad if isinstance(pad, PadValue) else PadValue.zero)


_PAD = (KwargDef("pad_value", PadValue, default=PadValue.zero),)
_RANDOM_WORDS = ("key0", "key1", "counter0", "counter1", "counter2", "counter3")

OPS = (
    OpDef(
        name="tile.full",
        category="TileOp",
        args=(ArgDef("shape", "TupleType"), ArgDef("value", "ScalarType")),
        kwargs=(KwargDef("dtype", DataType, required=True),),
        deduce=full,
        memory=in_vector(),
        access=AccessEvidence.FUNCTIONAL,
        description="one value in every element",
    ),
    OpDef(
        name="tile.ci",
        category="TileOp",
        args=(ArgDef("start", "ScalarType"), ArgDef("shape", "TupleType")),
        kwargs=(KwargDef("dtype", DataType, required=True), KwargDef("descending", bool, default=False)),
        deduce=sequence,
        memory=in_vector(),
        access=AccessEvidence.FUNCTIONAL,
        description="a row of consecutive integers",
    ),
    OpDef(
        name="tile.tri",
        category="TileOp",
        args=(ArgDef("diagonal", "ScalarType"), *args("TupleType", "shape", "valid_shape?")),
        kwargs=(KwargDef("dtype", DataType, default=DataType.INT32), KwargDef("upper", bool, default=False)),
        deduce=triangle,
        memory=in_vector(),
        description="ones in a triangle, zeros elsewhere",
    ),
    OpDef(
        name="tile.random",
        category="TileOp",
        args=(*args("ScalarType", *_RANDOM_WORDS), *args("TupleType", "shape", "valid_shape?")),
        kwargs=(KwargDef("dtype", DataType, default=DataType.UINT32), KwargDef("rounds", int, default=10)),
        deduce=random,
        memory=in_vector(),
        access=AccessEvidence.FUNCTIONAL,
        description="random integers from a key and a counter",
    ),
    OpDef(
        name="tile.fillpad",
        category="TileOp",
        args=tiles("tile"),
        kwargs=_PAD,
        deduce=padded,
        memory=in_vector(VEC),
        description="the tile with its invalid elements set to a pad value",
    ),
    OpDef(
        name="tile.fillpad_inplace",
        category="TileOp",
        args=tiles("tile"),
        kwargs=_PAD,
        deduce=padded,
        memory=in_vector(VEC),
        reuses_input=0,
        effects={0: ArgEffect.ReadWrite},
        description="the same, in the buffer of the tile",
    ),
    OpDef(
        name="tile.fillpad_expand",
        category="TileOp",
        args=(*tiles("tile"), ArgDef("shape", "TupleType")),
        kwargs=_PAD,
        deduce=expanded,
        memory=in_vector(VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="the tile in a larger shape, filled up with a pad value",
    ),
)
