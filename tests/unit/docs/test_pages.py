# SPDX-License-Identifier: Apache-2.0
"""The pages keep their promises: links lead somewhere, code runs, the README has two commands, references are fresh."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest
import reference

from pypto_build.driver.aliases import answering_pypto
from pypto_build.pipeline.config import load_config
from pypto_build.pipeline.problems import Problems

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "changelog.d").glob("*.md")])
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language on a page."""
    return [body for tag, body in BLOCK.findall(page.read_text(encoding="utf-8")) if tag == language]


def cases(language: str) -> list[object]:
    """Each block of a language, as a parameter named for its page."""
    return [
        pytest.param(body, id=f"{page.relative_to(ROOT)}:{number}")
        for page in PAGES
        for number, body in enumerate(blocks(page, language), start=1)
    ]


def broken_links(page: Path, text: str) -> list[str]:
    """Relative links that lead to no file."""
    links = [link for link in LINK.findall(text) if "://" not in link]
    return [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path):
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


def test_a_link_to_nowhere_is_found():
    assert broken_links(ROOT / "README.md", "[a](docs/onboarding.md) [b](docs/missing.md#x)") == ["docs/missing.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_a_page_says_what_it_is(page: Path):
    tags = {tag for tag, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
    assert tags <= {"console", "python", "text", "yaml"}


@pytest.mark.parametrize("source", cases("python"))
def test_the_python_on_a_page_runs(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "block_of_a_page.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "block_of_a_page", raising=False)
    with answering_pypto():
        assert import_module("block_of_a_page").__file__ == str(tmp_path / "block_of_a_page.py")


@pytest.mark.parametrize("text", cases("yaml"))
def test_the_pipelines_on_a_page_are_well_formed(text: str, tmp_path: Path):
    path = tmp_path / "page.yaml"
    path.write_text(text)
    problems = Problems()
    load_config(str(path), problems)
    problems.raise_all()


def test_the_readme_has_two_commands_and_the_second_is_the_tests():
    (console,) = blocks(ROOT / "README.md", "console")
    commands = [line.removeprefix("$ ") for line in console.splitlines()]
    assert len(commands) == 2
    assert commands[1] == ".venv/bin/tox"


def test_the_script_for_fresh_machines_installs_as_the_readme_does_and_runs_its_tests():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert '-e ".[dev]"' in script
    assert re.search(r"^PATH=\S+ tox ", script, re.MULTILINE)


@pytest.mark.parametrize("name", reference.GENERATED)
def test_a_generated_page_is_fresh(name: str):
    assert name not in reference.stale(ROOT), "run `python tools/reference.py --write`"
