# SPDX-License-Identifier: Apache-2.0
"""What a pass owes besides its result, each shown by a pass that does not pay."""

import pytest

from pypto_build.testing import body, check_pass, check_refused, check_unchanged
from tests.unit.testing.passes import HEAD, Accumulates, ClaimsSSA, DropAddZero, Mutates, Refuses, Renews

ADDS_ZERO = body(HEAD, "m = n + 0\nreturn m")
ADDS_ONE = body(HEAD, "m = n + 1\nreturn m")


def test_a_pass_that_pays_gives_its_result():
    made = check_pass(DropAddZero(), ADDS_ZERO, body(HEAD, "m = n\nreturn m"))
    assert "+" not in str(made)


def test_another_result_is_shown_with_the_first_difference():
    with pytest.raises(ValueError, match="body"):
        check_pass(DropAddZero(), ADDS_ZERO, ADDS_ONE)


def test_nothing_to_do_is_the_same_object():
    check_unchanged(DropAddZero(), ADDS_ONE)
    with pytest.raises(AssertionError, match="returns another object"):
        check_unchanged(Renews(), ADDS_ONE)


def test_the_input_is_left_alone():
    with pytest.raises(AssertionError, match="changes its input in place"):
        check_pass(Mutates(), body(HEAD, "m = n + 1\nreturn m"), ADDS_ONE)


def test_the_same_input_gives_the_same_result():
    with pytest.raises(AssertionError, match="another result for a copy"):
        check_pass(Accumulates(), ADDS_ONE, ADDS_ONE)


def test_what_a_pass_produces_must_hold():
    twice = body(HEAD, "m = n + 1\nm = m + 1\nreturn m")
    with pytest.raises(AssertionError, match="lacks SSAForm, which ClaimsSSA says it produces"):
        check_pass(ClaimsSSA(), twice, twice)


def test_a_refusal_has_its_code_and_a_place():
    error = check_refused(Refuses(), ADDS_ONE, "TEST001", says="cannot add")
    assert error.span.begin_line > 0
    with pytest.raises(AssertionError, match="refuses with TEST001"):
        check_refused(Refuses(), ADDS_ONE, "TEST002")
    with pytest.raises(AssertionError, match="accepts the program"):
        check_refused(DropAddZero(), ADDS_ONE, "TEST001")
