# SPDX-License-Identifier: Apache-2.0
"""The pytest hook that installs the package before the first conftest is imported."""

from __future__ import annotations

from pypto_build.compat.finder import install


def pytest_load_initial_conftests() -> None:
    """Called by pytest with `-p pypto_build.compat`."""
    install()
