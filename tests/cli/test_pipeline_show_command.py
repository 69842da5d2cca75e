# SPDX-License-Identifier: Apache-2.0
"""`pypto-build pipeline show` with the passes that are built in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.kernels import write_kernel


def test_the_passes_come_in_the_order_of_the_file(run: Run) -> None:
    write_kernel()
    shown = run("pipeline", "show", "small.yaml", "--no-origins").out
    passes = ["convert_to_ssa", "flatten_call_expr", "init_mem_ref", "derive_call_directions"]
    places = [shown.index(f" {name}") for name in passes]
    assert places == sorted(places)


def test_every_line_says_where_it_comes_from(run: Run) -> None:
    write_kernel()
    shown = run("pipeline", "show", "small.yaml").out
    line = next(line for line in shown.splitlines() if "convert_to_ssa" in line)
    assert line.endswith("# small.yaml:6")


def test_the_default_is_shown_when_nothing_is_named(run: Run) -> None:
    assert run("pipeline", "show") == run("pipeline", "show", "default")


def test_what_is_shown_is_a_pipeline_with_the_same_meaning(run: Run) -> None:
    write_kernel()
    Path("again.yaml").write_text(run("pipeline", "show", "small.yaml").out, encoding="utf-8")
    assert run("pipeline", "diff", "small.yaml", "again.yaml").status == 0


def test_an_unknown_pass_is_refused_at_its_place(run: Run) -> None:
    Path("wrong.yaml").write_text("schema: 1\nhardware: ascend910b\npasses: [convert_to_sa]\n", encoding="utf-8")
    shown = run("pipeline", "show", "wrong.yaml")
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith("wrong.yaml:3:10: error")


def test_an_unknown_action_shows_how_it_is_used(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("pipeline", "print")
    assert capsys.readouterr().err.startswith("usage: pypto-build pipeline ")
