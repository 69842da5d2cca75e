# SPDX-License-Identifier: Apache-2.0
"""Paths as messages show them."""

from __future__ import annotations

import os


def shown_path(path: str) -> str:
    """A path relative to the working directory when it is below it, otherwise as it is."""
    if not os.path.isabs(path):
        return path
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
