# SPDX-License-Identifier: Apache-2.0
"""Warnings about results of loops and branches that nobody reads."""

from __future__ import annotations

import pytest
from pypto_passes.checks.unused_control_flow_result import UNUSED_CONTROL_FLOW_RESULT

from tests.passes import programs
from tests.passes.checks.looking import seen

HEAD = """
@pl.function(type=pl.FunctionType.InCore, auto_scope=False)
def f(self, n: pl.Scalar[pl.INDEX]):
"""
LOOP = "for i, (m,) in pl.range(4, init_values=(n,)):\n    r = pl.yield_(m + i)\n"
BRANCH = "if n > 0:\n    r = pl.yield_(n)\nelse:\n    r = pl.yield_(n + 1)\n"


@pytest.mark.parametrize(("text", "kind"), [(LOOP, "loop"), (BRANCH, "branch")])
def test_a_result_that_nobody_reads_is_found_where_its_statement_begins(text: str, kind: str) -> None:
    expected = [(3, f"Unused result 'r' of a {kind} in function 'f'")]
    assert seen(UNUSED_CONTROL_FLOW_RESULT, programs.body(HEAD, f"{text}return n")) == expected
    assert seen(UNUSED_CONTROL_FLOW_RESULT, programs.body(HEAD, f"{text}return r")) == []


def test_it_looks_only_when_asked() -> None:
    assert not UNUSED_CONTROL_FLOW_RESULT.on
