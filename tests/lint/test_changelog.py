# SPDX-License-Identifier: Apache-2.0
"""Changelog fragments have the form that changelog.d/README.md describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "changelog.d"
NAME = re.compile(r"\+[a-z0-9]+(-[a-z0-9]+)*\.(feature|fix|removal|doc|misc)")
FRAGMENTS = sorted(path for path in FOLDER.iterdir() if path.name != "README.md")


def problems(name: str, text: str) -> list[str]:
    """What is wrong with one fragment."""
    found: list[str] = []
    if not NAME.fullmatch(name):
        found.append(f"{name}: not of the form +slug.kind")
    if text.count("\n") != 1 or not text.endswith("\n"):
        found.append(f"{name}: not exactly one line")
    if len(text) > 241 or text != text.strip() + "\n" or not text.rstrip().endswith("."):
        found.append(f"{name}: not one sentence of at most 240 characters")
    return found


def test_there_are_fragments():
    assert FRAGMENTS


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_has_the_right_name_and_one_sentence(path: Path):
    assert problems(path.name, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("second-build.fix", "It works.\n"),
        ("+Second_Build.fix", "It works.\n"),
        ("+second-build.note", "It works.\n"),
        ("+second-build.fix", "It works.\nReally.\n"),
        ("+second-build.fix", "it works\n"),
        ("+second-build.fix", "x" * 240 + ".\n"),
    ],
)
def test_a_malformed_fragment_is_found(name: str, text: str):
    assert problems(name, text)


def test_a_well_formed_fragment_is_fine():
    assert problems("+second-build.fix", "A second build does nothing.\n") == []
