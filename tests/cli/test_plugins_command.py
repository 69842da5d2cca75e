# SPDX-License-Identifier: Apache-2.0
"""`pypto-build plugins`: plain, in full, as JSON, and with the plugins of a pipeline."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import FAKES


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


def test_the_plugins_of_a_pipeline_can_be_listed(run):
    Path("mine.py").write_text("")
    Path("pipeline.yaml").write_text("schema: 1\nplugins: [./mine.py]\npasses: [simplify]\n")
    assert "mine " in run("plugins", "--pipeline", "./pipeline.yaml").out
