# SPDX-License-Identifier: Apache-2.0
"""Tiles that are pushed to and popped from the other cores of a block, and barriers of cores.

The rings and the memory behind them are not looked at: a popped tile is a copy of what was pushed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_build.ir import UNKNOWN_TYPE, Call, Op, Type
from pypto_simulators.functional.expressions import computed
from pypto_simulators.functional.operation import Operation as Semantic
from pypto_simulators.functional.values import Value
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.buffers import tile_of_its_own, type_of
from pypto_simulators.pto_text.module import Operation
from pypto_simulators.pto_text.tile_handles import known_valid, tile_type


def _computed(
    activation: Activation, operation: Operation, name: str, args: list[Value], kind: Type = UNKNOWN_TYPE
) -> Value:
    call = Call(Op(name), (), dict(operation.attributes), type=kind, span=operation.span)
    semantic = Semantic(activation.frame, call, args)
    semantic.name = operation.name
    return computed(semantic)


def _pushed(activation: Activation, operation: Operation) -> None:
    name = operation.name.replace("pto.", "tile.")
    _computed(activation, operation, name, [activation.tile(operation.operands[0]).block()])


def _popped(activation: Activation, operation: Operation) -> None:
    name = operation.name.replace("pto.", "tile.")
    given = [int(value) for value in activation.values(operation.operands)] or [None, None]
    for result in operation.results:
        kind = tile_type(activation, result)
        tile = tile_of_its_own(kind, valid=known_valid(kind, given, operation), span=operation.span)
        tile.write(_computed(activation, operation, name, [], type_of(kind, tile.valid)))
        activation.give(operation, tile)


def _barrier(activation: Activation, operation: Operation) -> None:
    _computed(activation, operation, "system.syncall", [])


def _reserved(activation: Activation, operation: Operation) -> None:
    activation.give(operation, operation.attributes.get("base", 0))


def _nothing(_: Activation, _operation: Operation) -> None:
    """What it prepares or releases is not simulated."""


EXECUTORS: Final[Mapping[str, Executor]] = {
    "pto.tpush_to_aiv": _pushed,
    "pto.tpush_to_aic": _pushed,
    "pto.tpop_from_aic": _popped,
    "pto.tpop_from_aiv": _popped,
    "pto.syncall": _barrier,
    "pto.reserve_buffer": _reserved,
    "pto.import_reserved_buffer": _reserved,
    "pto.tfree_from_aic": _nothing,
    "pto.tfree_from_aiv": _nothing,
    "pto.aic_initialize_pipe": _nothing,
    "pto.aiv_initialize_pipe": _nothing,
    "pto.set_ffts": _nothing,
}
