# SPDX-License-Identifier: Apache-2.0
"""The identity of a pipeline: what changes it, what does not, and the line that stands for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.pipeline import load_pipeline, one_line, one_line_of_pass
from pypto_build.pipeline.canonical import flow
from pypto_build.pipeline.show import show

from .conftest import BASE, HEAD, ONLY_FAKES

TEXT = (
    HEAD + "passes: [convert_to_ssa, {use: simplify, options: {fold: false, level: fast}}]\ntargets: [orchestration]\n"
)


@pytest.mark.parametrize(
    "other",
    [
        "# a comment\n" + TEXT,
        "\n".join(reversed(TEXT.strip().split("\n"))),
        TEXT.replace("fold: false, level: fast", "level: fast, fold: false"),
        TEXT.replace("[convert_to_ssa,", "[{use: convert_to_ssa},"),
        TEXT.replace("level: fast", "level: fast, max_iterations: 4"),
        TEXT.replace("level: fast", "level: '${speed}'") + "params: {speed: fast}\n",
        TEXT + "name: other\n",
        TEXT + "verify: basic\n",
        TEXT + "variants: {unused: {verify: none}}\n",
        TEXT.replace("hardware: ascend910b", "hardware: 'ascend910b'"),
    ],
)
def test_the_digest_does_not_see_how_it_was_written(load, other):
    assert load(other).digest == load(TEXT).digest


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("level: fast", "level: full"),
        TEXT.replace("ascend910b", "ascend950"),
        TEXT.replace("[convert_to_ssa,", "[{id: first, use: convert_to_ssa},"),
        TEXT.replace("[convert_to_ssa, ", "["),
        TEXT.replace("[orchestration]", "[]"),
        TEXT + "verify: none\n",
        TEXT + "assumes: [SSAForm]\n",
        TEXT + "simulator: functional\n",
    ],
)
def test_the_digest_sees_what_it_means(load, other):
    assert load(other).digest != load(TEXT).digest


def test_the_simulator_is_not_part_of_what_decides_an_object(load):
    assert load(TEXT + "simulator: functional\n").object_digest == load(TEXT).object_digest


DEFAULT = """\
from dataclasses import dataclass
from pypto_build.host import hookimpl

@hookimpl
def pypto_register_passes():
    return {"mine": ":Mine"}

@dataclass(frozen=True)
class Mine:
    name = "Mine"
    version = 1
    size: int = 1

    def run(self): ...
"""


@pytest.mark.parametrize(("old", "new"), [("size: int = 1", "size: int = 2"), ("version = 1", "version = 2")])
def test_a_plugin_that_changes_a_default_or_its_version_changes_the_digest(load, old, new):
    text = HEAD + "plugins: [./mine.py]\npasses: [mine]\n"
    Path("mine.py").write_text(DEFAULT)
    before = load(text).digest
    Path("mine.py").write_text(DEFAULT.replace(old, new))
    assert load(text).digest != before


def test_the_same_pass_of_another_plugin_is_another_pass(load):
    Path("mine.py").write_text(DEFAULT)
    Path("yours.py").write_text(DEFAULT)
    mine = load(HEAD + "plugins: [./mine.py]\npasses: [mine]\n")
    yours = load(HEAD + "plugins: [./yours.py]\npasses: [mine]\n")
    assert mine.digest != yours.digest


@pytest.mark.parametrize("text", [TEXT, BASE, BASE + "simulator: {use: functional, isolate: process, timeout: 1.5}\n"])
def test_the_line_stands_for_the_pipeline(load, text):
    pipeline = load(text)
    line = one_line(pipeline)
    assert "\n" not in line
    again = load_pipeline(line, ONLY_FAKES)
    assert (again.digest, one_line(again)) == (pipeline.digest, line)


@pytest.mark.parametrize("defaults", [False, True])
def test_what_is_shown_is_a_file_with_the_same_meaning(load, defaults):
    pipeline = load(BASE + "simulator: {use: functional, isolate: process}\nname: shown\n")
    assert load(show(pipeline, defaults=defaults)).digest == pipeline.digest


def test_what_is_shown_has_the_place_of_each_line(load):
    assert show(load(HEAD + "passes:\n  - simplify\n")).splitlines()[1:] == [
        "schema: 1",
        "name: pipeline",
        "hardware: ascend910b" + " " * (max(len(f"  - {ONLY_FAKES.enable[0]}"), 20) - 16) + "# pipeline.yaml:2",
        "plugins:",
        f"  - {ONLY_FAKES.enable[0]}",
        "passes:",
        "  - simplify" + " " * (max(len(f"  - {ONLY_FAKES.enable[0]}"), 20) - 8) + "# pipeline.yaml:4",
        "verify: basic",
    ]


def test_a_single_pass_can_stand_alone_with_what_it_needs_assumed(load):
    line = one_line_of_pass(load(BASE), "canonicalize_io_order")
    alone = load_pipeline(line, ONLY_FAKES)
    assert [one.use for one in alone.passes] == ["canonicalize_io_order"]
    assert alone.assumes == ("SSAForm",)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("no", "no"),
        ("true", '"true"'),
        ("1", '"1"'),
        ("a b", '"a b"'),
        ("", '""'),
        ("${x}", '"${x}"'),
        ("./a.py", "./a.py"),
        (True, "true"),
        (None, "null"),
        (1.5, "1.5"),
        (float("inf"), ".inf"),
        (float("-inf"), "-.inf"),
        (["a", 1], "[a, 1]"),
        ({"a": {"b": []}}, "{a: {b: []}}"),
    ],
)
def test_plain_data_is_written_in_flow_style(value, text):
    assert flow(value) == text
