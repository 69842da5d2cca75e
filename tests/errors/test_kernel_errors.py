# SPDX-License-Identifier: Apache-2.0
"""What a wrong kernel says in the standard pipeline: the exact place, the sentence, exit status 2, and no object."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_build.cli import dispatch
from pypto_build.cli.main import main

KERNEL = """\
import pypto.language as pl


@pl.program
class Kernel:
    @pl.function(type=pl.FunctionType.InCore)
    def double(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        tile = pl.load(x, [0, 0], [32, 32])
        twice = pl.mul(tile, 2.0)
        return pl.store(twice, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        out = self.double(x, out)
        return out
"""
LARGE = """\
import pypto.language as pl


@pl.program
class Kernel:
    @pl.function(type=pl.FunctionType.InCore)
    def double(
        self, x: pl.Tensor[[256, 256], pl.FP32], out: pl.Out[pl.Tensor[[256, 256], pl.FP32]]
    ) -> pl.Tensor[[256, 256], pl.FP32]:
        tile = pl.load(x, [0, 0], [256, 256])
        return pl.store(tile, [0, 0], out)
"""
MIXED = """\
import pypto.language as pl


@pl.program
class Kernel:
    @pl.function(type=pl.FunctionType.InCore)
    def mixed(
        self,
        a: pl.Tensor[[32, 32], pl.FP16],
        b: pl.Tensor[[32, 32], pl.FP16],
        out: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        left = pl.load(a, [0, 0], [32, 32], target_memory=pl.MemorySpace.Mat)
        right = pl.load(b, [0, 0], [32, 32], target_memory=pl.MemorySpace.Mat)
        product = pl.matmul(left, right)
        if pl.tile.read(pl.load(out, [0, 0], [32, 32]), [0, 0]) > 0.0:
            pl.store(product, [0, 0], out)
        return out
"""
GOLDEN = """\
import numpy as np


def inputs(rng):
    return {"x": rng.standard_normal((32, 32), np.float32)}


def expected(inputs):
    return {"out": 2 * inputs["x"]}
"""
Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty directory; the interpreter's settings are of the process, which is not ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dispatch, "prepare_interpreter", lambda: None)


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Compile a text, expect a refusal that leaves nothing behind, and return what was said."""

    def compile_wrong(text: str, *arguments: str) -> str:
        Path("kernel.py").write_text(text, encoding="utf-8")
        before = {path.name for path in tmp_path.iterdir()}
        assert main(["compile", "kernel.py", "--store-mode", "off", *arguments]) == 2
        assert {path.name for path in tmp_path.iterdir()} - before <= {"__pycache__"}
        shown = capsys.readouterr()
        assert shown.out == ""
        return shown.err.replace(f"{tmp_path}/", "")

    return compile_wrong


def changed(old: str, new: str) -> str:
    """The good kernel with one text replaced where it occurs first."""
    assert old in KERNEL
    return KERNEL.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tile, 2.0)", "tile, 2.0", "kernel.py:11:23: error[SRC002]: syntax error: '(' was never closed"),
        ("pl.mul(", "pl.mull(", "kernel.py:11:17: error[E300]: Unknown operation 'pl.mull'"),
        ("mul(tile,", "mul(tiel,", "kernel.py:11:24: error[E200]: Undefined variable 'tiel'"),
        ("self.double(x", "self.dubble(x", "kernel.py:18:15: error[E200]: Function 'dubble' not found in program"),
        ("(x, out)", "(x)", "kernel.py:18:15: error[E100]: Function 'double' expects 2 argument(s), got 1"),
        ("x: pl.Tensor[[32, 32], pl.FP32]", "x: int", "kernel.py:8:18: error[E100]: Unknown type annotation: int"),
        ("x: pl.Tensor[", "x: pl.Tensr[", "kernel.py:8:18: error[SRC003]: AttributeError while loading: pl has no"),
        ("[32, 32], pl.FP32]", "[32, 32], pl.FP33]", "kernel.py:8:38: error[SRC003]: AttributeError while loading: pl"),
        (
            "@pl.program",
            "@pl.sqrt",
            "kernel.py:4:2: error[SRC003]: TypeError while loading: pl.sqrt: expected Tensor or",
        ),
        ("@pl.program", "@pl.load", "kernel.py:4:2: error[SRC003]: TypeError while loading: load() missing 2 required"),
        ("pl.program\n", "pl.program('x')\n", "kernel.py:4:2: error[E001]: @pl.program decorates a class, got 'x'"),
        ("@pl.program", "assert not pl\n@pl.program", "kernel.py:4:1: error[SRC003]: AssertionError while loading: \n"),
        ("@pl.program", "import sys; sys.exit(7)\n", "kernel.py:4:13: error[SRC003]: SystemExit while loading: 7\n"),
        (
            "@pl.program",
            "@pl.range",
            "kernel.py:4:2: error[E001]: pl.range() can only be used inside a function decorated",
        ),
        ("import pypto", "ﬁ[\nimport pypto", "kernel.py:1:3: error[SRC002]: syntax error: '[' was never closed"),
        ("InCore", "InKore", "kernel.py:6:23: error[SRC003]: AttributeError while loading: InKore"),
    ],
    ids=[
        "syntax",
        "operation",
        "name",
        "function",
        "arguments",
        "annotation",
        "type",
        "dtype",
        "operation_decorates",
        "load_decorates",
        "text_decorated",
        "assertion",
        "exit",
        "range_decorates",
        "unicode",
        "function_type",
    ],
)
def test_a_wrong_kernel_is_refused_at_its_place(refused: Refused, old: str, new: str, message: str) -> None:
    said = refused(changed(old, new))
    assert said.startswith(message)
    assert said.count("error[") == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("window", ["[0], [32, 32]", "[0, 0], [32]", "[0, 0, 0], [32, 32, 32]"])
def test_a_window_of_the_wrong_rank_is_refused_where_it_is_loaded(refused: Refused, window: str) -> None:
    said = refused(changed("[0, 0], [32, 32]", window))
    assert said.startswith("kernel.py:10:16: error[E300]: pl operation 'load': The operator tile.load requires as many")


def test_a_store_past_the_end_of_its_tensor_is_refused(refused: Refused) -> None:
    said = refused(changed("store(twice, [0, 0]", "store(twice, [8, 0]"))
    assert said.startswith("kernel.py:12:16: error[E300]: pl operation 'store': The operator tile.store writes past")


def test_the_wrong_line_is_shown_with_a_caret_below_it(refused: Refused) -> None:
    shown = refused(changed("mul(tile,", "mul(tiel,")).splitlines()
    assert shown[1:3] == ["   11 |         twice = pl.mul(tiel, 2.0)", "      |                        ^^^^"]


def test_tiles_that_do_not_fit_into_a_memory_are_named_with_their_sizes(refused: Refused) -> None:
    said = refused(LARGE)
    assert said.startswith("kernel.py:10:9: error[MEM006]: Function 'double': Vec buffer usage (262144 bytes) exceeds")
    assert "kernel.py:10:9: note: 'tile' takes 262144 bytes\n" in said


def test_a_value_of_the_other_core_is_refused(refused: Refused) -> None:
    said = refused(MIXED)
    assert ": error[CORE002]: the cube core of kernel 'mixed' needs " in said


def test_an_unknown_pass_is_refused_at_its_place_in_the_pipeline(refused: Refused, tmp_path: Path) -> None:
    text = "schema: 1\nhardware: ascend910b\npasses:\n  - convert_to_sa\n"
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    said = refused(KERNEL, "--pipeline", "own.yaml")
    assert said.startswith("own.yaml:4:5: error[HOST007]: there is no pass `convert_to_sa`\n")
    assert said.endswith("  help: did you mean `convert_to_ssa`?\n")


def test_a_source_without_program_is_refused(refused: Refused) -> None:
    said = refused("import pypto.language as pl\n")
    assert said.startswith("kernel.py:1:1: error[SRC006]: kernel.py holds no @pl.program and no @pl.function\n")


def test_a_refused_kernel_leaves_an_older_object_as_it_was(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "kernel.ptobj").write_bytes(b"older")
    refused(changed("pl.mul(", "pl.mull("))
    assert (tmp_path / "kernel.ptobj").read_bytes() == b"older"


def test_the_kernel_that_the_others_differ_from_compiles() -> None:
    Path("kernel.py").write_text(KERNEL, encoding="utf-8")
    assert main(["compile", "kernel.py", "--store-mode", "off"]) == 0
    assert Path("kernel.ptobj").is_file()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"out":', '"total":', "golden.py:1:1: error[GOLD004]: there is no output 'total'\n"),
        ("def expected", "def other", "golden.py:1:1: error[GOLD003]: golden file has no function 'expected'\n"),
    ],
)
def test_a_golden_file_without_the_output_is_refused(
    capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    test_the_kernel_that_the_others_differ_from_compiles()
    Path("golden.py").write_text(GOLDEN.replace(old, new), encoding="utf-8")
    assert main(["simulate", "kernel.ptobj", "--golden", "golden.py", "-o", "report.json"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("report.json").exists()
