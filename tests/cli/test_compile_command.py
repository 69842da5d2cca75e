# SPDX-License-Identifier: Apache-2.0
"""`pypto-build compile`: a source into an object, what is reused, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, Run
from tests.cli.kernels import write_kernel

ONE_PASS = "{schema: 1, name: one, hardware: ascend910b, passes: [convert_to_ssa]}"
ALL_REUSED = "11/11 passes reused\n"
NONE_REUSED = "0/11 passes reused; ran: convert_to_ssa, "


@pytest.fixture
def compiled(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Compile `first.py` with the small pipeline and further arguments; the store is that of this test."""
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "store"))
    write_kernel()

    def compile_first(*arguments: str) -> Outcome:
        return run("compile", "first.py", "--pipeline", "small.yaml", *arguments)

    return compile_first


def test_the_object_gets_the_name_of_the_source_and_nothing_is_said(compiled: Run) -> None:
    assert compiled() == Outcome(0, "", "")
    assert Path("first.ptobj").is_file()
    assert Path("first.ptomap").is_file()


def test_the_object_lies_where_o_says_with_its_source_map_beside_it(compiled: Run) -> None:
    assert compiled("-o", "out/other.ptobj").status == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["other.ptobj", "other.ptomap"]
    assert not Path("first.ptobj").exists()


def test_explain_says_that_a_first_build_ran_every_pass(compiled: Run) -> None:
    assert compiled("--explain").out.startswith(NONE_REUSED)


def test_explain_says_that_a_second_build_reused_every_pass(compiled: Run) -> None:
    compiled()
    assert compiled("--explain").out == ALL_REUSED


def test_without_a_store_every_pass_runs_again_and_no_store_is_made(compiled: Run, tmp_path: Path) -> None:
    compiled("--store-mode", "off")
    assert compiled("--store-mode", "off", "--explain").out.startswith(NONE_REUSED)
    assert not (tmp_path / "store").exists()


def test_an_object_of_the_store_is_the_one_that_compiling_makes(compiled: Run) -> None:
    compiled("--store-mode", "off", "-o", "fresh.ptobj")
    compiled("-o", "stored.ptobj")
    compiled("-o", "reused.ptobj")
    assert Path("fresh.ptobj").read_bytes() == Path("stored.ptobj").read_bytes() == Path("reused.ptobj").read_bytes()


def test_a_store_that_is_only_read_gets_no_results(compiled: Run) -> None:
    compiled("--store-mode", "read")
    assert compiled("--explain").out.startswith(NONE_REUSED)


def test_refreshing_runs_every_pass_although_the_store_has_it(compiled: Run) -> None:
    compiled()
    assert compiled("--store-mode", "refresh", "--explain").out.startswith(NONE_REUSED)


def test_the_environment_says_where_the_store_is(
    compiled: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled()
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "elsewhere"))
    assert compiled("--explain").out.startswith(NONE_REUSED)
    assert (tmp_path / "elsewhere").is_dir()


def test_the_option_for_the_store_wins_over_the_environment(compiled: Run, tmp_path: Path) -> None:
    compiled("--store", "mine")
    assert Path("mine").is_dir()
    assert not (tmp_path / "store").exists()


def test_an_edit_of_an_imported_file_is_seen(compiled: Run) -> None:
    compiled()
    before = Path("first.ptobj").read_bytes()
    Path("shared/sizes.py").write_text("SIZE = 16\n", encoding="utf-8")
    assert compiled("--explain").out.startswith(NONE_REUSED)
    assert Path("first.ptobj").read_bytes() != before


def test_without_places_there_is_no_source_map(compiled: Run) -> None:
    compiled("--locations", "none")
    assert Path("first.ptobj").is_file()
    assert not Path("first.ptomap").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--store-mode", "of"), "error[STORE007]: there is no store mode 'of'\n"),
        (("-D", "rounds"), "error[CLI001]: `-D` takes `NAME=VALUE`, not `rounds`\n"),
        (("--entry", "Second"), "error[SRC004]: first.py has no program 'Second'\n  help: programs: First\n"),
        (("--pipeline", "smal.yaml"), "there is no pipeline file `smal.yaml`\n  help: did you mean `small.yaml`?\n"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_written(
    compiled: Run, arguments: tuple[str, ...], message: str
) -> None:
    outcome = compiled(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert not Path("first.ptobj").exists()


def test_a_source_that_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    outcome = run("compile", "gone.py", "--pipeline", ONE_PASS, "--store-mode", "off")
    assert outcome == Outcome(2, "", f"error[SRC001]: there is no source {tmp_path / 'gone.py'}\n")


@pytest.mark.parametrize("arguments", [(), ("first.py", "--locations", "no"), ("first.py", "--quick")])
def test_a_wrong_use_shows_how_it_is_used(
    run: Run, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("compile", *arguments)
    assert capsys.readouterr().err.startswith("usage: pypto-build compile ")


UNORDERED = (
    "{schema: 1, name: odd, hardware: ascend910b, targets: [], assumes: [SSAForm], "
    "passes: [flatten_call_expr, normalize_stmt_structure, convert_to_ssa]}"
)


def test_an_order_that_breaks_a_rule_may_be_tried_with_a_warning(run: Run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "store"))
    write_kernel()
    tried = run("compile", "first.py", "--pipeline", UNORDERED, "--allow-unordered")
    assert tried.status == 0
    assert "warning[PIPE031]" in tried.err
    refused = run("compile", "first.py", "--pipeline", UNORDERED)  # although the store has the object by now
    assert (refused.status, "error[PIPE031]" in refused.err) == (2, True)
