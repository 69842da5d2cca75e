# SPDX-License-Identifier: Apache-2.0
"""What fails inside of a plugin is named and leaves a command that fails alike; a process of its own ends alone."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import pytest
from pypto_simulators.functional.simulator import FunctionalSimulator

from pypto_build.cli.main import main
from pypto_build.driver.check import CheckRequest, _stating, check_source
from pypto_build.driver.toolchain import toolchain
from pypto_build.errors import InternalError, UserError
from tests.unit.driver.plugin_tree import PluginTree, plugin_tree

VERIFYING = """

@hookimpl
def pypto_register_verifiers():
    return {%r: %r}
"""


@pytest.fixture(autouse=True)
def reproducers_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def tree(tmp_path: Path) -> PluginTree:
    return plugin_tree(tmp_path)


def notes_of(action) -> list[str]:
    """The notes of the exception that an action ends with."""
    with pytest.raises(ZeroDivisionError, match="as told") as caught:
        action()
    return caught.value.__notes__


def again(note: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command in a note says."""
    program, *arguments = shlex.split(note.removeprefix("reproduce with: "))
    assert (program, main(arguments)) == ("pypto-build", 70)
    return capsys.readouterr().err


def test_a_pass_is_named_with_its_function_and_fails_again(tree, capsys):
    tree.pipeline(quiet="raise")
    owner, note = notes_of(tree.compile)
    assert owner == "raised in pass `quiet` of plugin `plugin`, function `double`"
    assert f"ZeroDivisionError: as told\n{owner}\n" in again(note, capsys)


def test_a_program_pass_is_named_and_fails_again(tree, capsys):
    tree.pipeline(quiet_whole="raise")
    owner, note = notes_of(tree.compile)
    assert owner == "raised in pass `quiet_whole` of plugin `plugin`"
    assert f"ZeroDivisionError: as told\n{owner}\n" in again(note, capsys)


def test_a_target_is_named_with_its_unit_and_fails_again(tree, capsys):
    tree.pipeline(listing="raise")
    owner, note = notes_of(tree.compile)
    assert owner == "raised in target `listing` of plugin `plugin`, function `all`"
    assert f"ZeroDivisionError: as told\n{owner}\n" in again(note, capsys)


def test_a_simulator_is_named_with_its_entry_and_fails_again(tree, capsys):
    tree.compile()
    tree.pipeline(doubling="raise")
    owner, note = notes_of(tree.simulate)
    assert owner == "raised in simulator `doubling` of plugin `plugin`, function `main`"
    assert f"ZeroDivisionError: as told\n{owner}\n" in again(note, capsys)


def test_a_reproducer_holds_the_program_and_says_what_failed_on_it(tree):
    tree.pipeline(quiet="raise")
    _, note = notes_of(tree.compile)
    text = Path(shlex.split(note)[4]).read_text(encoding="utf-8")
    assert text.startswith("# double.py: pass quiet failed on this program\n# pypto-build compile ")
    assert "def double(" in text
    assert "def main(" in text


def test_a_verifier_is_named(tmp_path):
    tree = plugin_tree(tmp_path, plugin=VERIFYING % ("ssa_form", ":ssa_form"))
    (tmp_path / "pipeline.yaml").write_text(
        "schema: 1\nhardware: ascend910b\nplugins: [./plugin.py]\nreplace: {ssa_form: plugin}\n"
        "passes: [convert_to_ssa]\ntargets: [listing]\n"
    )
    assert notes_of(tree.compile) == ["raised in verifier `ssa_form` of plugin `plugin`"]


def test_a_check_is_named_with_its_function(tmp_path):
    tree = plugin_tree(tmp_path, plugin=VERIFYING % ("no_divisions", ":CHECK"))
    assert notes_of(tree.compile) == ["raised in verifier `no_divisions` of plugin `plugin`, function `double`"]


# -- in a process of its own -------------------------------------------------------------------------------------------


def test_a_target_that_hangs_is_ended_where_the_pipeline_says_so(tree):
    tree.pipeline(listing="hang", isolate=", isolate: process, timeout: 0.2")
    with pytest.raises(UserError, match=r"target `listing` of plugin `plugin` did not end within 0\.2 s") as caught:
        tree.compile()
    assert caught.value.span.begin_line == 5


def test_a_simulator_that_dies_ends_itself_only(tree):
    tree.compile()
    tree.pipeline(doubling="abort", isolate=", isolate: process")
    with pytest.raises(InternalError, match="simulator `doubling` of plugin `plugin` was ended by SIGKILL"):
        tree.simulate()


@pytest.mark.parametrize(("does", "says"), [("hang", "did not end within"), ("abort", "was ended by SIGKILL")])
def test_a_target_of_a_plugin_is_isolated_on_demand(tree, does, says):
    tree.pipeline(listing=does)
    with pytest.raises((UserError, InternalError), match=says):
        tree.compile(isolate=0.3)


def test_a_simulator_is_isolated_on_demand(tree):
    tree.compile()
    tree.pipeline(doubling="hang")
    with pytest.raises(UserError, match=r"simulator `doubling` of plugin `plugin` did not end within 0\.3 s"):
        tree.simulate(isolate=0.3)


def test_isolation_changes_no_result(tree):
    tree.compile()
    plain = (tree.root / "double.ptobj").read_bytes()
    assert tree.compile(isolate=0.0).written is False
    assert (tree.root / "double.ptobj").read_bytes() == plain
    assert tree.simulate(isolate=0.0).status == 0


def test_what_an_isolated_simulator_prints_is_not_in_the_answer_of_a_command(tree, capfd):
    tree.compile()
    tree.pipeline(doubling="print")
    arguments = ["simulate", str(tree.root / "double.ptobj"), "--golden", str(tree.root / "golden.py"), "--json"]
    assert main([*arguments, "--pipeline", str(tree.root / "pipeline.yaml"), "--isolate"]) == 0
    shown = capfd.readouterr()
    assert shown.out.startswith("{\n")
    assert shown.err == "chatter\n"


# -- while the passes are checked --------------------------------------------------------------------------------------


def test_a_simulator_that_fails_in_a_check_is_named(tree):
    tree.pipeline(doubling="raise")
    request = CheckRequest(tree.request().source, pipeline=tree.request().pipeline)
    assert notes_of(lambda: check_source(request)) == [
        "raised in simulator `doubling` of plugin `plugin`, function `main`"
    ]


def test_a_simulator_in_a_process_of_its_own_is_told_what_others_are_told(tree):
    simulator = "simulator: {use: functional, isolate: process}"
    text = f"{{schema: 1, hardware: ascend910b, passes: [convert_to_ssa], {simulator}}}"
    assert check_source(CheckRequest(tree.request().source, pipeline=text)).ok
    assert _stating(toolchain(text).simulator()[0], True).simulator == FunctionalSimulator(addresses="yes")
