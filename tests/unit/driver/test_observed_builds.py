# SPDX-License-Identifier: Apache-2.0
"""What observing hooks are told of a build, in order, and that they cannot change it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.driver.plugin_tree import PluginTree, plugin_tree

OBSERVING = """

import dataclasses, json, pathlib

LOG = pathlib.Path(__file__).with_name("log")


def told(event):
    facts = {one.name: getattr(event, one.name) for one in dataclasses.fields(event)}
    with LOG.open("a") as file:
        print(json.dumps([type(event).__name__, facts], default=dict), file=file)


pypto_pipeline_started = hookimpl(specname="pypto_pipeline_started")(lambda event: told(event))
pypto_pipeline_finished = hookimpl(specname="pypto_pipeline_finished")(lambda event: told(event))
pypto_pass_started = hookimpl(specname="pypto_pass_started")(lambda event: told(event))
pypto_pass_finished = hookimpl(specname="pypto_pass_finished")(lambda event: told(event))
pypto_cache_hit = hookimpl(specname="pypto_cache_hit")(lambda event: told(event))
pypto_cache_miss = hookimpl(specname="pypto_cache_miss")(lambda event: told(event))
pypto_report = hookimpl(specname="pypto_report")(lambda event: told(event))
"""


@pytest.fixture
def tree(tmp_path: Path) -> PluginTree:
    made = plugin_tree(tmp_path, plugin=OBSERVING)
    made.pipeline(quiet='""')
    return made


def log(tree: PluginTree, *, forget: bool = True) -> list[tuple[str, dict]]:
    """Name and facts of every event since the last time."""
    file = tree.root / "log"
    lines = file.read_text().splitlines() if file.exists() else []
    if forget:
        file.unlink(missing_ok=True)
    return [tuple(json.loads(line)) for line in lines]


def test_a_first_build_starts_looks_up_runs_and_finishes(tree):
    tree.compile()
    events = log(tree)
    assert [name for name, _ in events[:4]] == ["PipelineStarted", "CacheMiss", "PassStarted", "PassFinished"]
    assert events[0][1]["passes"] == ["convert_to_ssa", "quiet"]
    name, facts = events[-1]
    assert (name, facts["passes_run"], facts["passes_reused"]) == ("PipelineFinished", 5, 0)
    assert events[0][1]["digest"] == facts["digest"]


def test_every_pass_run_is_told_with_its_function_and_whether_it_changed_anything(tree):
    tree.compile()
    finished = [facts for name, facts in log(tree) if name == "PassFinished"]
    assert [(one["pass_id"], one["function"], one["changed"]) for one in finished[2:]] == [
        ("quiet", "double", False),
        ("quiet", "main", False),
    ]
    assert all(one["seconds"] >= 0 and one["source"].endswith("double.py") for one in finished)


def test_a_second_build_of_an_edited_source_hits_what_it_has_and_says_why_it_misses(tree):
    tree.compile(stored=True)
    log(tree)
    source = tree.root / "double.py"
    source.write_text(source.read_text().replace("2.0", "3.0"))
    tree.compile(stored=True)
    events = log(tree)
    assert [f["subject"] for name, f in events if name == "CacheHit"] == ["convert_to_ssa of main", "quiet of main"]
    misses = {facts["subject"]: facts["difference"] for name, facts in events if name == "CacheMiss"}
    assert misses["convert_to_ssa of double"].startswith("function: ")
    assert {f["function"] for name, f in events if name == "PassStarted"} == {"double"}


def test_a_source_of_which_nothing_changed_is_answered_without_telling_anybody(tree):
    tree.compile(stored=True)
    log(tree)
    assert tree.compile(stored=True).passes_run == 0
    assert log(tree) == []


def test_the_report_of_a_simulation_is_told(tree):
    tree.compile()
    log(tree)
    tree.simulate()
    ((name, report),) = log(tree)
    assert (name, report["title"]) == ("Report", "simulate")
    assert (report["facts"]["name"], report["facts"]["facts"]) == ("double", {"runs": [1]})
