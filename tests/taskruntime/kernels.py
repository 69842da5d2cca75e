# SPDX-License-Identifier: Apache-2.0
"""The kernels of tasks, carried out by their emitted text on the memory of a run; what each has touched is seen.

What a kernel says that it only writes is filled with other data before it runs. So it cannot read what was there, and
exactly what it has written differs afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from pypto_simulators.functional.crossing import Team
from pypto_simulators.functional.frame import Launch
from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.values import Block
from pypto_simulators.pto_text.machine import TextMachine

from pypto_build.analysis.pipe_workspace import is_workspace
from pypto_build.host import SimulationRequest
from pypto_build.ir import DataType, Function, Program, ScalarType, TensorType
from pypto_build.ops import builtin_registry
from pypto_build.passes import HardwareDescription
from tests.taskruntime.graph import Argument, Task
from tests.taskruntime.hazards import Touch
from tests.taskruntime.memory import Memory, Tensor

_MOST_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Use:
    """A tensor that a kernel takes, and what its signature says that it does with it."""

    tensor: Tensor
    reads: bool
    writes: bool


@dataclass(frozen=True)
class Kernels:
    """The kernels of one orchestration: an object's program and texts, and the description with their numbers."""

    program: Program
    texts: Mapping[str, bytes]
    description: Mapping[str, Any]
    hardware: HardwareDescription

    @cached_property
    def _machine(self) -> TextMachine:
        request = SimulationRequest(self.program, "", {}, self.hardware, builtin_registry(), members=self.texts)
        return TextMachine(request, max_iterations=_MOST_STEPS)

    @cached_property
    def _by_number(self) -> dict[int, dict[str, Any]]:
        return {kernel["func_id"]: kernel for kernel in self.description["kernels"]}

    def uses(self, task: Task) -> list[Use]:
        """What the kernels of a task do with its tensors."""
        signatures = [self._by_number[kernel]["signature"] for kernel in task.kernels if kernel >= 0]
        found: list[Use] = []
        for position, argument in enumerate(task.arguments):
            ways = {signature[position] for signature in signatures}
            found.append(Use(argument.tensor, bool(ways & {"IN", "INOUT"}), bool(ways & {"OUT", "INOUT"})))
        return found

    def touches(self, task: Task) -> list[Touch]:
        """What a task touches as far as that shows before it runs: all of each tensor, in its direction."""
        uses = self.uses(task)
        reads = [Touch(use.tensor.buffer, use.tensor.places(), False) for use in uses if use.reads]
        return reads + [Touch(use.tensor.buffer, use.tensor.places(), True) for use in uses if use.writes]

    def run(self, task: Task, memory: Memory) -> list[Touch]:
        """Run a task; what it has touched: all that it reads, and of what it only writes what it has written.

        Raises:
            AssertionError: it writes memory that is not among its outputs.
            UserError: the text of a kernel does something that it must not.
        """
        uses = self.uses(task)
        pure = [use for use in uses if use.writes and not use.reads and not _is_shared(use, uses)]
        before = {use.tensor.buffer: memory.buffers[use.tensor.buffer].copy() for use in uses}
        strange = {use.tensor: _scramble(memory, use.tensor) for use in pure}
        self._launch(task, memory)
        written = [
            Touch(tensor.buffer, _settle(memory, tensor, data, before), True) for tensor, data in strange.items()
        ]
        touched = [touch for touch in self.touches(task) if not touch.writes]
        whole = [use.tensor for use in uses if use.writes and use not in pure]
        written += [Touch(tensor.buffer, tensor.places(), True) for tensor in whole]
        _check_nothing_else(memory, before, written)
        return touched + written

    def _launch(self, task: Task, memory: Memory) -> None:
        """All blocks of a task, each on its cores."""
        lanes = sum(kernel >= 0 for kernel in task.kernels[1:])
        for block in range(task.blocks):
            launch = Launch(block, task.blocks, lanes=max(lanes, 1), team=Team(max(lanes, 1)))
            jobs: list[Any] = []
            for core, number in enumerate(task.kernels):
                if number >= 0:
                    jobs.append(self._job(task, memory, number, launch=launch, lane=max(core - 1, 0)))
            self._machine.scheduler.run(jobs) if len(jobs) > 1 else jobs[0]()

    def _job(self, task: Task, memory: Memory, number: int, *, launch: Launch, lane: int) -> Any:
        name = self._by_number[number]["name"]
        function = self.program.get_function(name)
        assert function is not None, f"the program has no kernel {name}"
        here = Launch(launch.block, launch.blocks, lane, launch.lanes, launch.team)
        args = _arguments(function, task, memory)
        return partial(self._machine.run, function, args, launch=here, span=function.span)


def _arguments(function: Function, task: Task, memory: Memory) -> list[Any]:
    """The arguments of a task in the order of a kernel's parameters: the runtime hands on tensors before scalars."""
    tensors, scalars = iter(task.arguments), iter(task.scalars)
    made: list[Any] = []
    for param in function.params:
        if isinstance(param.type, TensorType):
            made.append(_block(next(tensors), memory, stands_for_more=is_workspace(param)))
        else:
            assert isinstance(param.type, ScalarType), (
                f"{function.name} has a parameter that is no tensor and no scalar"
            )
            made.append(scalar_of(next(scalars), param.type.dtype))
    assert next(tensors, None) is None, f"{function.name} is passed more tensors than it takes"
    assert next(scalars, None) is None, f"{function.name} is passed more scalars than it takes"
    return made


def _block(argument: Argument, memory: Memory, *, stands_for_more: bool) -> Block:
    """A tensor as a kernel sees it: of a workspace the one element that stands for all in its signature."""
    array = memory.array(argument.tensor)
    return Block(array[:1] if stands_for_more else array, argument.tensor.dtype)


def scalar_of(raw: int, dtype: DataType) -> Any:
    """The number that 64 bits stand for."""
    if dtype is DataType.FP32:
        return float(np.array([raw], np.uint64).view(np.float32)[0])
    size = 1 if dtype is DataType.BOOL else max(dtype.get_bit() // 8, 1)
    signed = str(dtype).startswith(("int", "index"))
    value = int.from_bytes(raw.to_bytes(8, "little")[:size], "little", signed=signed)
    return bool(value) if dtype is DataType.BOOL else value


def raw_of(value: Any, dtype: DataType) -> int:
    """The 64 bits that stand for a number."""
    if dtype is DataType.FP32:
        return int(np.array([value, 0], np.float32).view(np.uint64)[0])
    return int(value) & (2**64 - 1)


# -- what a kernel writes ----------------------------------------------------------------------------------------------


def _is_shared(use: Use, uses: Sequence[Use]) -> bool:
    """Whether another argument lies in the same bytes, so that what is only written here is read there."""
    return any(other is not use and other.tensor.meets(use.tensor) for other in uses)


def _scramble(memory: Memory, tensor: Tensor) -> Array:
    """Fill a tensor with data that nobody computes; the whole buffer as it is then."""
    buffer = memory.buffers[tensor.buffer]
    places = tensor.places()
    buffer[places] = np.random.default_rng(len(places)).integers(0, 256, len(places), np.uint8) ^ buffer[places]
    return buffer.copy()


def _settle(memory: Memory, tensor: Tensor, strange: Array, before: Mapping[int, Array]) -> Array:
    """The bytes of the elements that a kernel has written; the others are put back."""
    buffer, size = memory.buffers[tensor.buffer], tensor.itemsize
    places = tensor.places().reshape(-1, size)
    written = (buffer[places] != strange[places]).any(axis=1)
    kept = places[~written].reshape(-1)
    buffer[kept] = before[tensor.buffer][kept]
    return places[written].reshape(-1)


def _check_nothing_else(memory: Memory, before: Mapping[int, Array], written: Sequence[Touch]) -> None:
    for number, old in before.items():
        allowed = [touch.places for touch in written if touch.buffer == number]
        changed = np.flatnonzero(memory.buffers[number] != old)
        outside = np.setdiff1d(changed, np.concatenate(allowed)) if allowed else changed
        assert not outside.size, f"a kernel writes byte {outside[0]} of buffer {number}, which is no output of it"
