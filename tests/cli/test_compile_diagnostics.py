# SPDX-License-Identifier: Apache-2.0
"""Warnings and hints of `pypto-build compile`: said with place and help, said again from the store, switched off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.kernels import write_kernel
from tests.scons.conftest import PIPELINE

KERNEL = """
import pypto.language as pl


@pl.program
class Narrow:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        unread = pl.load(x, [0, 0], [32, 32])
        return pl.store(pl.load(x, [0, 0], [32, 32]), [0, 0], out)
"""
WARNING = """\
narrow.py:11:9: warning[UnusedVariable]: Unused variable 'unread' in function 'copy'
   11 |         unread = pl.load(x, [0, 0], [32, 32])
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: use it, or leave the assignment out
"""
QUIET = "diagnostics: {disable: [PH001]}\n"


@pytest.fixture
def narrow(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Compile a kernel that is warned about; what is said, without the directory of the test."""
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "store"))
    write_kernel()
    Path("small.yaml").write_text(PIPELINE.replace(QUIET, ""), encoding="utf-8")
    Path("narrow.py").write_text(KERNEL, encoding="utf-8")

    def compile_narrow(*arguments: str) -> str:
        return run("compile", "narrow.py", "--pipeline", "small.yaml", *arguments).err.replace(f"{tmp_path}/", "")

    return compile_narrow  # type: ignore[return-value]  # what it says is all that these tests ask


def said(text: str) -> list[str]:
    """Line and rule of each message."""
    heads = [line for line in text.splitlines() if line.startswith("narrow.py:")]
    return [f"{head.split(':')[1]} {head.split(': ')[1]}" for head in heads]


ALL = ["11 warning[UnusedVariable]", "11 perf_hint[PH001]", "12 perf_hint[PH001]", "12 perf_hint[PH001]"]


def test_a_warning_has_its_place_and_what_to_do(narrow: Run) -> None:
    assert narrow().startswith(WARNING)


def test_everything_is_said_again_from_the_store_and_without_one(narrow: Run) -> None:
    assert [said(narrow()), said(narrow()), said(narrow("--store-mode", "off"))] == [ALL] * 3


def test_after_an_edit_of_a_comment_it_is_said_of_the_line_that_it_is_now(narrow: Run) -> None:
    narrow()
    Path("narrow.py").write_text(f"# more\n{KERNEL}", encoding="utf-8")
    assert said(narrow()) == [one.replace("12", "13").replace("11", "12") for one in ALL]


@pytest.mark.parametrize("name", ["PH001", "tile_innermost_dim_granularity", "TileInnermostDimGranularity"])
def test_a_hint_is_switched_off_by_name_or_code(narrow: Run, name: str) -> None:
    narrow()
    assert said(narrow("--disable", name)) == ALL[:1]


def test_the_pipeline_switches_off_and_the_command_line_on_again(narrow: Run) -> None:
    Path("small.yaml").write_text(PIPELINE.replace("[PH001]", "[PH001, unused_variable]"), encoding="utf-8")
    assert said(narrow()) == []
    assert said(narrow("--enable", "UnusedVariable")) == ALL[:1]


def test_an_unknown_name_is_refused(narrow: Run) -> None:
    expected = "error[PIPE026]: there is no diagnostic `PH002`\n  help: did you mean `PH001`?\n"
    assert narrow("--disable", "PH002") == expected


def test_explain_does_not_speak_of_checks(narrow: Run, run: Run) -> None:
    narrow()
    assert "diagnostics" not in run("explain", "narrow.ptobj").out


BARRIER = """
import pypto.language as pl


@pl.program
class Partial:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        t = pl.load(x, [0, 0], [32, 32])
        pl.system.syncall(core_type="aiv_only")
        return pl.store(t, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        out = self.copy(x, out, attrs={"core_num": 4})
        return out
"""


def test_a_launch_that_never_passes_its_barrier_is_refused_at_its_line(run: Run) -> None:
    Path("partial.py").write_text(BARRIER, encoding="utf-8")
    outcome = run("compile", "partial.py", "--store-mode", "off")
    assert outcome.status == 2
    assert "partial.py:19:15: error[HardSyncallOccupancy]" in outcome.err
    assert "the launch must fill all 48 AIV cores, but it has 4 blocks" in outcome.err
    assert not Path("partial.ptobj").exists()
