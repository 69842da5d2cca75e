# SPDX-License-Identifier: Apache-2.0
"""Some builds make again what is known: a pass that is not deterministic does not go unnoticed."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from pypto_build.store import DEFAULT_RATE
from pypto_build.store.verify_rate import verify_rate

from .conftest import RestlessTree

RATE = 4


def test_a_check_runs_the_pass_and_counts_as_a_reused_result(tree: RestlessTree) -> None:
    tree.remark()
    again = tree.build(verify_rate=1)
    assert (again.passes_run, again.messages, tree.runs()) == (0, (), 2)


def test_without_checks_a_known_result_is_believed(tree: RestlessTree) -> None:
    tree.turn("2")
    before = tree.object()
    tree.remark()
    assert (tree.build().messages, tree.runs(), tree.object()) == ((), 1, before)


def test_a_pass_that_makes_another_result_is_named_and_the_fresh_one_counts(tree: RestlessTree) -> None:
    tree.turn("2")
    tree.remark()
    again = tree.build(verify_rate=1)
    (message,) = again.messages
    assert "pass restless made another result of double than the one in the store" in message
    assert again.status == 0
    found = tree.object()
    tree.build("off")
    assert tree.object() == found


def test_what_a_check_found_is_said_once_and_stored(tree: RestlessTree) -> None:
    tree.turn("2")
    tree.remark()
    tree.build(verify_rate=1)
    assert tree.build().messages == ()  # the whole object is known now
    tree.remark()
    assert tree.build(verify_rate=1).messages == ()


def test_every_result_is_checked_once_in_as_many_builds_as_the_rate(tree: RestlessTree) -> None:
    for _ in range(2 * RATE):
        tree.remark()
        tree.build(verify_rate=RATE)
    assert tree.runs() == 1 + 2


def test_a_build_that_finds_the_whole_object_checks_nothing(tree: RestlessTree) -> None:
    tree.build(verify_rate=1)
    assert tree.runs() == 1


@pytest.mark.parametrize(
    ("argument", "environment", "rate"),
    [("", {}, DEFAULT_RATE), ("", {"PYPTO_BUILD_VERIFY_RATE": "0"}, 0), ("8", {"PYPTO_BUILD_VERIFY_RATE": "0"}, 8)],
)
def test_the_argument_says_how_many_then_the_environment(argument: str, environment: dict[str, str], rate: int) -> None:
    assert verify_rate(environment, argument) == rate


@pytest.mark.parametrize("text", ["often", "-1", "1.5"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="no rate of checks"):
        verify_rate({}, text)
