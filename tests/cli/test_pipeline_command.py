# SPDX-License-Identifier: Apache-2.0
"""`pypto-build pipeline show|check|diff|lock|schema`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_show_prints_the_resolved_form_with_places(run_with_fakes):
    lines = run_with_fakes("pipeline", "show", "./pipeline.yaml", "-D", "rounds=5").out.splitlines()
    (line,) = [line for line in lines if "max_iterations" in line]
    assert line.split() == ["max_iterations:", "5", "#", "pipeline.yaml:6"]


def test_show_can_leave_out_the_places_and_write_out_the_defaults(run_with_fakes):
    shown = run_with_fakes("pipeline", "show", "pipeline.yaml", "--no-origins", "--defaults").out
    assert "      fold: true\n" in shown
    assert "# pipeline.yaml" not in shown


def test_show_can_print_the_one_line_that_names_it(run_with_fakes):
    line = run_with_fakes("pipeline", "show", "pipeline.yaml", "--one-line").out
    again = run_with_fakes("pipeline", "show", line.strip(), "--one-line").out
    assert line == again
    assert line.count("\n") == 1


def test_check_says_what_holds(run_with_fakes):
    shown = run_with_fakes("pipeline", "check", "pipeline.yaml", "pipeline.yaml@fast")
    assert shown.status == 0
    assert [line.split(",")[0] for line in shown.out.splitlines()] == ["pipeline: 2 passes", "pipeline@fast: 2 passes"]


def test_check_goes_on_after_a_pipeline_that_does_not_hold(run_with_fakes):
    shown = run_with_fakes("pipeline", "check", "pipeline.yaml@fsat", "pipeline.yaml")
    assert shown.status == 2
    assert "has no variant `fsat`" in shown.err
    assert shown.out.startswith("pipeline: 2 passes")


def test_a_broken_pipeline_has_exit_status_2_and_no_output(run_with_fakes):
    Path("pipeline.yaml").write_text("schema: 1\nhardware: ascend910b\npasses: [simplifi]\n")
    shown = run_with_fakes("pipeline", "show", "pipeline.yaml")
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith("pipeline.yaml:3:10: error[HOST007]: there is no pass `simplifi`\n")


def test_a_broken_order_can_be_allowed_with_a_warning(run_with_fakes):
    Path("pipeline.yaml").write_text("schema: 1\nhardware: ascend910b\npasses: [canonicalize_io_order]\n")
    assert run_with_fakes("pipeline", "check", "pipeline.yaml").status == 2
    shown = run_with_fakes("pipeline", "check", "pipeline.yaml", "--allow-unordered")
    assert shown.status == 0
    assert shown.err.startswith("pipeline.yaml:3:10: warning[PIPE032]: CanonicalizeIOOrder needs SSAForm")


def test_diff_of_equals_is_silent(run_with_fakes):
    shown = run_with_fakes("pipeline", "diff", "pipeline.yaml", "pipeline.yaml")
    assert (shown.status, shown.out) == (0, "")


def test_diff_shows_what_differs_and_says_so_with_its_status(run_with_fakes):
    shown = run_with_fakes("pipeline", "diff", "pipeline.yaml", "pipeline.yaml@fast")
    assert shown.status == 1
    changed = [line for line in shown.out.splitlines()[2:] if line[0] in "+-"]
    assert changed == ["-verify: basic", "+verify: none"]


def test_a_locked_pipeline_is_refused_when_it_changed(run_with_fakes):
    assert run_with_fakes("pipeline", "lock", "pipeline.yaml").out.startswith(
        "pipeline.lock: pipeline pipeline, digest "
    )
    arguments = ("pipeline", "check", "pipeline.yaml", "--locked", "pipeline.lock")
    assert run_with_fakes(*arguments).status == 0
    shown = run_with_fakes(*arguments, "-D", "rounds=7")
    assert shown.status == 2
    assert "pipeline.lock: error[PIPE051]: pipeline pipeline has another meaning now" in shown.err


def test_the_schema_is_printed_or_written(run_with_fakes):
    printed = run_with_fakes("pipeline", "schema").out
    assert run_with_fakes("pipeline", "schema", "-o", "schema.json").out == ""
    assert Path("schema.json").read_text() == printed
    assert json.loads(printed)["title"] == "PyPTO Build pipeline"


@pytest.mark.parametrize("given", ["rounds", "=3"])
def test_a_definition_without_name_or_value_is_a_wrong_use(run_with_fakes, given):
    shown = run_with_fakes("pipeline", "show", "pipeline.yaml", "-D", given)
    assert (shown.status, shown.err) == (2, f"error[CLI001]: `-D` takes `NAME=VALUE`, not `{given}`\n")


def test_a_lock_that_cannot_be_written_is_a_wrong_use(run_with_fakes):
    shown = run_with_fakes("pipeline", "lock", "pipeline.yaml", "-o", "nowhere/a.lock")
    assert shown.err == "error[CLI004]: `nowhere/a.lock` cannot be written: No such file or directory\n"
