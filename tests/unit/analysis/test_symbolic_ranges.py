# SPDX-License-Identifier: Apache-2.0
"""Ends of ranges that are expressions."""

import pytest

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.symbolic_ranges import SymbolicRange, symbolic_range
from pypto_build.ir import binary
from tests.unit.analysis.integers import X, Y, n
from tests.unit.ir.build import scalar

COUNT = scalar("n")


@pytest.fixture
def bounds():
    """X counts from 0 up to a count that nothing is known of."""
    made = Bounds()
    made.assume(binary("ge", X, 0))
    made.assume(binary("lt", X, COUNT))
    return made


def of_count(bounds, constant, factor=1):
    return LinearForm(constant, ((bounds.atoms.number(COUNT), factor),))


def test_a_sum_lies_between_the_sums_of_the_ends(bounds):
    assert symbolic_range(bounds, binary("add", X, 1)) == SymbolicRange(LinearForm(1), of_count(bounds, 0))


def test_a_negative_factor_swaps_the_ends(bounds):
    assert symbolic_range(bounds, binary("mul", X, -2)) == SymbolicRange(of_count(bounds, 2, -2), LinearForm(0))


def test_of_what_nothing_is_known_the_range_is_itself(bounds):
    found = symbolic_range(bounds, Y)
    assert found == SymbolicRange(found.low, found.low)
    assert [bounds.atoms.expr(atom) for atom, _ in found.low.terms] == [Y]


def test_numbers_come_before_expressions(bounds):
    bounds.assume(binary("le", COUNT, n(64)))
    assert symbolic_range(bounds, X) == SymbolicRange(LinearForm(0), LinearForm(63))


def test_an_end_that_nothing_is_known_of_is_open(bounds):
    bounds.assume(binary("ge", Y, 5))
    assert symbolic_range(bounds, binary("add", X, Y)) == SymbolicRange(LinearForm(5), None)
