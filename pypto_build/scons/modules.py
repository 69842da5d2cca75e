# SPDX-License-Identifier: Apache-2.0
"""The modules of SCons, which has no type information: imported when a build asks, so that other commands need none."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def scons(module: str) -> Any:
    """`SCons.<module>`."""
    return import_module(f"SCons.{module}")
