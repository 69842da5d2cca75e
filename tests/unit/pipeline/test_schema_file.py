# SPDX-License-Identifier: Apache-2.0
"""The checked-in JSON Schema is the one that the built-in plugins give."""

from __future__ import annotations

from pathlib import Path

from pypto_build.host import HostOptions, PluginHost
from pypto_build.pipeline.json_schema import schema_text

SCHEMA = Path(__file__).resolve().parents[3] / "configs" / "schema.json"


def test_the_schema_is_fresh():
    fresh = schema_text(PluginHost(HostOptions(autoload=False)))
    assert SCHEMA.read_text(encoding="utf-8") == fresh, "run: pypto-build pipeline schema -o configs/schema.json"
