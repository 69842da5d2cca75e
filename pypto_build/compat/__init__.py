# SPDX-License-Identifier: Apache-2.0
"""`import pypto...` answered by this project: `install()`, or `pytest -p pypto_build.compat`."""

from pypto_build.compat.finder import Installation, install
from pypto_build.compat.pytest_plugin import pytest_load_initial_conftests

__all__ = ["Installation", "install", "pytest_load_initial_conftests"]
