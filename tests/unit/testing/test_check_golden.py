# SPDX-License-Identifier: Apache-2.0
"""Generated text against a file."""

from pathlib import Path

import pytest

from pypto_build.testing import check_golden


def test_the_same_text_passes(tmp_path: Path):
    (tmp_path / "kernel.pto").write_text("a\nb\n")
    check_golden("a\nb\n", tmp_path / "kernel.pto")


def test_a_difference_is_shown_by_lines(tmp_path: Path):
    (tmp_path / "kernel.pto").write_text("a\nb\n")
    with pytest.raises(AssertionError, match=r"-b\n\+c"):
        check_golden("a\nc\n", tmp_path / "kernel.pto")


def test_a_missing_file_is_no_success(tmp_path: Path):
    with pytest.raises(AssertionError, match="there is no"):
        check_golden("a\n", tmp_path / "kernel.pto")


def test_the_file_is_written_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYPTO_BUILD_UPDATE_GOLDEN", "1")
    check_golden("a\n", tmp_path / "golden" / "kernel.pto")
    assert (tmp_path / "golden" / "kernel.pto").read_text() == "a\n"
