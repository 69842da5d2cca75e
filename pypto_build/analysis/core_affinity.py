# SPDX-License-Identifier: Apache-2.0
"""Which core executes an operation: fixed by the operation, else by the memories of its tiles."""

from __future__ import annotations

from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.ir import Call, Expr, MemorySpace, TileType, TupleType, Type
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CoreAffinity

_CUBE = frozenset(
    {
        MemorySpace.Mat,
        MemorySpace.Left,
        MemorySpace.Right,
        MemorySpace.Acc,
        MemorySpace.Bias,
        MemorySpace.LeftScale,
        MemorySpace.RightScale,
    }
)


def core_affinity(value: Expr, ops: OpRegistry) -> CoreAffinity:
    """Where an expression is computed: SHARED for what both cores can do, MIXED for a transfer between them."""
    definition = definition_of(value, ops)
    if definition is None or not isinstance(value, Call):
        return CoreAffinity.SHARED
    if definition.core_affinity is not None:
        return definition.core_affinity
    sides = {_side(space) for space in _spaces(value)}
    if len(sides) > 1:
        return CoreAffinity.MIXED
    return sides.pop() if sides else CoreAffinity.SHARED


def _spaces(call: Call) -> list[MemorySpace]:
    kinds: list[Type] = [arg.type for arg in call.args]
    kinds.extend(call.type.types if isinstance(call.type, TupleType) else (call.type,))
    found = [kind.memory_space for kind in kinds if isinstance(kind, TileType)]
    return [space for space in found if space is not None and (space is MemorySpace.Vec or space in _CUBE)]


def _side(space: MemorySpace) -> CoreAffinity:
    return CoreAffinity.CUBE if space in _CUBE else CoreAffinity.VECTOR
