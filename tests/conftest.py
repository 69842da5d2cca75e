# SPDX-License-Identifier: Apache-2.0
"""What holds for every test: its builds see no store of the user's, and generated inputs are the same on every run."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("reproducible", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("reproducible")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run, and every process that it starts, a store of its own."""
    scratch = tempfile.TemporaryDirectory(prefix="pypto-build-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(scratch.cleanup)
    os.environ["PYPTO_BUILD_STORE"] = scratch.name
