# SPDX-License-Identifier: Apache-2.0
"""The pages of numbered requirements and the tests that cite them agree; `tools/requirements.py` does the work."""

from __future__ import annotations

from pathlib import Path

import pytest
import requirements

PAGE = "### NRO-1\nIt holds.\n\nTests: {tests}\n"
TEST = 'class TestOrder:\n    def test_it_holds():\n        """It holds (NRO-1)."""\n'
TEST_ID = "tests/test_order.py::TestOrder::test_it_holds"


def tree(root: Path, *, tests: str, source: str, uncited: str) -> Path:
    """A project with one requirement and one test file."""
    for name, text in (
        (requirements.DOCUMENTS / "normalize_return_order.md", PAGE.format(tests=tests)),
        (requirements.UNCITED, uncited),
        (Path("tests/test_order.py"), source),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_pages_tests_and_the_list_of_uncited_numbers_agree():
    found = requirements.problems(requirements.ROOT)
    assert not found, "run `python tools/requirements.py --write`:\n" + "\n".join(found)


@pytest.mark.parametrize(("prefix", "count"), [("NRO", 62), ("CIC", 42), ("CIO", 55), ("MO", 47), ("SSA", 68)])
def test_the_numbers_of_a_page_have_no_gap(prefix: str, count: int):
    known = requirements.read_requirements(requirements.ROOT)
    assert [n for n in known if n.startswith(f"{prefix}-")] == [f"{prefix}-{n}" for n in range(1, count + 1)]


def test_a_page_that_lists_the_citing_test_is_fine(tmp_path: Path):
    assert requirements.problems(tree(tmp_path, tests=f"`{TEST_ID}`", source=TEST, uncited="")) == []


def test_a_page_that_misses_a_citing_test_is_stale(tmp_path: Path):
    root = tree(tmp_path, tests="none yet", source=TEST, uncited="")
    assert requirements.problems(root) == ["normalize_return_order.md:4: the tests listed for NRO-1 are stale"]


def test_a_citation_of_a_number_that_no_page_defines_is_reported(tmp_path: Path):
    root = tree(tmp_path, tests=f"`{TEST_ID}`", source=TEST + "# NRO-99\n", uncited="")
    assert requirements.problems(root) == ["tests/test_order.py:4: no page defines NRO-99"]


def test_a_lost_citation_is_not_covered_by_a_longer_list(tmp_path: Path):
    root = tree(tmp_path, tests=f"`{TEST_ID}`", source="", uncited="")
    requirements.write(root)
    assert requirements.problems(root) == ["no test cites NRO-1; the list of uncited requirements may only get shorter"]


def test_a_number_that_is_cited_by_now_must_leave_the_list(tmp_path: Path):
    root = tree(tmp_path, tests=f"`{TEST_ID}`", source=TEST, uncited="NRO-1\n")
    assert requirements.problems(root) == ["uncited.txt still lists NRO-1"]


def test_writing_brings_everything_in_step(tmp_path: Path):
    root = tree(tmp_path, tests="none yet", source=TEST, uncited="NRO-1\n")
    requirements.write(root)
    assert requirements.problems(root) == []


def test_a_comment_above_a_test_cites_for_that_test():
    source = "# CIO-4\n@decorated\ndef test_order(): pass\n"
    assert [citation.test for citation in requirements.citations_in(source, "t.py")] == ["t.py::test_order"]


def test_a_number_outside_any_test_cites_for_none():
    source = '"""All of MO-1."""\ndef helper():\n    "SSA-2"\n'
    assert [citation.test for citation in requirements.citations_in(source, "t.py")] == [None, None]


@pytest.mark.parametrize(
    "text", ["NRO-1..4", "NRO-1-4", "NRO-1 to NRO-4", "CIO-1 through 4", "MO-1/2", "(SSA-1, 2, 3)"]
)
def test_a_range_or_abbreviated_list_is_found(text: str):
    assert requirements.shorthand_in(text)


@pytest.mark.parametrize("text", ["NRO-1, NRO-4", "NRO-1 and NRO-4", "CIO-19: 2 stages", "MO-9, 3 arguments"])
def test_numbers_that_are_spelled_out_are_not_shorthand(text: str):
    assert requirements.shorthand_in(text) == []
