# SPDX-License-Identifier: Apache-2.0
"""Generated text against a file; the file is written anew when the environment asks for it."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

UPDATE = "PYPTO_BUILD_UPDATE_GOLDEN"


def check_golden(text: str, path: str | Path) -> None:
    """The text is what the file holds; with PYPTO_BUILD_UPDATE_GOLDEN=1 in the environment the file is written instead.

    Raises:
        AssertionError: they differ; the message has the lines.
    """
    file = Path(path)
    if os.environ.get(UPDATE) == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return
    if not file.exists():
        raise AssertionError(f"there is no {file}; {UPDATE}=1 writes it")
    expected = file.read_text(encoding="utf-8")
    if text != expected:
        lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), str(file), "generated", lineterm="")
        raise AssertionError("\n".join([f"generated text differs; {UPDATE}=1 accepts it", *lines]))
