# SPDX-License-Identifier: Apache-2.0
"""Generated sources run without their kernels, to see what they launch: scalar parameters are 3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pypto_build.ir import DataType, Program
from tests.targets.orchestration.generating import members
from tests.taskruntime.building import built
from tests.taskruntime.graph import Graph, Kind
from tests.taskruntime.interface import Host
from tests.taskruntime.memory import Memory, described
from tests.taskruntime.running import task_of

_MADE = 10  # the number of the first tensor that the runtime makes


@dataclass(slots=True)
class _Record:
    """A host that notes tasks and runs none."""

    memory: Memory = field(default_factory=Memory)
    graph: Graph = field(default_factory=Graph)

    def submit(self, submission: Any) -> int:
        return self.graph.add(task_of(submission, self.memory))


def recorded(made: Program) -> Graph:
    """The tasks of a finished program; its tensor parameters are the first buffers, those that it makes follow."""
    written, record = members(made), _Record()
    [entry] = built([written["orchestration/main.cpp"].data.decode()])
    params = json.loads(written["orchestration/main.json"].data)["params"]
    arrays = [np.zeros(param["shape"], np.float32) for param in params if param["shape"] is not None]
    tensors = [described(array, record.memory.keep(array), DataType.FP32) for array in arrays]
    scalars = [3] * (len(params) - len(arrays))
    entry.run(Host(record.memory.allocate, record.submit, lambda *_: None), tensors, scalars)
    return record.graph


def launches(made: Program) -> list[str]:
    """The launches of a finished program, each as `kernel: tensors <- launches that it is told to wait for`.

    Parameters are 0, 1, ..., tensors that it makes 10, 11, ...
    """
    return list(_printed(recorded(made)))


def _printed(graph: Graph) -> Iterator[str]:
    numbers: dict[int, int] = {}
    made: dict[int, int] = {}
    for number in graph.numbers():
        task = graph.tasks[number]
        if task.kind is Kind.ALLOCATION:
            made.update((tensor.buffer, _MADE + len(made)) for tensor, _ in task.arguments)
            continue
        numbers[number] = len(numbers)
        tensors = "".join(f" {made.get(tensor.buffer, tensor.buffer)}" for tensor, _ in task.arguments)
        waits = "".join(f" {numbers[other]}" for other in sorted(task.waits))
        what = "barrier" if task.kind is Kind.BARRIER else f"{max(task.kernels)}:"
        yield f"{what}{tensors}{' <-' if waits else ''}{waits}"
