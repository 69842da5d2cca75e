# SPDX-License-Identifier: Apache-2.0
"""`pypto-build compile` and `check` of @pl.jit kernels: arguments on the command line, and what they decide."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.scons.conftest import PIPELINE

KERNEL = '''"""Adds two matrices, n times."""

import pypto.language as pl


@pl.jit.incore
def add_tile(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    rows, columns = a.shape
    out = pl.store(pl.add(pl.load(a, [0, 0], [rows, columns]), pl.load(b, [0, 0], [rows, columns])), [0, 0], out)
    return out


@pl.jit
def add(a: pl.Tensor, b: pl.Tensor, n: pl.INDEX, out: pl.Out[pl.Tensor]):
    for _ in pl.range(n):
        out = add_tile(a, b, out)
    return out
'''
ANOTHER = """

@pl.jit
def same(a: pl.Tensor):
    return a
"""
SMALL = ("--arg", "a=f32[16,16]", "--arg", "b=f32[16,16]", "--arg", "out=f32[16,16]", "--arg", "n=2")


@pytest.fixture
def jit(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a directory with `add.py` and the small pipeline; the store is that of this test."""
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(tmp_path / "store"))
    Path("add.py").write_text(KERNEL, encoding="utf-8")
    Path("small.yaml").write_text(PIPELINE, encoding="utf-8")

    def command(name: str, *arguments: str):
        return run(name, "add.py", "--pipeline", "small.yaml", *arguments)

    return command


def test_an_entry_is_compiled_for_its_arguments(jit: Run) -> None:
    assert jit("compile", *SMALL).err == ""
    assert Path("add.ptobj").is_file()


def test_the_same_arguments_in_another_order_are_the_same_build(jit: Run) -> None:
    jit("compile", *SMALL)
    assert jit("compile", *SMALL[2:], *SMALL[:2], "--explain").out == "11/11 passes reused\n"


def test_other_arguments_make_another_object(jit: Run) -> None:
    jit("compile", *SMALL)
    before = Path("add.ptobj").read_bytes()
    assert "ran:" in jit("compile", *(word.replace("16", "32") for word in SMALL), "--explain").out
    assert Path("add.ptobj").read_bytes() != before


def test_passes_are_checked_on_an_entry(jit: Run) -> None:
    outcome = jit("check", *SMALL)
    assert (outcome.status, outcome.out.splitlines()[-1]) == (0, "no pass changes the answer")


def test_an_entry_among_several_is_named(jit: Run) -> None:
    Path("add.py").write_text(KERNEL + ANOTHER, encoding="utf-8")
    assert "add.py has several programs: add, same" in jit("compile", *SMALL).err
    assert jit("compile", "--entry", "add", *SMALL).status == 0


def test_any_function_may_be_compiled_by_name(jit: Run) -> None:
    assert jit("compile", "--entry", "add_tile", *SMALL[:-2]).status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--arg", "a"), "error[JIT001]: an argument is NAME=VALUE, not 'a'\n  help: a tensor is a=f32[64,N], "),
        (("--arg", "x=3"), "error[JIT002]: 'add' has no parameter 'x'\n"),
        (("--arg", "a=f32[16,16]"), "error[E100]: Nothing says what the parameter 'b' of 'add' is\n"),
        (("--entry", "addd"), "error[SRC004]: add.py has no program 'addd'\n  help: programs: add_tile, add\n"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_written(jit: Run, arguments: tuple[str, ...], message: str) -> None:
    outcome = jit("compile", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert not Path("add.ptobj").exists()


def test_the_commands_of_the_page_about_jit_kernels_work(run: Run) -> None:
    page = Path(__file__).resolve().parents[2] / "docs/how-to/compile-a-jit-kernel.md"
    blocks = dict(re.findall(r"^```(python|console)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S))
    Path("add.py").write_text(blocks["python"], encoding="utf-8")
    lines = [shlex.split(line.removeprefix("$ ")) for line in blocks["console"].splitlines()]
    assert [(words[0], run(*words[1:]).status) for words in lines] == [("pypto-build", 0)] * 2


def test_a_source_may_also_say_how_it_is_run(jit: Run) -> None:
    head = "from pypto.runtime import RunConfig\n\nCONFIG = RunConfig(platform='a2a3')\n"
    tail = "\n\nif __name__ == '__main__':\n    add(1, 2, 3, 4, config=CONFIG)\n"
    Path("add.py").write_text(head + KERNEL + tail, encoding="utf-8")
    assert jit("compile", *SMALL).status == 0


def test_a_program_with_written_types_takes_no_arguments(jit: Run) -> None:
    text = "import pypto.language as pl\n\n\n@pl.function\ndef same(a: pl.Tensor[[4], pl.FP32]):\n    return a\n"
    Path("add.py").write_text(text, encoding="utf-8")
    assert "error[SRC007]: 'add' is no @pl.jit function, it takes no arguments\n" in jit("compile", *SMALL).err
