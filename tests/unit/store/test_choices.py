# SPDX-License-Identifier: Apache-2.0
"""Which builds check what they find, and which results are worth keeping."""

from __future__ import annotations

import hashlib

import pytest

from pypto_build.store.policy import keep_body, keep_record
from pypto_build.store.verify_rate import DEFAULT_RATE, should_verify

SOURCES = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(2000)]


def test_a_rate_of_zero_checks_nothing_and_of_one_everything():
    assert not any(should_verify(source, 0, build) for source in SOURCES for build in range(3))
    assert all(should_verify(source, 1, build) for source in SOURCES for build in range(3))


def test_in_a_build_about_one_source_in_rate_is_checked():
    checked = sum(should_verify(source, DEFAULT_RATE, 5) for source in SOURCES)
    assert 2000 / DEFAULT_RATE / 2 < checked < 2000 / DEFAULT_RATE * 2


def test_every_source_is_checked_exactly_once_in_rate_builds():
    assert all(sum(should_verify(source, 32, build) for build in range(100, 132)) == 1 for source in SOURCES)


def test_the_same_build_checks_the_same_sources():
    assert [should_verify(source, 32, 9) for source in SOURCES] == [should_verify(source, 32, 9) for source in SOURCES]


@pytest.mark.parametrize(
    ("remake_ms", "size", "kept"),
    [(10, 5_000, False), (25, 5_000, True), (100, 50_000, False), (250, 50_000, True), (0, 10, False)],
)
def test_a_body_is_kept_when_making_it_again_costs_much_more(*, remake_ms: float, size: int, kept: bool):
    assert keep_body(remake_ms, body_size=size) == kept


def test_a_pass_gets_a_record_when_it_costs_much_more_than_one():
    assert [keep_record(cost) for cost in (0.0, 1.0, 4.0, 10.0)] == [False, False, False, True]
