# SPDX-License-Identifier: Apache-2.0
"""Tile operations on two or three tiles, element by element."""

from __future__ import annotations

from pypto_build.ir import MemorySpace, TileType
from pypto_build.ops.deduce import broadcast_shapes, promote_dtypes
from pypto_build.ops.definition import AccessEvidence, ArgDef, MemorySpec, OpDef
from pypto_build.ops.operands import Operands

_VEC = (MemorySpace.Vec,)


def elementwise(operands: Operands) -> TileType:
    """Two tiles that broadcast against each other."""
    left, right = operands.tile(0), operands.tile(1)
    dtype = promote_dtypes(left.dtype, right.dtype)
    if dtype is None:
        raise operands.error(f"requires compatible data types, but got {left.dtype} and {right.dtype}")
    return TileType(broadcast_shapes(operands, left.shape, right.shape), dtype)


_PAIR = (ArgDef("lhs", "TileType"), ArgDef("rhs", "TileType"))

_FUNCTIONAL = (
    ("tile.add", "lhs + rhs"),
    ("tile.sub", "lhs - rhs"),
    ("tile.mul", "lhs * rhs"),
    ("tile.maximum", "the larger of lhs and rhs"),
    ("tile.minimum", "the smaller of lhs and rhs"),
)

OPS = tuple(
    OpDef(
        name=name,
        category="TileOp",
        args=_PAIR,
        deduce=elementwise,
        memory=MemorySpec((_VEC, _VEC), MemorySpace.Vec),
        access=AccessEvidence.FUNCTIONAL,
        description=description,
    )
    for name, description in _FUNCTIONAL
)
