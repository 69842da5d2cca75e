# SPDX-License-Identifier: Apache-2.0
"""The page of a build: it is well-formed, needs nothing else, and shows what ran before what was reused."""

from __future__ import annotations

import pytest

from pypto_build.driver.build_report import ObjectReport, Outcome, built_object
from pypto_build.driver.report_page import report_page

from .test_dump_page import Page

ROWS = (("simplify", "main", "ran", "options.level: 1 -> 2", 2.5), ("fold", "", "reused", "same <key>", 0.5))
SIMULATION = {"name": "one", "simulator": "functional", "outputs": 1, "tolerance": 1e-5, "max_error": 2e-7}


@pytest.fixture(scope="module")
def shown() -> Page:
    found = ObjectReport("a&b.ptobj", Outcome.FOUND, ())
    return Page(report_page("build & report", [built_object("one.ptobj", ROWS), found], [SIMULATION]))


def test_every_element_is_closed_and_the_title_is_the_reports(shown: Page) -> None:
    assert shown.open == []
    assert shown.texts["title"] == ["build & report"]


def test_nothing_is_fetched_from_elsewhere(shown: Page) -> None:
    assert {tag for tag, _ in shown.found}.isdisjoint({"link", "img", "iframe", "script"})


def test_the_head_sums_up(shown: Page) -> None:
    assert shown.texts["p"][0] == "2 objects: 1 passes ran in 2.5 ms, 1 were reused and saved 0.5 ms"


def test_a_row_says_why_and_how_long(shown: Page) -> None:
    assert shown.texts["tr"][1] == "simplifymainranoptions.level: 1 -> 22.50 ms"
    assert shown.texts["tr"][2] == "fold(program)reusedsame <key>0.50 ms saved"


def test_an_object_is_unfolded_where_something_ran(shown: Page) -> None:
    assert [attrs for tag, attrs in shown.found if tag == "details"] == [{"open": None}, {}]


def test_an_object_without_record_says_so(shown: Page) -> None:
    assert "no passes on record" in shown.texts["p"]


def test_simulations_are_a_table_of_their_own(shown: Page) -> None:
    assert shown.texts["h2"] == ["Simulated against NumPy"]
    assert shown.texts["tr"][-1] == "onefunctional11e-052e-07"
