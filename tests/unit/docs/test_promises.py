# SPDX-License-Identifier: Apache-2.0
"""The pages of promises: every promise has a number and tests, and the tests that it names are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = {
    name: (ROOT / "docs/reference" / name).read_text(encoding="utf-8") for name in ("promises.md", "plugin-promises.md")
}
NAMED = sorted({found for page in PAGES.values() for found in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)})


@cache
def functions_of(path: str) -> set[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", PAGES)
def test_every_promise_has_a_number_and_a_test(page: str) -> None:
    rows = [line.split("|") for line in PAGES[page].splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > 10
    assert all("tests/" in row[3] for row in rows)


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_is_there(path: str, name: str) -> None:
    assert name in functions_of(path)
