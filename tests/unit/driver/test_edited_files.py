# SPDX-License-Identifier: Apache-2.0
"""Files that are edited where it is hard to see: within a second, without a change of size, or while they are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.golden import load_golden
from pypto_build.driver.request import CompileRequest

KERNEL = """
import pypto.language as pl
from sizes import SIZE


@pl.program
class Double:
    @pl.function(type=pl.FunctionType.InCore)
    def double(
        self, x: pl.Tensor[[SIZE, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]]
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        return pl.store(pl.mul(pl.load(x, [0, 0], [SIZE, SIZE]), 2.0), [0, 0], out)
"""
PIPELINE = "{schema: 1, name: short, hardware: ascend910b, passes: [convert_to_ssa], verify: none}"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a kernel and what it imports, in an interpreter that keeps byte code."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    write(tmp_path / "double.py", KERNEL)
    write(tmp_path / "sizes.py", "SIZE = 32\n")
    return tmp_path


def write(path: Path, text: str) -> None:
    """Write a file; its time is always the same."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))


def build(place: Path, mode: str = "write") -> bytes:
    """The object that a build makes or finds."""
    request = CompileRequest(str(place / "double.py"), str(place / "double.ptobj"), PIPELINE)
    compile_source(CompileRequest.from_json({**request.to_json(), "store": str(place / "store"), "store_mode": mode}))
    return (place / "double.ptobj").read_bytes()


@pytest.mark.parametrize(("name", "old", "new"), [("sizes.py", "32", "16"), ("double.py", "2.0", "3.0")])
def test_an_edit_that_changes_neither_time_nor_size_is_seen(place: Path, name: str, old: str, new: str) -> None:
    before = build(place)
    write(place / name, (place / name).read_text().replace(old, new))
    after = build(place)
    assert after != before
    assert after == build(place, "off")


def test_a_golden_file_is_read_as_it_is(place: Path) -> None:
    text = "RTOL = 1e-3\ninputs = expected = dict\n"
    write(place / "double_golden.py", text)
    assert load_golden(str(place / "double_golden.py")).rtol == 1e-3
    write(place / "double_golden.py", text.replace("-3", "-4"))
    assert load_golden(str(place / "double_golden.py")).rtol == 1e-4


@pytest.mark.parametrize(("name", "old", "new"), [("sizes.py", "32", "16"), ("double.py", "2.0", "3.0")])
def test_what_is_edited_while_it_is_compiled_is_not_kept_under_its_new_text(
    place: Path, name: str, old: str, new: str
) -> None:
    text = (place / name).read_text()
    edit = f"from pathlib import Path\nPath(__file__).write_text({text.replace(old, new)!r})\n"
    write(place / name, text + edit)
    early = build(place)
    assert (place / name).read_text() == text.replace(old, new)
    late = build(place)
    assert late != early
    assert late == build(place, "off")
