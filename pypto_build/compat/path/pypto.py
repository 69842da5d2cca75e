# SPDX-License-Identifier: Apache-2.0
"""`import pypto` for a process that was started with this directory on its PYTHONPATH."""

import importlib
import sys

from pypto_build.compat import install

del sys.modules["pypto"]  # this file, which only opens the door
install()
importlib.import_module("pypto")
