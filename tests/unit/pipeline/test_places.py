# SPDX-License-Identifier: Apache-2.0
"""Source places in the form that survives an edit of comments, and what tells that they mean something else by now."""

from __future__ import annotations

import pytest

from pypto_build.dsl.text import parse
from pypto_build.errors import Span
from pypto_build.pipeline.places import NOWHERE, PlaceTable

from .test_bodies import PROGRAM

FIRST = PlaceTable(parse(PROGRAM))


def place_of_line(table: PlaceTable, line: int) -> tuple[str, int]:
    """A place that begins in a line."""
    ordinal = next(n for n in range(100) if table.span(("add", n)).begin_line == line)
    return "add", ordinal


def test_a_place_is_found_again_where_a_comment_moved_it() -> None:
    later = PlaceTable(parse(PROGRAM.replace("        y =", "        # one more\n        y =")))
    assert later.span(place_of_line(FIRST, 9)).begin_line == 10


def test_a_span_that_the_front_end_did_not_make_is_nowhere() -> None:
    assert FIRST.place(Span("elsewhere.py", 1, 1)) == FIRST.place(Span("", -1, -1)) == NOWHERE
    assert not FIRST.span(NOWHERE).is_valid()


@pytest.mark.parametrize("edit", [("        y =", "        # a remark\n        y ="), ("y * 2", "y  *  2")])
def test_the_shape_of_a_function_is_that_of_its_structure(edit: tuple[str, str]) -> None:
    shapes = FIRST.shapes([place_of_line(FIRST, 9)])
    assert set(shapes) == {"add"}
    assert PlaceTable(parse(PROGRAM.replace(*edit))).holds(shapes)


@pytest.mark.parametrize("edit", [("y * 2", "y * 3"), ("def add", "def sub")])
def test_places_of_another_structure_do_not_hold(edit: tuple[str, str]) -> None:
    shapes = FIRST.shapes([place_of_line(FIRST, 9)])
    assert not PlaceTable(parse(PROGRAM.replace(*edit))).holds(shapes)


def test_no_place_has_no_shape() -> None:
    assert FIRST.shapes([NOWHERE]) == {}
    assert FIRST.holds({})
