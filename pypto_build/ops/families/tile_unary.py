# SPDX-License-Identifier: Apache-2.0
"""Tile operations on one tile, element by element."""

from __future__ import annotations

from pypto_build.ir import DataType, TileType
from pypto_build.ops.deduce import format_shape
from pypto_build.ops.deduce_tile import checked_valid, fresh_like
from pypto_build.ops.definition import AccessEvidence, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import same_dimensions
from pypto_build.ops.tables import VEC, family, in_vector, tiles

_PRECISE = (DataType.FP16, DataType.FP32)
_HIGH_PRECISION = (KwargDef("high_precision", bool, default=False),)


def unary(operands: Operands) -> TileType:
    """A tile of the same type, shape and valid region."""
    source = operands.tile(0)
    checked_valid(operands, source)
    return fresh_like(source)


def fp32_only(operands: Operands) -> TileType:
    """The same, for FP32 tiles only."""
    dtype = operands.tile(0).dtype
    operands.check(dtype is DataType.FP32, f"requires an FP32 tile, but got {dtype}")
    return unary(operands)


def logarithm(operands: Operands) -> TileType:
    """The same, for FP16 and FP32 tiles only."""
    dtype = operands.tile(0).dtype
    operands.check(dtype in _PRECISE, f"requires an FP16 or FP32 tile, but got {dtype}")
    return unary(operands)


def reciprocal(operands: Operands) -> TileType:
    """Any tile; the precise form for FP16 and FP32 only."""
    dtype = operands.tile(0).dtype
    precise = operands.value("high_precision", False)
    operands.check(not precise or dtype in _PRECISE, f"supports high_precision only for FP16 or FP32, but got {dtype}")
    return unary(operands)


def inverted(operands: Operands) -> TileType:
    """A tile of 16-bit integers."""
    dtype = operands.tile(0).dtype
    operands.check(dtype in (DataType.INT16, DataType.UINT16), f"requires an int16 or uint16 tile, but got {dtype}")
    return unary(operands)


def inverse_root(operands: Operands) -> TileType:
    """A tile and, for the precise form, a scratch tile of the same shape."""
    source = operands.tile(0)
    if operands.has(1):
        scratch = operands.tile(1)
        shapes = f"{format_shape(source.shape)} and {format_shape(scratch.shape)}"
        operands.check(same_dimensions(source.shape, scratch.shape), f"has a tmp shape mismatch: {shapes}")
    return unary(operands)


def converted(operands: Operands) -> TileType:
    """A tile of another element type."""
    source = operands.tile(0)
    target = operands.dtype("target_type")
    operands.check(source.dtype is not target, f"is asked for {target}: a same-dtype cast is not a valid operation")
    checked_valid(operands, source)
    return fresh_like(source, target)


ELEMENT_BY_ELEMENT = OpDef(
    name="",
    category="TileOp",
    args=tiles("tile"),
    deduce=unary,
    memory=in_vector(VEC),
    access=AccessEvidence.FUNCTIONAL,
)

OPS = (
    *family(
        ELEMENT_BY_ELEMENT,
        ("tile.abs", "the absolute value"),
        ("tile.exp", "e to the power of the element"),
        ("tile.neg", "the negative"),
        ("tile.relu", "the element, or 0 where it is negative"),
        ("tile.sqrt", "the square root"),
    ),
    *family(
        OpDef(
            name="",
            category="TileOp",
            args=tiles("tile"),
            deduce=fp32_only,
            memory=in_vector(VEC),
            access=AccessEvidence.FUNCTIONAL,
        ),
        ("tile.sin", "the sine"),
        ("tile.cos", "the cosine"),
    ),
    OpDef(
        name="tile.not",
        category="TileOp",
        args=tiles("tile"),
        deduce=inverted,
        memory=in_vector(VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="all bits inverted",
    ),
    OpDef(
        name="tile.log",
        category="TileOp",
        args=tiles("tile"),
        kwargs=_HIGH_PRECISION,
        deduce=logarithm,
        memory=in_vector(VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="the natural logarithm",
    ),
    OpDef(
        name="tile.recip",
        category="TileOp",
        args=tiles("tile"),
        kwargs=_HIGH_PRECISION,
        deduce=reciprocal,
        memory=in_vector(VEC),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="1 / the element",
    ),
    OpDef(
        name="tile.rsqrt",
        category="TileOp",
        args=tiles("tile", "tmp?"),
        deduce=inverse_root,
        memory=in_vector(VEC, VEC),
        not_inplace_safe=True,
        description="1 / the square root; with tmp to full precision",
    ),
    OpDef(
        name="tile.cast",
        category="TileOp",
        args=tiles("tile"),
        kwargs=(KwargDef("target_type", DataType, required=True), KwargDef("mode", int, required=True)),
        deduce=converted,
        memory=in_vector(VEC),
        access=AccessEvidence.FUNCTIONAL,
        description="converted to another element type; mode is how it is rounded",
    ),
)
