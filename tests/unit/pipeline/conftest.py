# SPDX-License-Identifier: Apache-2.0
"""Pipelines made of text, with the plugin of the error cases and no other."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pypto_build.host import HostOptions
from pypto_build.pipeline import Pipeline, load_pipeline

FAKES = Path(__file__).resolve().parents[2] / "errors" / "pipeline" / "fakes.py"
ONLY_FAKES = HostOptions(built_in=(), autoload=False, enable=(str(FAKES),))
HEAD = "schema: 1\nhardware: ascend910b\n"
BASE = (
    HEAD
    + """\
passes:
  - convert_to_ssa
  - simplify
  - lower_pipeline_loops
  - canonicalize_io_order
  - {id: late_simplify, use: simplify, options: {max_iterations: 2, fold: false}}
targets: [pto]
"""
)

Load = Callable[..., Pipeline]


def ids(pipeline: Pipeline) -> list[str]:
    """The ids of the passes in order."""
    return [one.id for one in pipeline.passes]


def given(pipeline: Pipeline, pass_id: str) -> Mapping[str, object]:
    """The options of a pass that a file gives."""
    entry = next(one for one in pipeline.passes if one.id == pass_id)
    return {name: entry.options[name] for name in entry.given}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Write `pipeline.yaml` (and `base.yaml`, whatever else is given) and load it."""
    monkeypatch.chdir(tmp_path)

    def load_text(text: str, variant: str = "", *, base: str = BASE, **options: object) -> Pipeline:
        Path("base.yaml").write_text(base, encoding="utf-8")
        Path("pipeline.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
        return load_pipeline(f"pipeline.yaml@{variant}" if variant else "pipeline.yaml", ONLY_FAKES, **options)

    return load_text
