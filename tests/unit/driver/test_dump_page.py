# SPDX-License-Identifier: Apache-2.0
"""The page of dumped programs: what it says of each pass, and that it needs nothing else."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from pypto_build.driver.dump_difference import difference
from pypto_build.driver.dump_page import Stage, page

BEFORE = "def f(x):\n    y = x < 1\n    return y\n"
AFTER = "def f(x):\n    y = x < 2\n    return y\n"
FOLDED = ("Simplify", "InlineFunctions")


class Page(HTMLParser):
    """Collects, in order: elements with their attributes, and the text in each section, link, row and mark."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def attributes(self, tag: str, name: str) -> list[str | None]:
        """The values of an attribute over all elements of a kind that have it."""
        return [attrs[name] for kind, attrs in self.found if kind == tag and name in attrs]


def stages() -> list[Stage]:
    return [
        Stage("00_frontend.py", "frontend", "The program as the front end reads it.", BEFORE),
        Stage("01_after_Simplify.py", "Simplify", "Fold <constants>.", BEFORE, 0.25),
        Stage("02_after_InlineFunctions.py", "InlineFunctions", "Inline.", BEFORE, 0.25),
        Stage("03_after_UnrollLoops.py", "UnrollLoops", "Unroll.", AFTER, 12.5),
        Stage("04_after_ConvertToSSA.py", "ConvertToSSA", "Rename.", BEFORE, 1.0),
    ]


@pytest.fixture(scope="module")
def shown() -> Page:
    return Page(page("Two & three", stages()))


def test_every_element_is_closed_and_the_title_names_the_program(shown: Page) -> None:
    assert shown.open == []
    assert shown.texts["title"] == ["Two & three: pass by pass"]


def test_nothing_is_fetched_from_elsewhere(shown: Page) -> None:
    assert {tag for tag, _ in shown.found}.isdisjoint({"link", "img", "iframe"})
    assert shown.attributes("script", "src") == []
    assert all("://" not in str(target) for target in shown.attributes("a", "href"))


def test_the_list_has_every_stage_with_its_changes_and_its_time(shown: Page) -> None:
    links = [text for text in shown.texts["a"] if text[:2].isdigit() and "py" not in text]
    assert links[:5] == [
        "00 frontend",
        "01 Simplify 0.2 ms",
        "02 InlineFunctions 0.2 ms",
        "03 UnrollLoops +1 \u22121 12.5 ms",
        "04 ConvertToSSA +1 \u22121 1.0 ms",
    ]


def test_the_head_sums_up(shown: Page) -> None:
    assert shown.texts["p"][0].startswith("4 passes, 2 with changes, 14.0 ms")


def test_a_pass_with_changes_has_a_section_with_the_difference(shown: Page) -> None:
    assert shown.attributes("section", "id") == ["pass-0", "pass-3", "pass-4"]
    assert shown.attributes("tr", "class")[:4] == ["same", "del", "ins", "same"]
    assert shown.texts["tr"][1:3] == ["2    y = x < 1", "2    y = x < 2"]
    assert shown.texts["mark"] == ["1", "2", "2", "1"]


def test_passes_without_changes_are_folded_into_one_line(shown: Page) -> None:
    folds = [text for text in shown.texts["summary"] if text.startswith("no change")]
    assert folds == ["no change: Simplify, InlineFunctions"]
    assert shown.attributes("li", "id") == ["pass-1", "pass-2"]


def test_links_walk_from_change_to_change_and_lead_to_places_that_are_there(shown: Page) -> None:
    walks = [(a["class"], a["href"]) for tag, a in shown.found if tag == "a" and "class" in a]
    assert walks == [("next", "#pass-3"), ("previous", "#pass-0"), ("next", "#pass-4"), ("previous", "#pass-3")]
    anchors = {f"#{one}" for tag in ("section", "li") for one in shown.attributes(tag, "id")}
    assert {str(a) for a in shown.attributes("a", "href") if str(a).startswith("#")} == anchors


def test_the_whole_program_is_there_and_its_file_is_named(shown: Page) -> None:
    assert shown.texts["pre"] == [BEFORE, AFTER, BEFORE]
    files = {one.file for one in stages()}
    assert {a for a in shown.attributes("a", "href") if not str(a).startswith("#")} == files


def test_lines_far_from_a_change_are_left_out() -> None:
    lines = [f"line {number}\n" for number in range(30)]
    found = difference("".join(lines), "".join([*lines[:10], "new\n", *lines[10:25], *lines[26:]]))
    assert (found.added, found.removed) == (1, 1)
    assert found.rows.count('class="same"') == 12
    assert found.rows.count('class="gap"') == 1


def test_equal_texts_have_no_difference() -> None:
    assert difference(BEFORE, BEFORE).rows == ""
