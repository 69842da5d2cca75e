# SPDX-License-Identifier: Apache-2.0
"""A lock file holds a pipeline to what it meant and to the plugins it ran with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pypto_build.errors import UserError
from pypto_build.pipeline.lock import lock_problems, lock_text

from .conftest import HEAD

PLUGIN = """\
from dataclasses import dataclass
from pypto_build.host import hookimpl

@hookimpl
def pypto_register_passes():
    return {"mine": ":Mine"}

@dataclass(frozen=True)
class Mine:
    name = "Mine"

    def run(self): ...
"""
TEXT = HEAD + "plugins: [./mine.py]\npasses: [simplify, mine]\n"


@pytest.fixture
def locked(load):
    """A pipeline, and its lock file."""
    Path("mine.py").write_text(PLUGIN)
    pipeline = load(TEXT)
    Path("a.lock").write_text(lock_text(pipeline))
    return pipeline


def messages(pipeline):
    return [one.message for one in lock_problems(pipeline, "a.lock")]


def test_what_was_locked_is_not_refused(locked):
    assert messages(locked) == []


@pytest.mark.usefixtures("locked")
def test_a_lock_names_the_plugins_and_what_is_used_of_them():
    plugins = json.loads(Path("a.lock").read_text())["plugins"]
    assert {name: facts["uses"] for name, facts in plugins.items()} == {"fakes": ["simplify"], "mine": ["mine"]}


@pytest.mark.usefixtures("locked")
def test_a_change_of_code_is_refused(load):
    Path("mine.py").write_text(PLUGIN + "# more\n")
    assert messages(load(TEXT)) == ["the code of plugin `mine` has changed"]


@pytest.mark.usefixtures("locked")
def test_a_change_of_the_pipeline_is_refused(load):
    assert messages(load(TEXT.replace("simplify,", "convert_to_ssa, simplify,"))) == [
        "pipeline pipeline has another meaning now"
    ]


@pytest.mark.usefixtures("locked")
def test_a_plugin_more_or_less_is_refused(load):
    assert messages(load(HEAD + "passes: [simplify]\n"))[0] == "plugin `mine` is no longer used"
    Path("a.lock").write_text(lock_text(load(HEAD + "passes: [simplify]\n")))
    assert messages(load(TEXT))[0] == "plugin `mine` is not in the lock file"


def test_another_version_is_named(locked):
    text = Path("a.lock").read_text().replace('"version": ""', '"version": "1.0"')
    Path("a.lock").write_text(text)
    assert messages(locked)[0] == "plugin `fakes` was version 1.0, and is unknown now"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"lock": 2}'])
def test_a_file_that_is_no_lock_is_refused(locked, text):
    Path("a.lock").write_text(text)
    with pytest.raises(UserError) as caught:
        lock_problems(locked, "a.lock")
    assert caught.value.code == "PIPE050"
