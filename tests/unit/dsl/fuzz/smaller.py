# SPDX-License-Identifier: Apache-2.0
"""A failing text made smaller: lines, then tokens, are left out as long as it still fails in the same way."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from pathlib import Path

_TOKENS = re.compile(r"\w+|\s+|.", re.DOTALL)
_FRAMES = 2  # of a traceback, from its end, that tell one failure from another
_WORDS = 40  # of a message, in characters


def failure_of(action: Callable[[], object]) -> str:
    """In which way something fails: the class of the exception and where it comes from; "" when it does not."""
    try:
        action()
    except Exception as problem:
        frames = traceback.extract_tb(problem.__traceback__)[-_FRAMES:]
        places = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        return f"{type(problem).__name__} {places} {str(problem)[:_WORDS]}"
    return ""


def smaller(text: str, fails: Callable[[str], bool]) -> str:
    """The text without what does not matter for the failure."""
    lines = _reduced(text.splitlines(keepends=True), fails)
    return "".join(_reduced(_TOKENS.findall("".join(lines)), fails))


def _reduced(parts: list[str], fails: Callable[[str], bool]) -> list[str]:
    """The parts that are left when runs of them, long ones first, are left out."""
    size = max(1, len(parts) // 2)
    while True:
        at = 0
        while at < len(parts):
            rest = parts[:at] + parts[at + size :]
            if fails("".join(rest)):
                parts = rest
            else:
                at += size
        if size == 1:
            return parts
        size = max(1, size // 2)
