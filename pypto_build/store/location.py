# SPDX-License-Identifier: Apache-2.0
"""Where the store is when nobody says: read from the environment once, at the edge of a program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VARIABLE = "PYPTO_BUILD_STORE"


def store_location(environ: Mapping[str, str], argument: str | None = None) -> Path:
    """The argument, else PYPTO_BUILD_STORE, else the user's cache directory; an empty value counts as not set."""
    chosen = argument or environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    cache = environ.get("XDG_CACHE_HOME", "")
    # the base-directory rules say that a relative path there is to be ignored
    base = Path(cache) if Path(cache).is_absolute() else Path("~/.cache").expanduser()
    return base / "pypto-build"
