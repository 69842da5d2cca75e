# SPDX-License-Identifier: Apache-2.0
"""A kernel of one program, and the smallest pipeline that makes an object of it."""

from __future__ import annotations

from pathlib import Path

from tests.scons.conftest import GOLDEN, KERNEL, PIPELINE


def write_kernel() -> None:
    """Write `first.py`, what it imports, its golden file and `small.yaml` into the current directory."""
    shared = Path("shared")
    shared.mkdir()
    (shared / "__init__.py").write_text("", encoding="utf-8")
    (shared / "sizes.py").write_text("SIZE = 32\n", encoding="utf-8")
    Path("first.py").write_text(KERNEL.format(name="First"), encoding="utf-8")
    Path("first_golden.py").write_text(GOLDEN, encoding="utf-8")
    Path("small.yaml").write_text(PIPELINE, encoding="utf-8")
