# SPDX-License-Identifier: Apache-2.0
"""The pages keep their promises: links lead somewhere, code runs, the README has two commands, references are fresh."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import reference

from pypto_build.cli import dispatch
from pypto_build.driver.aliases import answering_pypto
from pypto_build.pipeline import load_pipeline
from pypto_build.pipeline.config import load_config
from pypto_build.pipeline.problems import Problems

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "changelog.d").glob("*.md")])
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = ("softmax.py", "softmax_golden.py")  # which lie beside the files of every page
SUFFIXES = {"python": "py"}
KINDS = ("pass", "target", "simulator", "op", "observer", "store")


def blocks(page: Path, language: str) -> list[tuple[str, str]]:
    """File name and text of the fenced blocks of one language on a page; a block without a name gets one."""
    found = [(name, body) for tag, name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if tag == language]
    stem = page.stem.replace("-", "_")
    return [
        (name or f"{stem}_{number}.{SUFFIXES.get(language, language)}", body)
        for number, (name, body) in enumerate(found, start=1)
    ]


def named(page: Path) -> str:
    """A page as the name of a test."""
    return str(page.relative_to(ROOT))


def pages_with(language: str) -> list[Path]:
    """The pages that have such a block."""
    return [page for page in PAGES if blocks(page, language)]


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Path]:
    """Go to a directory with the files that a page shows, and with an example."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(dispatch, "prepare_interpreter", lambda: None)  # the settings are of the process

    def write(page: Path) -> Path:
        for name in EXAMPLES:
            shutil.copy(ROOT / "examples" / name, tmp_path)
        for name, text in (*blocks(page, "python"), *blocks(page, "yaml")):
            (tmp_path / name).write_text(text, encoding="utf-8")
            monkeypatch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
        return tmp_path

    return write


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
    tags = {tag for tag, _, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
    assert tags <= {"console", "python", "text", "yaml"}


@pytest.mark.parametrize("page", pages_with("python"), ids=named)
def test_the_python_on_a_page_runs_and_so_do_the_tests_in_it(page: Path, beside: Callable[[Path], Path]):
    place = beside(page)
    names = [name.removesuffix(".py") for name, _ in blocks(page, "python")]
    with answering_pypto():
        modules = [import_module(name) for name in names]
    assert [module.__file__ for module in modules] == [str(place / f"{name}.py") for name in names]
    for test in (value for module in modules for name, value in vars(module).items() if name.startswith("test_")):
        test()


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_kind_tests_what_it_shows(kind: str):
    page = next((ROOT / "docs" / "how-to").glob(f"add-a*-{kind}.md"))
    assert any("\ndef test_" in text for _, text in blocks(page, "python"))


@pytest.mark.parametrize("page", pages_with("yaml"), ids=named)
def test_the_pipelines_on_a_page_are_well_formed_and_those_with_a_name_hold(page: Path, beside: Callable[[Path], Path]):
    beside(page)
    for name, _ in blocks(page, "yaml"):
        problems = Problems()
        load_config(name, problems)
        problems.raise_all()
        if not name.startswith(page.stem.replace("-", "_")):
            load_pipeline(f"./{name}")


def test_the_readme_has_two_commands_and_the_second_is_the_tests():
    ((_, console),) = blocks(ROOT / "README.md", "console")
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
