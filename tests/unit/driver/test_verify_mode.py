# SPDX-License-Identifier: Apache-2.0
"""Store mode `verify`: everything is made again and compared with what is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, CompileResult

SOURCE = """
import pypto.language as pl


@pl.program
class Double:
    @pl.function(type=pl.FunctionType.InCore)
    def double(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        return pl.store(pl.mul(pl.load(x, [0, 0], [32, 32]), 2.0), [0, 0], out)
"""
PLUGIN = """
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pypto_build.host import hookimpl
from pypto_build.ir import Function, rebuilt
from pypto_build.passes import FunctionPass

PYPTO_BUILD_API = 1


@dataclass(frozen=True, slots=True)
class Restless(FunctionPass):
    name: ClassVar[str] = "Restless"

    def run(self, function, callees, context):
        return rebuilt(function, {"attrs": {"turn": Path(%r).read_text()}})


@hookimpl
def pypto_register_passes():
    return {"restless": "restless:Restless"}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "double.py").write_text(SOURCE)
    (tmp_path / "turn").write_text("1")
    (tmp_path / "restless.py").write_text(PLUGIN % str(tmp_path / "turn"))
    (tmp_path / "restless.yaml").write_text(
        "schema: 1\nname: restless\nhardware: ascend910b\ndiagnostics: {disable: [PH001]}\nplugins: [./restless.py]\n"
        "passes: [convert_to_ssa, restless]\nverify: none\n"
    )
    return tmp_path


def build(tree: Path, mode: str) -> CompileResult:
    return compile_source(
        CompileRequest(
            source=str(tree / "double.py"),
            output=str(tree / "double.ptobj"),
            pipeline=str(tree / "restless.yaml"),
            store=str(tree / "store"),
            store_mode=mode,
        )
    )


def test_every_pass_runs_again_although_its_result_is_stored(tree: Path) -> None:
    build(tree, "write")
    again = build(tree, "verify")
    assert again.passes_run == again.passes_total > 0


def test_the_same_results_are_no_news(tree: Path) -> None:
    build(tree, "write")
    assert build(tree, "verify").messages == ()


def test_a_pass_whose_result_differs_is_named_with_the_function(tree: Path) -> None:
    build(tree, "write")
    (tree / "turn").write_text("2")
    (message,) = build(tree, "verify").messages
    assert "pass restless made another result of double than the one in the store" in message
