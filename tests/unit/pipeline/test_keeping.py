# SPDX-License-Identifier: Apache-2.0
"""Which bodies go to the store on the way: those behind much work, once for each such stretch."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.dsl.text import parse
from pypto_build.ir import Function
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.keeping import Keeping
from pypto_build.pipeline.outcome import FunctionFacts
from pypto_build.pipeline.places import PlaceTable
from pypto_build.store.local import LocalStore

from .test_bodies import PROGRAM, function_of

MUCH, LITTLE = 1000.0, 0.1
FUNCTION: Function = function_of(parse(PROGRAM))


def facts(digest: str) -> FunctionFacts:
    """The function at some point of the pipeline."""
    return FunctionFacts("add", digest, "signature", "InCore", ())


@pytest.fixture
def bodies(tmp_path: Path) -> Bodies:
    return Bodies(PlaceTable(parse(PROGRAM)), StoreCache(LocalStore(tmp_path / "store"), "one.py"))


def run(bodies: Bodies, *costs: float) -> list[bool]:
    """After passes of these costs, which digests are stored."""
    keeping = Keeping(bodies)
    for number, cost in enumerate(costs):
        remake = keeping.passed([facts(str(number))], [facts(str(number + 1))], cost)
        keeping.made([(facts(str(number + 1)), FUNCTION)], remake)
    return [bodies.has(str(number + 1)) for number in range(len(costs))]


def test_the_body_behind_a_slow_pass_is_kept(bodies: Bodies) -> None:
    assert run(bodies, LITTLE, MUCH, LITTLE) == [False, True, False]


def test_many_quick_passes_count_like_a_slow_one(bodies: Bodies) -> None:
    kept = run(bodies, *[MUCH / 1000] * 100)
    assert 2 <= sum(kept) < 50


def test_a_pass_that_changes_nothing_keeps_nothing(bodies: Bodies) -> None:
    keeping = Keeping(bodies)
    keeping.made([], keeping.passed([facts("1")], [facts("1")], MUCH))
    assert not bodies.has("1")


def test_a_body_that_is_stored_already_costs_nothing_to_make_again(bodies: Bodies) -> None:
    bodies.keep("2", FUNCTION)
    keeping = Keeping(bodies)
    assert keeping.passed([facts("1")], [facts("2")], MUCH) == 0.0
    assert keeping.passed([facts("2")], [facts("3")], LITTLE) == LITTLE
