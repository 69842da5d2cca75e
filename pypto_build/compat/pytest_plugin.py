# SPDX-License-Identifier: Apache-2.0
"""The pytest hook that installs the package before the first conftest is imported."""

from __future__ import annotations

import os
from pathlib import Path

from pypto_build.compat.finder import install

CHILDREN = Path(__file__).parent / "path"


def pytest_load_initial_conftests() -> None:
    """Called by pytest with `-p pypto_build.compat`; processes that tests start find the package as well."""
    install()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(CHILDREN), os.environ.get("PYTHONPATH")]))
