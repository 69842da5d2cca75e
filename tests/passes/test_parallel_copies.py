# SPDX-License-Identifier: Apache-2.0
"""Copies that belong together: in which order they are made."""

from pypto_passes.buffer_webs import Web
from pypto_passes.parallel_copies import TileCopy, in_safe_order

from pypto_build.ir import ConstInt, DataType, MemorySpace

VALUE = ConstInt(0, DataType.INT64)


def order(*pairs: tuple[int, int]) -> list[tuple[int, bool]]:
    """The order of copies from web to web: the number of each, and whether it is put aside."""
    webs = [Web(MemorySpace.Vec) for _ in range(10)]
    copies = [TileCopy(index, VALUE, webs[a], webs[b]) for index, (a, b) in enumerate(pairs)]
    return [(step.copy.index, step.aside) for step in in_safe_order(copies)]


def test_independent_copies_keep_their_order():
    assert order((0, 5), (1, 6)) == [(0, False), (1, False)]


def test_a_copy_waits_for_those_that_read_its_target():
    assert order((0, 1), (1, 2)) == [(1, False), (0, False)]


def test_a_ring_is_opened_by_putting_one_value_aside():
    assert order((0, 1), (1, 0)) == [(0, True), (1, False), (0, False)]


def test_two_rings_are_opened_one_by_one():
    assert [aside for _, aside in order((0, 1), (1, 0), (2, 3), (3, 2))].count(True) == 2
