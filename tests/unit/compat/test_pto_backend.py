# SPDX-License-Identifier: Apache-2.0
"""What `pypto.backend.pto_backend` tells of kernels: which share a module, and how they are called."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from pypto_build.compat import install
from pypto_build.compat.error_reports import error_report
from pypto_build.compat.pto_backend import (
    build_group_mapping,
    emit_source_loc_default,
    generate,
    generate_arg_unpacking,
    generate_kernel_wrapper,
)
from tests.passes import programs

KERNELS = """
@pl.function(type=pl.FunctionType.AIC)
def cube(self):
    pl.system.bar_all()

@pl.function(type=pl.FunctionType.AIV)
def vector(self):
    pl.system.bar_all()

@pl.function(type=pl.FunctionType.AIV)
def alone(self):
    pl.system.bar_all()

@pl.function(type=pl.FunctionType.Group)
def both(self):
    self.cube()
    self.vector()
"""


def test_the_kernels_of_a_group_share_a_module_and_the_others_have_their_own() -> None:
    groups, alone = build_group_mapping(programs.program(KERNELS))
    assert {name: [kernel.name for kernel in members] for name, members in groups.items()} == {
        "both": ["cube", "vector"]
    }
    assert [kernel.name for kernel in alone] == ["alone"]


@pytest.mark.parametrize(("value", "wanted"), [(None, True), ("1", True), ("0", False), ("Off", False)])
def test_the_environment_may_forbid_source_places(
    monkeypatch: pytest.MonkeyPatch, value: str | None, wanted: bool
) -> None:
    monkeypatch.delenv("PYPTO_EMIT_PTO_LOC", raising=False)
    if value is not None:
        monkeypatch.setenv("PYPTO_EMIT_PTO_LOC", value)
    assert emit_source_loc_default() is wanted


COPY = """
@pl.function(type=pl.FunctionType.AIV)
def copy(self, n: pl.Scalar[pl.INDEX]):
    pl.system.bar_all()
"""


def test_a_program_has_a_module_for_each_kernel_and_each_group(tmp_path: Path) -> None:
    files = generate(programs.program(KERNELS), str(tmp_path), skip_ptoas=True)
    assert list(files) == ["kernels/both.pto", "kernels/aiv/alone.pto"]


def test_with_an_assembler_each_kernel_has_a_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with install():
        public = importlib.import_module("pypto.backend.pto_backend")
        monkeypatch.setattr(public, "_compile_pto_module", lambda *_: "AICORE void any() {\n}\n", raising=False)
        files = generate(programs.program(KERNELS), str(tmp_path))
    assert sorted(files) == ["kernels/aic/cube.cpp", "kernels/aiv/alone.cpp", "kernels/aiv/vector.cpp"]


def test_without_an_assembler_there_are_only_modules(tmp_path: Path) -> None:
    with install(), pytest.raises(RuntimeError, match="no assembler is configured"):
        generate(programs.program(COPY), str(tmp_path))


def test_the_arguments_of_a_kernel_are_told_with_their_names() -> None:
    kernel = programs.method(programs.program(COPY), "copy")
    code, names = generate_arg_unpacking(kernel)
    assert names == ["n"]
    assert "n_conv.u64 = args[0];" in code
    assert code in generate_kernel_wrapper(kernel, "")


def test_a_report_names_each_kernel_with_what_is_wrong_with_it() -> None:
    said = 'module {\n}\nloc("k.pto":2:5): error: bad base\nError: failed.'
    report = error_report([("first", RuntimeError("first too large\nmore")), ("k", RuntimeError(said))], "out")
    lines = report.splitlines()
    assert lines[:3] == ["2 function(s) failed to compile:", "  Function | Error", "  first    | too large"]
    assert lines[3] == '  k        | loc("k.pto":2:5): error: bad base'
