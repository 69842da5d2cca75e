# SPDX-License-Identifier: Apache-2.0
"""Checks: what they stamp on their findings, what they may read, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pypto_build.errors import Diagnostic, InternalError, Span
from pypto_build.ir import Function
from pypto_build.passes import Check, Finding, PassContext, Phase, Selection, Severity
from tests.unit.ir.build import function

PLACE = Span("k.py", 3, 5)


def find(of: Function, context: PassContext) -> Iterable[Finding]:
    yield Finding(f"{of.name} is narrow on {context.hardware.arch}", PLACE, "make it wide")


HINT = Check("NarrowTile", Phase.PRE_PIPELINE, find, Severity.PERF_HINT, code="PH900", reads=("hardware",))
QUIET = Check("Quiet", Phase.PRE_PIPELINE, find, on=False)


def test_a_finding_gets_severity_rule_and_code_of_its_check() -> None:
    found = HINT.diagnostics(function("f"), PassContext())
    expected = Diagnostic("perf_hint", "NarrowTile", "f is narrow on a2a3", PLACE, "PH900", help="make it wide")
    assert found == (expected,)


def test_a_check_reads_only_the_facts_that_it_declares() -> None:
    with pytest.raises(InternalError, match="reads the context fact 'hardware' without declaring it"):
        QUIET.diagnostics(function("f"), PassContext())


@pytest.mark.parametrize("name", ["NarrowTile", "narrow_tile", "PH900"])
def test_a_check_is_switched_off_by_rule_or_code(name: str) -> None:
    said = HINT.diagnostics(function("f"), PassContext())[0]
    assert Selection().wants(HINT)
    assert Selection().keeps(said)
    assert not Selection(disabled=(name,)).wants(HINT)
    assert not Selection(disabled=(name,)).keeps(said)


def test_a_check_that_is_off_is_switched_on_unless_it_is_switched_off_too() -> None:
    assert not Selection().wants(QUIET)
    assert Selection(enabled=("quiet",)).wants(QUIET)
    assert not Selection(disabled=("Quiet",), enabled=("quiet",)).wants(QUIET)


def test_an_error_always_reaches_the_user() -> None:
    assert Selection(disabled=("SSAVerify",)).keeps(Diagnostic("error", "SSAVerify", "wrong"))
