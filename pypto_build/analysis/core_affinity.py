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


_NAMED = {"aic": CoreAffinity.CUBE, "aiv": CoreAffinity.VECTOR}
"""What an operation may be told by its `core_type`; another value says nothing about the core that executes it."""


def core_affinity(value: Expr, ops: OpRegistry) -> CoreAffinity:
    """Where an expression is computed: SHARED for what both cores can do, MIXED for a transfer between them."""
    definition = definition_of(value, ops)
    if definition is None or not isinstance(value, Call):
        return CoreAffinity.SHARED
    fixed = _NAMED.get(str(value.kwargs.get("core_type")), definition.core_affinity)
    if fixed is not None:
        return fixed
    sides = {side for space in _tile_spaces(value) if (side := memory_core(space)) is not None}
    if len(sides) > 1:
        return CoreAffinity.MIXED
    return sides.pop() if sides else CoreAffinity.SHARED


def memory_core(space: MemorySpace | None) -> CoreAffinity | None:
    """The core that a memory belongs to; None for a memory of both, or one that is not decided."""
    if space is MemorySpace.Vec:
        return CoreAffinity.VECTOR
    return CoreAffinity.CUBE if space in _CUBE else None


def _tile_spaces(call: Call) -> list[MemorySpace | None]:
    kinds: list[Type] = [arg.type for arg in call.args]
    kinds.extend(call.type.types if isinstance(call.type, TupleType) else (call.type,))
    return [kind.memory_space for kind in kinds if isinstance(kind, TileType)]
