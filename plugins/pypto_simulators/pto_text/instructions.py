# SPDX-License-Identifier: Apache-2.0
"""Instructions on tiles: their operands are read from memory, computed with, and written to their destinations."""

from __future__ import annotations

from pypto_build.ir import Call, Op, TupleType, Type
from pypto_simulators.functional.errors import NO_SEMANTICS, WRONG_VALUE, fail
from pypto_simulators.functional.expressions import computed
from pypto_simulators.functional.operation import Operation as Semantic
from pypto_simulators.functional.values import Block, Value, results_of
from pypto_simulators.pto_text.activation import Activation
from pypto_simulators.pto_text.buffers import Place, Tile, type_of
from pypto_simulators.pto_text.meanings import Meaning, Step, meaning_of
from pypto_simulators.pto_text.module import Operation
from pypto_simulators.pto_text.module import Value as Name
from pypto_simulators.pto_text.types import Vector


def execute_instruction(activation: Activation, instruction: Operation) -> None:
    """Carry out an instruction.

    Raises:
        UserError: it has no semantics, or its operands do not fit each other.
    """
    meaning = _meaning(activation, instruction)
    step = _step(activation, instruction)
    kinds: list[Type] = [type_of(tile.kind, tile.valid) for tile in step.tiles]
    made = kinds[0] if len(kinds) == 1 else TupleType(tuple(kinds))
    call = Call(Op(meaning.operation), (), meaning.attributes(step), type=made, span=instruction.span)
    semantic = Semantic(activation.frame, call, list(meaning.arguments(step)))
    semantic.name = instruction.name
    _write(step, computed(semantic))


def _step(activation: Activation, instruction: Operation) -> Step:
    operands = tuple(_operand(activation, name) for name in instruction.operands)
    targets = [_target(activation, name) for name in instruction.destinations]
    tiles = tuple(target for target in targets if isinstance(target, Tile))
    memory = tuple(target for target in targets if isinstance(target, Block))
    if not tiles and not memory:
        raise fail(WRONG_VALUE, f"{instruction.name} writes nothing", instruction.span)
    return Step(instruction, operands, tiles, memory)


def _operand(activation: Activation, name: Name) -> Value:
    value = activation.value(name)
    return activation.tile(name).block() if isinstance(value, Tile | Place) else value


def _target(activation: Activation, name: Name) -> Value:
    """A tile or a view of global memory; a register, which nobody reads, is not written."""
    value = activation.value(name)
    return value if isinstance(value, Block) or isinstance(name.type, Vector) else activation.tile(name)


def _meaning(activation: Activation, instruction: Operation) -> Meaning:
    found = meaning_of(instruction)
    if found is not None:
        return found
    ops = activation.frame.machine.ops
    added = next((name for name in ops.names if ops.get(name).mnemonic == instruction.name), None)
    if added is None:
        raise fail(NO_SEMANTICS, f"{instruction.name} cannot be simulated: it has no semantics here", instruction.span)
    return Meaning(added)


def _write(step: Step, result: Value) -> None:
    for tile, block in zip(step.tiles, results_of(result), strict=False):
        tile.write(block)
