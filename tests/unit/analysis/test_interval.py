# SPDX-License-Identifier: Apache-2.0
"""Intervals hold every result of the values in them; small ones are tried out completely."""

from itertools import product

import pytest

from pypto_build.analysis.interval import ANY, NON_NEGATIVE, Interval, range_of
from pypto_build.ir import DataType

ENDS = range(-3, 4)
INTERVALS = [Interval(low, high) for low in ENDS for high in ENDS if low <= high]
HALF_OPEN = [Interval(low) for low in ENDS] + [Interval(None, high) for high in ENDS]


def members(interval, reach=4):
    low = -reach if interval.low is None else interval.low
    high = reach if interval.high is None else interval.high
    return range(low, high + 1)


def holds(interval, number):
    return Interval(number, number).is_within(interval)


@pytest.mark.parametrize("name", ["plus", "product", "smaller"])
def test_an_operation_holds_every_result(name):
    compute = {"plus": int.__add__, "product": int.__mul__, "smaller": min}[name]
    for left, right in product(INTERVALS + HALF_OPEN, repeat=2):
        found = getattr(left, name)(right)
        assert all(holds(found, compute(a, b)) for a in members(left) for b in members(right))


@pytest.mark.parametrize(("name", "compute"), [("quotient", int.__floordiv__), ("remainder", int.__mod__)])
def test_a_division_holds_every_result_and_says_nothing_where_zero_is_possible(name, compute):
    for left, right in product(INTERVALS + HALF_OPEN, repeat=2):
        found = getattr(left, name)(right)
        assert found == ANY if holds(right, 0) else True
        assert all(holds(found, compute(a, b)) for a in members(left) for b in members(right) if b)


def test_products_of_known_ends_are_exact():
    for left, right in product(INTERVALS, repeat=2):
        results = [a * b for a in members(left) for b in members(right)]
        assert left.product(right) == Interval(min(results), max(results))


@pytest.mark.parametrize("exponent", range(6))
def test_powers_of_known_ends_are_exact(exponent):
    for interval in INTERVALS:
        results = [number**exponent for number in members(interval)]
        assert interval.power(exponent) == Interval(min(results), max(results))


@pytest.mark.parametrize("interval", HALF_OPEN)
@pytest.mark.parametrize("exponent", range(4))
def test_powers_without_an_end_hold_every_result(interval, exponent):
    assert all(holds(interval.power(exponent), number**exponent) for number in members(interval))


def test_a_large_exponent_only_says_that_a_power_is_large():
    assert Interval(2, 3).power(1_000_000) == Interval(2**64, None)
    assert Interval(0, 1).power(1_000_000) == Interval(0, 1)


@pytest.mark.parametrize("factor", [-3, -1, 1, 2])
def test_dividing_holds_exactly_the_numbers_whose_multiples_are_inside(factor):
    for interval in INTERVALS:
        inside = [number for number in range(-9, 10) if holds(interval, number * factor)]
        found = interval.divided(factor)
        assert inside == [number for number in range(-9, 10) if holds(found, number)]


def test_types_hold_what_their_bits_do():
    assert range_of(DataType.INT8) == Interval(-128, 127)
    assert range_of(DataType.UINT8) == Interval(0, 255)
    assert range_of(DataType.BOOL) == Interval(0, 1)
    assert range_of(DataType.FP32) == ANY


def test_an_absolute_value_is_not_negative():
    assert Interval(-7, 3).absolute() == Interval(0, 7)
    assert Interval(-7).absolute() == NON_NEGATIVE
