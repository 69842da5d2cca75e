# SPDX-License-Identifier: Apache-2.0
"""What the prover decides about integer expressions, and the arithmetic that builds on it."""

import pytest

from pypto_build.ir import Cast, ConstInt, DataType, Max, Min, Var, as_int, const_index, scalar_type
from pypto_build.ir.scalar import binary
from pypto_build.ops import arithmetic, proof

N = Var("n", scalar_type(DataType.INDEX))
M = Var("m", scalar_type(DataType.INDEX))


def plus(value: object, number: int) -> object:
    return binary("add", value, number)


def times(value: object, number: int) -> object:
    return binary("mul", value, number)


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (const_index(7), ConstInt(4, DataType.UINT64), 3),
        (plus(N, 5), plus(N, 2), 3),
        (times(plus(N, 2), 3), plus(times(N, 3), 1), 5),
        (binary("sub", plus(N, 4), N), const_index(4), 0),
        (Cast(N, DataType.INT64), N, 0),
        (N, M, None),
        (binary("mul", N, M), N, None),
    ],
)
def test_a_difference_is_a_number_when_the_variables_cancel(left, right, found):
    assert proof.difference(left, right) == found


def test_equal_is_what_differs_by_nothing():
    assert proof.provably_equal(plus(N, 1), plus(N, 1))
    assert not proof.provably_equal(N, M)
    assert not proof.provably_different(N, M)
    assert proof.provably_different(N, plus(N, 1))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (N, plus(N, 1)),
        (Min(N, M, DataType.INDEX), N),
        (N, Max(M, N, DataType.INDEX)),
        (Max(N, N, DataType.INDEX), plus(N, 1)),
        (N, Min(N, plus(N, 2), DataType.INDEX)),
    ],
)
def test_an_order_is_proven_through_minima_and_maxima(left, right):
    assert proof.provably_at_most(left, right)


def test_an_order_that_depends_on_the_variables_is_not_proven():
    assert not proof.provably_at_most(N, M)
    assert not proof.provably_above(N, M)


def test_a_product_is_known_when_all_extents_are():
    assert proof.product((const_index(4), const_index(8))) == 32
    assert proof.product((const_index(4), N)) is None
    assert proof.product(()) == 1


@pytest.mark.parametrize(("extent", "divisor", "found"), [(12, 8, 2), (16, 8, 2), (0, 8, 0)])
def test_a_quotient_is_rounded_up(extent, divisor, found):
    assert as_int(arithmetic.divided_up(const_index(extent), divisor)) == found


@pytest.mark.parametrize(
    ("extent", "offset", "limit", "found"), [(40, 16, 32, 24), (40, 0, 32, 32), (16, 32, 16, 0), (20, 0, 64, 20)]
)
def test_what_remains_behind_an_offset_is_cut_at_nothing_and_at_the_limit(extent, offset, limit, found):
    assert as_int(arithmetic.remaining(*map(const_index, (extent, offset, limit)))) == found


def test_what_remains_is_the_limit_when_that_surely_fits():
    assert as_int(arithmetic.remaining(plus(N, 16), N, const_index(16))) == 16


def test_what_remains_is_a_guard_when_nothing_is_known():
    found = arithmetic.remaining(const_index(40), N, const_index(16))
    assert str(found) == "pl.min(pl.max(40, n) - n, 16)"


def test_neutral_operands_leave_the_other_one_as_it_is():
    assert arithmetic.plus(N, const_index(0)) is N
    assert arithmetic.times(const_index(1), N) is N
    assert arithmetic.scaled(N, 1) is N
    assert arithmetic.smaller(N, plus(N, 1)) is N
