# SPDX-License-Identifier: Apache-2.0
"""Bodies of functions in the store come back with the places that their nodes have in the text of today."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.dsl.text import parse
from pypto_build.errors import Span
from pypto_build.ir import AssignStmt, Function, Program, Visitor, encode, structural_equal
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.places import PlaceTable
from pypto_build.store.local import LocalStore

PROGRAM = """
import pypto.language as pl


@pl.program
class One:
    @pl.function
    def add(self, x: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
        y = x + 1
        z = y * 2
        return z
"""


class _Places(Visitor):
    def __init__(self) -> None:
        self.found: dict[str, Span] = {}

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        self.found[stmt.var.name_hint] = stmt.span
        self.visit_node(stmt)


def function_of(program: Program) -> Function:
    """The only function of a program."""
    (function,) = program.functions.values()
    return function


def lines(function: Function) -> dict[str, int]:
    """The line of each assignment."""
    walk = _Places()
    walk.visit(function)
    return {name: span.begin_line for name, span in walk.found.items()}


@pytest.fixture
def cache(tmp_path: Path) -> StoreCache:
    return StoreCache(LocalStore(tmp_path / "store"), "one.py")


def bodies(cache: StoreCache | None, text: str = PROGRAM) -> tuple[Bodies, Function]:
    """The bodies of a run over a text, and its function."""
    program: Program = parse(text)
    return Bodies(PlaceTable(program), cache), function_of(program)


def test_a_kept_body_is_the_function_with_its_places(cache: StoreCache) -> None:
    store, function = bodies(cache)
    store.keep("digest", function)
    again = store.load("digest")
    assert again is not None
    assert structural_equal(again, function)
    assert lines(again) == lines(function) == {"y": 9, "z": 10}


def test_after_an_edit_of_a_comment_the_places_are_those_of_the_new_text(cache: StoreCache) -> None:
    store, function = bodies(cache)
    store.keep("digest", function)
    later, _ = bodies(cache, PROGRAM.replace("        z =", "        # twice\n        z ="))
    again = later.load("digest")
    assert again is not None
    assert lines(again) == {"y": 9, "z": 11}


def test_a_body_with_places_of_another_program_is_not_loaded(cache: StoreCache) -> None:
    store, function = bodies(cache)
    store.keep("digest", function)
    later, _ = bodies(cache, PROGRAM.replace("        z =", "        w = y\n        z ="))
    assert later.load("digest") is None


def test_its_serialized_form_has_no_places_and_is_there_for_every_text(cache: StoreCache) -> None:
    store, function = bodies(cache)
    assert store.keep("digest", function) == encode(function)
    later, _ = bodies(cache, PROGRAM.replace("2", "3"))
    assert later.serialized("digest") == encode(function)


def test_without_a_cache_nothing_is_kept() -> None:
    store, function = bodies(None)
    assert store.keep("digest", function) == encode(function)
    assert (store.has("digest"), store.load("digest"), store.serialized("digest")) == (False, None, None)


def test_a_body_that_the_store_lost_is_not_there(cache: StoreCache, tmp_path: Path) -> None:
    store, function = bodies(cache)
    store.keep("digest", function)
    for path in (tmp_path / "store/v1/cas").rglob("*"):
        if path.is_file():
            path.unlink()
    assert store.load("digest") is None
