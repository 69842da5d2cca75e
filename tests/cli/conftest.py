# SPDX-License-Identifier: Apache-2.0
"""Running commands of `pypto-build` inside of the test's process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pypto_build.cli import dispatch
from pypto_build.cli.main import main

FAKES = Path(__file__).resolve().parents[1] / "errors" / "pipeline" / "fakes.py"
PIPELINE = """\
schema: 1
hardware: ascend910b
params: {rounds: 3}
passes:
  - convert_to_ssa
  - {use: simplify, options: {max_iterations: "${rounds}"}}
variants:
  fast: {verify: none}
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `pypto-build` with arguments, in a directory with `pipeline.yaml`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        dispatch, "prepare_interpreter", lambda: None
    )  # the settings are of the process, which is not ours
    Path("pipeline.yaml").write_text(PIPELINE, encoding="utf-8")

    def run_command(*arguments: str) -> Outcome:
        status = main(list(arguments))
        shown = capsys.readouterr()
        return Outcome(status, shown.out, shown.err)

    return run_command


@pytest.fixture
def run_with_fakes(run: Run) -> Run:
    """The same with the plugin of the error cases in the place of the built-in ones."""
    others = [f"-pno:{name}" for name in ("pypto_passes", "pypto_targets", "pypto_simulators")]

    def run_command(*arguments: str) -> Outcome:
        return run(*others, "-p", str(FAKES), *arguments)

    return run_command
