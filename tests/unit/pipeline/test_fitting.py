# SPDX-License-Identifier: Apache-2.0
"""Shipped pipelines are held against the schema once, when it is written; everything else is each time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pypto_build.errors import UserError
from pypto_build.pipeline import load_pipeline
from pypto_build.pipeline.fitting import is_known_to_fit
from pypto_build.pipeline.locate import shipped_pipelines


@pytest.mark.parametrize("path", shipped_pipelines().values(), ids=shipped_pipelines())
def test_every_shipped_pipeline_is_known_to_fit_and_an_edit_of_it_is_not(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert is_known_to_fit(text)
    assert not is_known_to_fit(text + "# mine\n")


def test_an_edited_copy_is_held_against_the_schema(tmp_path: Path) -> None:
    copy = tmp_path / "mine.yaml"
    text = shipped_pipelines()["default"].read_text(encoding="utf-8")
    copy.write_text(text.replace("simulator: functional", "simulatr: functional"), encoding="utf-8")
    with pytest.raises(UserError, match="unknown key `simulatr`"):
        load_pipeline(str(copy))


def test_the_library_that_holds_files_against_the_schema_is_not_imported_for_a_shipped_pipeline() -> None:
    code = (
        "import sys; from pypto_build.pipeline import load_pipeline; load_pipeline('ascend950'); "
        "print(sorted(name for name in sys.modules if name.startswith('pydantic')))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
