# SPDX-License-Identifier: Apache-2.0
"""What the runtime finds out by itself, in which scopes and for which arguments."""

from __future__ import annotations

import pytest

from pypto_build.ir import DataType
from tests.taskruntime.graph import Argument, Graph, Kind, Mode, Task
from tests.taskruntime.memory import Tensor

X = Tensor(0, 0, (4, 4), (4, 1), DataType.FP32)
UPPER, LOWER = Tensor(0, 0, (2, 4), (4, 1), DataType.FP32), Tensor(0, 8, (2, 4), (4, 1), DataType.FP32)
COLUMN = Tensor(0, 1, (4, 1), (4, 1), DataType.FP32)


def waits(*tasks: tuple[Mode, Tensor], manual: bool = False) -> list[set[int]]:
    """For each of some tasks with one argument which others it directly waits for."""
    graph = Graph()
    for mode, tensor in tasks:
        graph.add(Task(Kind.KERNELS, (Argument(tensor, mode),), is_manual=manual))
    return [set(graph.direct[number]) for number in graph.numbers()]


def test_who_reads_waits_for_who_writes():
    assert waits((Mode.OUTPUT_EXISTING, X), (Mode.INPUT, X)) == [set(), {1}]


def test_who_only_writes_waits_for_nobody():
    assert waits((Mode.INPUT, X), (Mode.OUTPUT_EXISTING, X), (Mode.OUTPUT_EXISTING, X)) == [set(), set(), set()]


def test_who_reads_and_writes_stands_for_those_before():
    found = waits((Mode.OUTPUT_EXISTING, UPPER), (Mode.OUTPUT_EXISTING, LOWER), (Mode.INOUT, X), (Mode.INPUT, X))
    assert found == [set(), set(), {1, 2}, {3}]


def test_parts_that_share_nothing_are_told_apart():
    assert waits((Mode.OUTPUT_EXISTING, UPPER), (Mode.INPUT, LOWER)) == [set(), set()]


def test_parts_that_share_an_element_are_not():
    assert waits((Mode.OUTPUT_EXISTING, UPPER), (Mode.INPUT, COLUMN)) == [set(), {1}]


def test_a_manual_scope_finds_nothing_and_leaves_nothing_to_be_found():
    assert waits((Mode.OUTPUT_EXISTING, X), (Mode.INPUT, X), manual=True) == [set(), set()]
    graph = Graph()
    graph.add(Task(Kind.KERNELS, (Argument(X, Mode.OUTPUT_EXISTING),), is_manual=True))
    graph.add(Task(Kind.KERNELS, (Argument(X, Mode.INPUT),)))
    assert graph.direct[2] == set()


def test_an_argument_without_dependencies_is_neither_looked_up_nor_registered():
    assert waits((Mode.OUTPUT_EXISTING, X), (Mode.NO_DEP, X), (Mode.INPUT, X)) == [set(), set(), {1}]


def test_a_tensor_that_was_created_so_is_not_looked_up():
    free = Tensor(0, 0, (4, 4), (4, 1), DataType.FP32, manual_dep=True)
    assert waits((Mode.OUTPUT_EXISTING, free), (Mode.INPUT, free)) == [set(), set()]


@pytest.mark.parametrize("mode", [Mode.INPUT, Mode.OUTPUT_EXISTING, Mode.NO_DEP])
def test_every_argument_waits_for_the_task_that_created_it(mode: Mode):
    graph = Graph()
    graph.add(Task(Kind.ALLOCATION))
    graph.add(Task(Kind.KERNELS, (Argument(Tensor(0, 0, (4,), (1,), DataType.FP32, owner=1), mode),)))
    assert graph.direct[2] == {1}


def test_order_reaches_over_other_tasks():
    graph = Graph()
    for waits_for in (frozenset[int](), frozenset({1}), frozenset({2})):
        graph.add(Task(Kind.KERNELS, waits=waits_for))
    assert graph.comes_before(1, 3)
    assert not graph.comes_before(3, 1)


def test_whatever_comes_later_comes_after_what_the_orchestration_waited_for():
    graph = Graph()
    graph.add(Task(Kind.KERNELS))
    graph.add(Task(Kind.ACCESS, waits=frozenset({1})))
    graph.add(Task(Kind.KERNELS))
    assert graph.comes_before(1, 3)
