# SPDX-License-Identifier: Apache-2.0
"""`--dump-passes`: a readable program for each pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.load import load_source
from pypto_build.driver.request import CompileRequest
from pypto_build.errors import UserError
from pypto_build.ir import structural_equal
from tests.unit.driver.conftest import SOURCE

PIPELINE = (
    "{schema: 1, name: short, hardware: ascend910b, "
    "passes: [convert_to_ssa, normalize_stmt_structure, flatten_call_expr], verify: none}"
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "double.py"
    path.write_text(SOURCE)
    return path


def compile_into(source: Path, directory: Path) -> None:
    compile_source(CompileRequest(source=str(source), output="", pipeline=PIPELINE, dump_passes=str(directory)))


def test_there_is_one_file_per_pass(source: Path, tmp_path: Path) -> None:
    compile_into(source, tmp_path / "dumps")
    assert sorted(path.name for path in (tmp_path / "dumps").iterdir()) == [
        "00_frontend.py",
        "01_after_ConvertToSSA.py",
        "02_after_NormalizeStmtStructure.py",
        "03_after_FlattenCallExpr.py",
        "index.html",
    ]


def test_the_first_file_is_the_source_again(source: Path, tmp_path: Path) -> None:
    compile_into(source, tmp_path / "dumps")
    again = load_source(tmp_path / "dumps/00_frontend.py", ()).program
    assert structural_equal(again, load_source(source, ()).program)


def test_the_last_file_shows_what_the_pass_did(source: Path, tmp_path: Path) -> None:
    compile_into(source, tmp_path / "dumps")
    before, after = (tmp_path / f"dumps/{name}.py" for name in ("00_frontend", "03_after_FlattenCallExpr"))
    assert "__tmp_v0" not in before.read_text()
    assert "__tmp_v0" in after.read_text()


def test_a_directory_that_cannot_be_made_is_reported(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot make the directory .*file/dumps: Not a directory"):
        compile_into(source, tmp_path / "file/dumps")
