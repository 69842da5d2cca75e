# SPDX-License-Identifier: Apache-2.0
"""The contract of a pass in one line."""

import pytest

from pypto_build.passes import Pass
from pypto_build.testing import body, check_contract, samples_for
from tests.unit.testing.passes import (
    Accumulates,
    ClaimsSSA,
    DropAddZero,
    HasNoText,
    Misnamed,
    RefusesAll,
    Renews,
    Undocumented,
)

BROKEN = {
    "returns another object": Renews(),
    "another result for a copy": Accumulates(),
    "has no docstring": HasNoText(),
    "option limit of Undocumented has no text": Undocumented(),
    "the class Misnamed calls itself 'Other'": Misnamed(),
    "lacks SSAForm": ClaimsSSA(),
}


def test_a_pass_that_keeps_it_ran_on_samples_and_on_the_given_program():
    given = body("@pl.function\ndef f(self, n: pl.Scalar[pl.INDEX]):", "return n + 0")
    assert check_contract(DropAddZero(), given) == len(samples_for(DropAddZero())) + 1


@pytest.mark.parametrize("text", BROKEN)
def test_what_breaks_it_is_named(text: str):
    broken: Pass = BROKEN[text]
    with pytest.raises(AssertionError, match=text):
        check_contract(broken)


def test_a_pass_that_refuses_everything_was_not_tried():
    with pytest.raises(AssertionError, match="ran on no program"):
        check_contract(RefusesAll())
