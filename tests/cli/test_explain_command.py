# SPDX-License-Identifier: Apache-2.0
"""`pypto-build explain`: why each pass of an object ran or was reused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.kernels import write_kernel

COMPILE = ("compile", "first.py", "--pipeline", "small.yaml")
FUNCTIONS = ["add", "double", "main"]


@pytest.fixture
def built(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command beside an object that was just built for the first time."""
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "store"))
    write_kernel()
    assert run(*COMPILE).status == 0
    return run


def explained(run: Run, *arguments: str) -> list[dict[str, str]]:
    outcome = run("explain", "first.ptobj", "--json", *arguments)
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


def test_every_pass_of_every_function_has_a_line(built: Run) -> None:
    outcome = built("explain", "first.ptobj")
    assert outcome.status == 0
    passes = [line.split()[0] for line in outcome.out.splitlines() if " main " in line]
    assert (passes[0], passes[-1], len(passes)) == ("convert_to_ssa", "derive_call_directions", 10)
    assert outcome.out.rstrip().endswith("ms saved")


def test_a_first_build_ran_everything(built: Run) -> None:
    assert {entry["status"] for entry in explained(built)} == {"ran"}


def test_after_an_edit_of_one_function_the_others_were_reused(built: Run) -> None:
    source = Path("first.py")
    source.write_text(source.read_text(encoding="utf-8").replace("2.0", "3.0"), encoding="utf-8")
    built(*COMPILE)
    entries = explained(built, "--why-not", "convert_to_ssa")
    assert [entry["function"] for entry in entries] == FUNCTIONS
    assert [entry["status"] for entry in entries] == ["reused", "ran", "reused"]


def test_one_pass_alone_can_be_asked_for(built: Run) -> None:
    entries = explained(built, "--why-not", "init_mem_ref")
    assert [entry["pass"] for entry in entries] == ["init_mem_ref"] * 3


def test_a_pass_that_the_object_does_not_have_is_refused_with_those_it_has(built: Run) -> None:
    outcome = built("explain", "first.ptobj", "--why-not", "fuse")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("error[EXPL003]: no pass 'fuse' in first.ptobj\n  help: convert_to_ssa, ")


def test_an_object_that_is_not_there_is_named(run: Run) -> None:
    outcome = run("explain", "gone.ptobj")
    assert (outcome.status, outcome.err) == (2, "error[EXPL001]: there is no object gone.ptobj\n")


def test_an_object_without_source_map_cannot_be_explained(built: Run) -> None:
    Path("first.ptomap").unlink()
    outcome = built("explain", "first.ptobj")
    assert outcome.status == 2
    assert outcome.err.startswith("error[EXPL001]: first.ptobj has no readable source map beside it\n")


def test_another_store_knows_nothing_of_the_object(built: Run) -> None:
    outcome = built("explain", "first.ptobj", "--store", "other")
    assert outcome.status == 2
    assert outcome.err.startswith("error[EXPL002]: the store has no record of how first.ptobj was built\n")


def test_the_environment_says_where_the_store_is(built: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "elsewhere"))
    assert built("explain", "first.ptobj").status == 2
    assert built("explain", "first.ptobj", "--store", str(tmp_path / "store")).status == 0
