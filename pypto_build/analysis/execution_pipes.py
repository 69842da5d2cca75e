# SPDX-License-Identifier: Apache-2.0
"""Which pipe of a core executes an operation: fixed by the operation, or by the memories that it moves data between.

Source: the pipe tables of the public assembler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.ir import Call, MemorySpace, PipeType, TileType, TupleType, Type
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import AccessEvidence

_S = MemorySpace
_CUBE_PRODUCTS = ("tile.matmul", "tile.gemv", "tile.batch_matmul")
_ONE_ELEMENT = ("tile.read", "tile.write")
_CUBE_INPUTS = (_S.Left, _S.Right, _S.Bias, _S.LeftScale, _S.RightScale)


Way = tuple[MemorySpace | None, MemorySpace | None]
"""From which memory to which; None for one that is not decided yet."""


def execution_pipe(call: Call, ops: OpRegistry, ways: Set[tuple[MemorySpace, MemorySpace]]) -> PipeType | None:
    """The pipe that executes a call; None for what executes nothing, and where the pipe cannot be told.

    `ways` are the moves that the chip has. One that it does not have, or that several pipes share, is not told.
    """
    definition = definition_of(call, ops)
    if definition is None or definition.access is AccessEvidence.NO_ACCESS:
        return None
    name = definition.name
    way = _WAYS.get(name)
    if way is not None:
        return _on_way(way(call), ways)
    if name.startswith(_CUBE_PRODUCTS):
        return PipeType.M
    if name in _ONE_ELEMENT:
        return PipeType.S
    in_vector = name.startswith("tile.") and definition.cross_core_role is None and _touched(call) == {_S.Vec}
    return PipeType.V if in_vector else None


def _on_way(way: Way, ways: Set[tuple[MemorySpace, MemorySpace]]) -> PipeType | None:
    source, target = way
    if source is None or target is None:
        return None
    if source is target:
        return PipeType.V  # a copy within a memory
    if (source, target) not in ways:
        return None
    if source is _S.DDR:
        return PipeType.MTE2
    if source is _S.Acc:
        return PipeType.FIX
    if source is _S.Mat and target in _CUBE_INPUTS:
        return PipeType.MTE1
    return PipeType.MTE3 if target is _S.DDR else None


def _loading(call: Call) -> Way:
    return _S.DDR, _space(call.type)


def _storing(call: Call) -> Way:
    return _space(call.args[0].type), _S.DDR


def _moving(call: Call) -> Way:
    return _space(call.args[0].type), _space(call.type)


def _assembling(call: Call) -> Way:
    return _space(call.args[1].type), _space(call.type)


_WAYS: dict[str, Callable[[Call], Way]] = {
    "tile.load": _loading,
    "tile.store": _storing,
    "tile.move": _moving,
    "tile.extract": _moving,
    "tile.assemble": _assembling,
}


def _space(kind: Type) -> MemorySpace | None:
    return kind.memory_space if isinstance(kind, TileType) else None


def _touched(call: Call) -> set[MemorySpace | None]:
    results: Iterable[Type] = call.type.types if isinstance(call.type, TupleType) else (call.type,)
    kinds = (*(arg.type for arg in call.args), *results)
    return {kind.memory_space for kind in kinds if isinstance(kind, TileType)}
