# SPDX-License-Identifier: Apache-2.0
"""When checks look, and at what: functions that they have not seen, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pypto_build.dsl.text import parse
from pypto_build.host import Contribution, Kind
from pypto_build.ir import Function, Program
from pypto_build.passes import ASCEND950, Check, Finding, PassContext, Phase
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.checking import Checking, CheckStep
from pypto_build.pipeline.run import Run
from pypto_build.pipeline.step import Step
from pypto_build.store.key import Key
from pypto_build.store.local import LocalStore
from tests.unit.pipeline.test_run import PROGRAM, Rename

SEEN: list[tuple[str, str]] = []


def check(name: str, phase: Phase, reads: tuple[str, ...] = ()) -> Check:
    def find(of: Function, context: PassContext) -> Iterable[Finding]:
        del context
        SEEN.append((name, of.name))
        yield Finding(f"{name} of {of.name}", of.body.span)

    return Check(name, phase, find, reads=reads)


FIRST, EACH, LAST = (
    check("first", Phase.PRE_PIPELINE),
    check("each", Phase.POST_PASS),
    check("last", Phase.POST_PIPELINE),
)
Look = Callable[..., list[str]]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Run one pass and some checks with the store of this test; the sentences."""

    def run(text: str, *checks: Check, context: PassContext | None = None, code: str = "1") -> list[str]:
        SEEN.clear()
        found = parse(text, filename="two.py")
        assert isinstance(found, Program)
        cache = StoreCache(LocalStore(tmp_path / "store"), "two")
        steps = tuple(CheckStep(one, code, Contribution(Kind.VERIFIER, one.name, ":it", "it")) for one in checks)
        checking = Checking(steps, context or PassContext(), cache=cache)
        result = Run(found, PassContext(), cache=cache, checking=checking).through((Step("rename", Rename(), "1"),))
        made = [
            cache.entry(e.key, e.step, e.function, reused=e.reused, input_digest="", output_digest="")
            for e in result.trace
        ]
        cache.finish((*made, *checking.entries(cache)), Key("final", ()))
        return [f"{d.message} at line {d.span.begin_line}" for d in result.diagnostics]

    return run


LINES = ["leaf at line 8", "main at line 17"]


def test_a_check_looks_in_its_phase(look: Look) -> None:
    assert look(PROGRAM, FIRST, EACH, LAST) == [
        f"{name} of {one}" for name in ("first", "each", "last") for one in LINES
    ]
    assert [name for name, _ in SEEN] == ["first", "first", "each", "each", "last", "last"]


def test_what_it_said_is_said_again_without_looking_and_where_it_is_now(look: Look) -> None:
    look(PROGRAM, FIRST, LAST)
    moved = [line.replace("8", "10").replace("17", "19") for line in LINES]
    assert look(f"#\n#\n{PROGRAM}", FIRST, LAST) == [f"{name} of {one}" for name in ("first", "last") for one in moved]
    assert SEEN == []


def test_it_looks_only_at_what_was_edited(look: Look) -> None:
    look(PROGRAM, FIRST, LAST)
    look(PROGRAM.replace("2.0", "3.0"), FIRST, LAST)
    assert SEEN == [("first", "leaf"), ("last", "leaf")]


def test_it_looks_again_when_its_code_or_a_fact_that_it_reads_is_another(look: Look) -> None:
    chip, other = check("chip", Phase.PRE_PIPELINE, reads=("hardware",)), PassContext(hardware_description=ASCEND950)
    for arguments in ({}, {"context": other}, {"context": other, "code": "2"}):
        look(PROGRAM, chip, **arguments)
        assert len(SEEN) == 2
