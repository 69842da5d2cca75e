# SPDX-License-Identifier: Apache-2.0
"""The pytest hooks: the package is installed before the first conftest is imported, and no file stops the others."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pypto_build.compat.finder import install

if TYPE_CHECKING:
    import pytest

CHILDREN = Path(__file__).parent / "path"


def pytest_load_initial_conftests() -> None:
    """Called by pytest with `-p pypto_build.compat`; processes that tests start find the package as well."""
    install()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(CHILDREN), os.environ.get("PYTHONPATH")]))


def pytest_configure(config: pytest.Config) -> None:
    """A file that imports what this machine lacks is one error; the tests of the other files run all the same."""
    config.option.continue_on_collection_errors = True
