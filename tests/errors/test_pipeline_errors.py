# SPDX-License-Identifier: Apache-2.0
"""What a broken pipeline file says, word for word.

A case is a directory: `pipeline.yaml`, `expected.txt`, and, where the file alone does not tell, `arguments` with the
name to load and the `-D` of the command line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.errors import UserError, render
from pypto_build.host import HostOptions
from pypto_build.pipeline import load_pipeline

CASES = sorted(path.parent for path in Path(__file__).parent.glob("pipeline/*/expected.txt"))
ONLY_LOCAL_PLUGINS = HostOptions(built_in=(), autoload=False)


def message(case: Path) -> str:
    """What loading the pipeline of a case says."""
    arguments = case / "arguments"
    spec, *defines = arguments.read_text(encoding="utf-8").splitlines() if arguments.exists() else ["pipeline.yaml"]
    given = dict(line.removeprefix("-D ").split("=", 1) for line in defines)
    with pytest.raises(UserError) as caught:
        load_pipeline(spec, ONLY_LOCAL_PLUGINS, defines=given)
    return render(caught.value) + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_broken_pipeline_file_says_what_is_wrong(case: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(case)
    assert message(case) == (case / "expected.txt").read_text(encoding="utf-8")


def test_there_are_at_least_sixty_cases():
    assert len(CASES) >= 60
