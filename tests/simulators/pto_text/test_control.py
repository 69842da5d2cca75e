# SPDX-License-Identifier: Apache-2.0
"""Loops and branches, and the numbers that they carry."""

from __future__ import annotations

import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.pto_text.texts import run

STORE = "pto.store_scalar %r, %o[$0] : !pto.ptr<i32>, i32"
LOOP = """
%zero = arith.constant 0 : i32
%r = scf.for %i = $1 to %high step $2 iter_args(%sum = %zero) -> (i32) {
  %k = arith.index_cast %i : index to i32
  %more = arith.addi %sum, %k : i32
  scf.yield %more : i32
}
"""
WHILE = """
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%r = scf.while (%before = %zero) : (i32) -> (i32) {
  %c = arith.cmpi slt, %before, %n : i32
  scf.condition(%c) %before : i32
} do {
^bb0(%inside : i32):
  %more = arith.addi %inside, %one : i32
  scf.yield %more : i32
}
"""


def stored(body: str, n: int) -> int:
    """The number %r."""
    return run(f"{body}\n{STORE}", "%o: !pto.ptr<i32>, %n: i32", o=np.zeros(1, np.int32), n=n).outputs["o"].item()


@pytest.mark.parametrize(("n", "wanted"), [(6, 9), (2, 1), (1, 0), (-3, 0)])
def test_a_loop_carries_numbers_to_its_end(n: int, wanted: int):
    assert stored("%high = arith.index_cast %n : i32 to index" + LOOP, n) == wanted


@pytest.mark.parametrize(("n", "wanted"), [(4, 4), (0, 0), (-1, 0)])
def test_a_loop_with_a_condition_runs_until_it_is_false(n: int, wanted: int):
    assert stored(WHILE, n) == wanted


@pytest.mark.parametrize(("n", "wanted"), [(5, 10), (-5, 5)])
def test_a_branch_yields_the_numbers_of_the_one_that_is_taken(n: int, wanted: int):
    body = """
    %zero = arith.constant 0 : i32
    %c = arith.cmpi sgt, %n, %zero : i32
    %r = scf.if %c -> (i32) {
      %a = arith.addi %n, %n : i32
      scf.yield %a : i32
    } else {
      %b = arith.subi %zero, %n : i32
      scf.yield %b : i32
    }
    """
    assert stored(body, n) == wanted


def test_a_branch_without_else_may_do_nothing():
    body = "%r = arith.constant 7 : i32\n%c = arith.constant 0 : i1\nscf.if %c {\n%zero = arith.divsi %r, %n : i32\n}"
    assert stored(body, 0) == 7


def test_a_loop_that_does_not_count_upwards_is_refused():
    body = "%r = arith.constant 0 : i32\nscf.for %i = $0 to $4 step $0 {\n}"
    with pytest.raises(UserError, match="the step of a loop is 0"):
        stored(body, 0)


def test_an_endless_loop_is_refused():
    body = "%r = arith.constant 0 : i32\n%c = arith.constant 1 : i1\n"
    body += "scf.while : () -> () {\nscf.condition(%c)\n} do {\nscf.yield\n}"
    with pytest.raises(UserError, match="the simulation has run 1000 loop iterations"):
        stored(body, 0)
