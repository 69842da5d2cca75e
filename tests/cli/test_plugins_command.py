# SPDX-License-Identifier: Apache-2.0
"""`pypto-build plugins`: plain, in full, as JSON, and with the plugins of a pipeline."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from .conftest import FAKES

SIMPLIFY = """
from pypto_build.host import hookimpl


@hookimpl
def pypto_register_passes():
    return {"simplify": "json:dumps"}
"""


def install_extra(text: str) -> str:
    """Make a directory that looks as if a distribution with the plugin `extra` were installed in it."""
    info = Path("site", "extra-2.5.dist-info")
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 2.5\n")
    (info / "entry_points.txt").write_text("[pypto_build]\nextra = plugin_of_extra\n")
    Path("site", "plugin_of_extra.py").write_text(text)
    return str(Path("site").absolute())


def listed(run, *arguments):
    return {one["name"]: one for one in json.loads(run(*arguments, "plugins", "--json").out)}


def test_every_built_in_plugin_is_listed_with_its_state(run):
    assert {"pypto_commands", "pypto_passes", "pypto_targets", "pypto_simulators"} <= set(listed(run))
    assert listed(run)["pypto_commands"]["state"] == "ok"


def test_a_plain_list_has_a_line_for_each_plugin(run_with_fakes):
    lines = run_with_fakes("plugins").out.splitlines()
    assert [line.split()[:1] for line in lines[2:4]] == [["pypto_commands"], ["pypto_passes"]]
    assert "blocked" in lines[3]
    assert any(line.split()[:3] == ["fakes", "local", "ok"] for line in lines)


def test_the_full_list_names_every_contribution(run_with_fakes):
    shown = run_with_fakes("plugins", "-v").out
    assert "  pass:         convert_to_ssa  (:ConvertToSSA)\n" in shown
    assert "  state:        blocked: `-p no:pypto_passes`\n" in shown


def test_json_has_what_a_program_needs(run):
    plugin = listed(run, "-p", str(FAKES))["fakes"]
    assert (plugin["source"], plugin["location"]) == ("local", str(FAKES))
    assert {"kind": "target", "name": "pto", "reference": ":Pto"} in plugin["contributions"]
    assert len(plugin["digest"]) == 64


def test_a_plugin_that_cannot_be_imported_is_listed_as_broken(run):
    Path("broken.py").write_text("1 / 0\n")
    Path("pipeline.yaml").write_text("schema: 1\nplugins: [./broken.py]\npasses: [simplify]\n")
    shown = run("plugins", "--pipeline", "./pipeline.yaml")
    assert "broken" in shown.out
    assert "ZeroDivisionError: division by zero" in shown.out


@pytest.mark.parametrize(
    ("arguments", "text", "expected"),
    [
        ((), "PYPTO_BUILD_API = 1\n", ("ok", "")),
        (("-p", "no:extra"), "PYPTO_BUILD_API = 1\n", ("blocked", "`-p no:extra`")),
        ((), "PYPTO_BUILD_API = 2\n", ("incompatible", "it needs host API 2, and this host has API 1")),
        ((), "PYPTO_BUILD_API = 1\ndef\n", ("broken", "plugin_of_extra.py:2: invalid syntax")),
        (
            (),
            "PYPTO_BUILD_API = 1\n" + SIMPLIFY,
            ("duplicate", "pass `simplify` is also provided by plugin `pypto_passes`"),
        ),
    ],
)
def test_every_state_is_listed_with_its_reason(run, monkeypatch, arguments, text, expected):
    monkeypatch.syspath_prepend(install_extra(text))
    plugin = listed(run, *arguments)["extra"]
    assert (plugin["version"], plugin["source"]) == ("2.5", "installed")
    assert (plugin["state"], plugin["reason"].rpartition("/")[2]) == expected


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("PYPTO_BUILD_PLUGINS", "", "PYPTO_BUILD_PLUGINS does not list it"),
        ("PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD", "1", "PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD is set; use `-p NAME`"),
    ],
)
def test_the_environment_blocks_what_is_installed(run, monkeypatch, name, value, reason):
    monkeypatch.syspath_prepend(install_extra("PYPTO_BUILD_API = 1\n"))
    monkeypatch.setenv(name, value)
    assert (listed(run)["extra"]["state"], listed(run)["extra"]["reason"]) == ("blocked", reason)


def test_a_plugin_that_is_asked_for_by_name_is_used_without_autoload(run, monkeypatch):
    monkeypatch.syspath_prepend(install_extra("PYPTO_BUILD_API = 1\n"))
    monkeypatch.setenv("PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD", "1")
    assert listed(run, "-p", "extra")["extra"]["state"] == "ok"
    sys.modules.pop("plugin_of_extra")


def test_an_installed_plugin_that_raises_harms_nothing_until_a_pipeline_names_it(run, monkeypatch):
    raising = "1 / 0\nPYPTO_BUILD_API = 1\n" + SIMPLIFY.replace("simplify", "my_fold")
    monkeypatch.syspath_prepend(install_extra(raising))
    assert run("--help").status == run("plugins").status == run("pipeline", "check", "default").status == 0
    Path("mine.yaml").write_text("schema: 1\nhardware: ascend910b\npasses: [my_fold]\n")
    refused = run("pipeline", "check", "mine.yaml")
    place, cause = "mine.yaml:3:10: error[HOST003]", "pass `my_fold` of plugin `extra` cannot be loaded"
    assert refused.err.startswith(f"{place}: {cause}: ZeroDivisionError: division by zero\n")
    assert (refused.status, refused.out) == (2, "")


def test_the_plugins_of_a_pipeline_can_be_listed(run):
    Path("mine.py").write_text("")
    Path("pipeline.yaml").write_text("schema: 1\nplugins: [./mine.py]\npasses: [simplify]\n")
    assert "mine " in run("plugins", "--pipeline", "./pipeline.yaml").out
