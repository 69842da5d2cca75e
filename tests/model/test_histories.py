# SPDX-License-Identifier: Apache-2.0
"""Random histories of a project: whatever happens, an incremental build is a clean one, and nothing is done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from .history import run_histories

HISTORIES, STEPS, GROUPS = 200, 3, 8


@pytest.mark.parametrize("group", range(GROUPS))
def test_after_any_history_a_build_equals_a_clean_one_and_runs_no_pass_twice(group: int, tmp_path: Path) -> None:
    size = HISTORIES // GROUPS
    counts = run_histories(tmp_path, range(group * size, (group + 1) * size), STEPS)
    assert counts.steps == size * STEPS
    assert counts.ran > size
    assert counts.reused > size
