# SPDX-License-Identifier: Apache-2.0
"""The texts that commands write as files of the user's, as they lie in the package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable

_SUFFIX = ".txt"  # keeps a template from being taken for a module or a test of ours


def template_files(name: str) -> Iterator[tuple[str, str]]:
    """Relative path and text of every file of one template."""
    return _below(resources.files("pypto_build.cli") / "templates" / name, "")


def _below(directory: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(directory.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield f"{prefix}{entry.name.removesuffix(_SUFFIX)}", entry.read_text(encoding="utf-8")
