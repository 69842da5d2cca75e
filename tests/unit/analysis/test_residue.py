# SPDX-License-Identifier: Apache-2.0
"""Remainders that all values of a set leave; small sets are tried out completely."""

from itertools import product

import pytest

from pypto_build.analysis.interval import Interval
from pypto_build.analysis.residue import ANY_RESIDUE, Residue, solutions

RESIDUES = [Residue(step, offset) for step in range(7) for offset in range(max(step, 1))]
REACH = range(-24, 25)


def members(residue):
    return [number for number in REACH if residue.contains(number)]


def test_equal_sets_are_equal():
    assert Residue(4, -3) == Residue(-4, 1) == Residue(4, 9)
    assert Residue(0, 5) != Residue(0, 6)


@pytest.mark.parametrize(
    ("name", "compute"), [("plus", int.__add__), ("product", int.__mul__), ("union", max), ("union", min)]
)
def test_an_operation_holds_every_result(name, compute):
    for left, right in product(RESIDUES, repeat=2):
        found = getattr(left, name)(right)
        assert all(found.contains(compute(a, b)) for a in members(left) for b in members(right))


@pytest.mark.parametrize("divisor", [-6, -2, 1, 2, 3])
def test_quotients_and_remainders_hold_every_result(divisor):
    for residue in RESIDUES:
        assert all(residue.quotient(divisor).contains(a // divisor) for a in members(residue))
        assert all(residue.remainder(Residue(0, divisor)).contains(a % divisor) for a in members(residue))


def test_meeting_leaves_what_lies_in_both():
    for left, right in product(RESIDUES, repeat=2):
        both = [number for number in members(left) if right.contains(number)]
        assert members(left.meet(right)) == (both or members(left))


@pytest.mark.parametrize("factor", [-4, -1, 1, 2, 3, 6])
def test_solutions_of_a_congruence_are_all_there_are(factor):
    for target in RESIDUES:
        expected = [number for number in range(-4, 5) if target.contains(factor * number)]
        found = solutions(factor, target)
        assert (found is None and not expected) or [k for k in range(-4, 5) if found.contains(k)] == expected


@pytest.mark.parametrize(
    ("residue", "expected"),
    [
        (Residue(32, 0), Interval(0, 96)),
        (Residue(32, 5), Interval(5, 101)),
        (Residue(0, 7), Interval(7, 7)),
        (ANY_RESIDUE, Interval(0, 127)),
    ],
)
def test_an_interval_shrinks_to_its_first_and_last_value(residue, expected):
    assert residue.within(Interval(0, 127)) == expected


def test_a_remainder_is_known_when_the_step_is_a_multiple_of_the_divisor():
    assert Residue(8, 6).modulo(4) == 2
    assert Residue(8, 6).modulo(3) is None
    assert Residue(8, 6).modulo(0) is None
    assert Residue(0, -7).modulo(4) == 1


def test_storing_in_few_bits_keeps_the_remainder_by_a_power_of_two():
    assert Residue(12, 7).wrapped(8) == Residue(4, 3)
    assert Residue(0, 300).wrapped(8) == Residue(256, 44)
