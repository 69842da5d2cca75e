# SPDX-License-Identifier: Apache-2.0
"""What holds for every test: its builds see no store of the user's, and generated inputs are the same on every run."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# `from tests.passes import ...` finds the helpers of a room; last, so that what is installed is what is tested.
sys.path.append(str(Path(__file__).resolve().parents[1]))

settings.register_profile("reproducible", derandomize=True, deadline=None, database=None)
settings.load_profile("reproducible")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run, and every process that it starts, a store of its own."""
    scratch = tempfile.TemporaryDirectory(prefix="pypto-build-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(scratch.cleanup)
    os.environ["PYPTO_BUILD_STORE"] = scratch.name
