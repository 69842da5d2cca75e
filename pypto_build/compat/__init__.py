# SPDX-License-Identifier: Apache-2.0
"""`import pypto...` answered by this project: `install()`, or `pytest -p pypto_build.compat`."""

# Any: the public interface takes and returns whatever its callers, tests written without types, hand over.

from pypto_build.compat.finder import Installation, install
from pypto_build.compat.pytest_plugin import pytest_configure, pytest_load_initial_conftests

__all__ = ["Installation", "install", "pytest_configure", "pytest_load_initial_conftests"]
