# SPDX-License-Identifier: Apache-2.0
"""The checker: which orders memory demands, and that one which is recorded nowhere is found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pypto_build.ir import DataType
from tests.taskruntime.graph import Argument, Graph, Kind, Mode, Task
from tests.taskruntime.hazards import Touch, hazards, missing
from tests.taskruntime.memory import Tensor

READS, WRITES = False, True


def touch(buffer: int, begin: int, end: int, writes: bool) -> Touch:
    """Some bytes."""
    return Touch(buffer, np.arange(begin, end), writes)


def demanded(*tasks: Sequence[Touch]) -> list[tuple[str, int, int]]:
    """The hazards of tasks that touch this, numbered from 1 on."""
    return [hazard[:3] for hazard in hazards(enumerate(tasks, 1))]


def test_who_reads_comes_after_who_wrote_last():
    found = demanded([touch(0, 0, 8, WRITES)], [touch(0, 0, 8, WRITES)], [touch(0, 4, 6, READS)])
    assert found == [("write after write", 1, 2), ("read after write", 2, 3)]


def test_who_overwrites_comes_after_all_that_read():
    found = demanded([touch(0, 0, 8, READS)], [touch(0, 4, 8, READS)], [touch(0, 4, 5, WRITES)])
    assert found == [("write after read", 1, 3), ("write after read", 2, 3)]


def test_bytes_beside_each_other_and_other_buffers_demand_nothing():
    assert demanded([touch(0, 0, 8, WRITES)], [touch(0, 8, 16, WRITES)], [touch(1, 0, 8, READS)]) == []


def test_several_who_read_may_change_places():
    assert demanded([touch(0, 0, 8, READS)], [touch(0, 0, 8, READS)]) == []


def test_what_was_overwritten_in_part_has_two_writers():
    found = demanded([touch(0, 0, 8, WRITES)], [touch(0, 0, 4, WRITES)], [touch(0, 2, 6, READS)])
    assert found == [("write after write", 1, 2), ("read after write", 1, 3), ("read after write", 2, 3)]


def test_a_task_does_not_come_before_itself():
    both = [touch(0, 0, 8, READS), touch(0, 0, 8, WRITES)]
    assert demanded(both, both) == [("read after write", 1, 2), ("write after write", 1, 2)]


# -- a graph without an edge -------------------------------------------------------------------------------------------

X = Tensor(0, 0, (4,), (1,), DataType.FP32)
TOUCHED = [(1, [touch(0, 0, 16, WRITES)]), (2, [touch(0, 0, 16, READS)])]


def recorded(*tasks: Task) -> Graph:
    """A graph of tasks."""
    graph = Graph()
    for task in tasks:
        graph.add(task)
    return graph


def test_an_edge_that_is_missing_is_found():
    graph = recorded(Task(Kind.KERNELS, is_manual=True), Task(Kind.KERNELS, is_manual=True))
    assert [hazard[:3] for hazard in missing(graph, TOUCHED)] == [("read after write", 1, 2)]


def test_an_edge_that_is_named_is_not_missing():
    graph = recorded(Task(Kind.KERNELS, is_manual=True), Task(Kind.KERNELS, waits=frozenset({1}), is_manual=True))
    assert missing(graph, TOUCHED) == []


def test_an_edge_over_another_task_is_not_missing():
    gate = Task(Kind.BARRIER, waits=frozenset({1}), is_manual=True)
    graph = recorded(Task(Kind.KERNELS, is_manual=True), gate, Task(Kind.KERNELS, waits=frozenset({2}), is_manual=True))
    assert missing(graph, [TOUCHED[0], (3, TOUCHED[1][1])]) == []


def test_an_edge_that_the_runtime_finds_is_not_missing():
    writer, reader = Argument(X, Mode.OUTPUT_EXISTING), Argument(X, Mode.INPUT)
    assert missing(recorded(Task(Kind.KERNELS, (writer,)), Task(Kind.KERNELS, (reader,))), TOUCHED) == []
